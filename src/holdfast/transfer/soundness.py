"""What an imported plan must obey: the rules that hold for every write, whoever made it."""

from .. import dialects
from ..board.settings import from_json
from ..errors import UsageError
from ..plan import Plan, Status, Todo
from ..plan.dependencies import cycle
from ..plan.rules import CEILING_ITEMS, CEILING_TEXT
from ..text import describe
from .fields import not_an_export


def check_plan(before: Plan, plan: Plan, at: str) -> None:
    """Check a plan in an export, and what the change from the plan before it did. Raises UsageError with the place."""
    if len(plan.todos) > CEILING_ITEMS:
        raise not_an_export(f"{at}.todos: at most {CEILING_ITEMS} todos, received {len(plan.todos)}")
    known = {todo.id: todo for todo in before.todos}
    ids: set[str] = set()
    for place, todo in enumerate(plan.todos):
        if todo.id in ids:
            raise not_an_export(f"{at}.todos[{place}].id: {describe(todo.id)} is there twice")
        ids.add(todo.id)
        if known.get(todo.id) != todo:
            _check_todo(todo, plan, f"{at}.todos[{place}]")
    if len(plan.summary) > CEILING_TEXT:
        raise not_an_export(f"{at}.summary: at most {CEILING_TEXT} characters, received {len(plan.summary)}")
    if ring := cycle({todo.id: todo.details.blocked_by for todo in plan.todos if todo.details.blocked_by}):
        raise not_an_export(f"{at}.todos: they wait for each other: {' → '.join(map(describe, ring))}")
    _check_running(before, plan, at)


def _check_todo(todo: Todo, plan: Plan, at: str) -> None:
    """Check one todo that is not the same as in the plan before."""
    if not todo.id.strip() or (todo.id.isdecimal() and plan.next_id <= int(todo.id[:20]) < 10**6):
        raise not_an_export(f"{at}.id: {describe(todo.id)} is blank, or not below next_id, which is {plan.next_id}")
    if not todo.content.strip() and not _may_be_blank(plan):
        raise not_an_export(f"{at}.content: a text is required, received {describe(todo.content)}")
    for field in ("content", "active_form", "evidence"):
        if len(getattr(todo, field)) > CEILING_TEXT:
            received = len(getattr(todo, field))
            raise not_an_export(f"{at}.{field}: at most {CEILING_TEXT} characters, received {received}")


def _may_be_blank(plan: Plan) -> bool:
    try:
        return dialects.get(from_json(plan.settings).dialect).form.blank_allowed
    except UsageError:
        return False


def _check_running(before: Plan, plan: Plan, at: str) -> None:
    """Check that a change started no more todos than there may be. What agents have claimed does not count."""
    most, running = from_json(plan.settings).all_rules().max_in_progress, _running(plan)
    if running > most and running > _running(before):
        raise not_an_export(f"{at}.todos: at most {most} in progress, received {running}")


def _running(plan: Plan) -> int:
    return sum(todo.status is Status.IN_PROGRESS and not todo.details.owner for todo in plan.todos)
