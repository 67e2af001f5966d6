"""A list that restates the plan in order. Most writes do: to change a status, a model sends everything again.

Each item is compared with the todo at its place, in all fields that it has. What is equal is not read, checked or built
again: the todo stays the same object. It leads where reading, checking and applying the list lead; whatever is not
plainly such a list is left to them.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...plan import IN_PROGRESS, NO_DETAILS, Plan, Todo
from ...plan.rules import CEILING_ITEMS, CEILING_TEXT, detail_faults
from ...plan.transitions import with_status
from .form import ABSENT, REQUIRED, Form
from .shape import NO_SHAPE, shape_of

if TYPE_CHECKING:
    from ..dialect import Dialect

_new = tuple.__new__


def restated(payload: object, plan: Plan, dialect: "Dialect", now: float) -> Plan | None:
    """The plan after such a list; None if it is something else, or has a fault."""
    items, todos = _items(payload, plan, dialect), plan.todos
    if items is None:
        return None
    statuses, allowed = dialect.form.statuses, dialect.rules.statuses
    after: list[Todo] = []
    is_new = starts = False
    try:
        for asked, known, todo in zip(*_values(items, todos, dialect.form), todos, strict=True):
            if asked != known:
                status = statuses[asked[-1]]
                if asked[:-1] != known[:-1] or status not in allowed:
                    return None
                if status is not todo[2]:
                    is_new, starts = True, starts or status is IN_PROGRESS
                    todo = with_status(todo, status, now)
            after.append(todo)
    except (KeyError, TypeError, IndexError):  # an item of another kind, or a word that is not a status
        return None
    if not is_new:
        return plan
    if starts and _running(after) > dialect.rules.max_in_progress:
        return None
    _, summary, revision, _, number, next_id, _, _, settings, about = plan
    return _new(Plan, (tuple(after), summary, revision + 1, now, number, next_id, (), (), settings, about))


def _items(payload: object, plan: Plan, dialect: "Dialect") -> list[Any] | None:
    """The list in a payload that may restate a plan with open todos, and says nothing else; None if it cannot."""
    form, todos = dialect.form, plan.todos
    if type(payload) is not dict or plan.edits or not plan.has_open:
        return None
    items = payload.get(form.list_field)
    if form.parse is not None and type(items) is str:
        items = form.parse(items)
    if type(items) is not list or len(items) != len(todos) or type(items[0]) is not dict:
        return None
    if (len(payload) > 1 or form.summary is REQUIRED) and not _says_nothing_else(payload, plan, dialect):
        return None
    return items if todos is dialect.plain_todos or _are_plain(plan, dialect) else None


def _values(items: list[Any], todos: tuple[Todo, ...], form: Form) -> tuple[Iterable[Any], Iterable[Any]]:
    """What to compare of each item, and of the todo at its place. Raises TypeError if an item cannot be compared."""
    shape = shape_of(items[0], form) or NO_SHAPE
    if sum(map(len, items)) == shape.keys * len(items) and shape.item_values is not None:
        try:
            return [*map(shape.item_values, items)], map(shape.todo_values, todos)
        except KeyError:
            pass
    shapes = [shape_of(item, form) or NO_SHAPE for item in items]
    return (
        [shape.item_values(item) for shape, item in zip(shapes, items, strict=True)],
        [shape.todo_values(todo) for shape, todo in zip(shapes, todos, strict=True)],
    )


def _says_nothing_else(payload: dict[Any, Any], plan: Plan, dialect: "Dialect") -> bool:
    """Whether what stands beside the list changes nothing: the same summary, and remarks, which are not kept."""
    form = dialect.form
    rest = {key: value for key, value in payload.items() if key != form.list_field}
    if form.summary is not ABSENT:
        summary = rest.pop("summary", None if form.summary is REQUIRED else plan.summary)
        if summary != plan.summary or (form.summary is REQUIRED and not plan.summary.strip()):
            return False
    return all(key in form.remarks and type(value) is str and value.isascii() for key, value in rest.items())


def _are_plain(plan: Plan, dialect: "Dialect") -> bool:
    """Whether the todos of a plan are within the rules, and the dialect shows each of them as it is."""
    rules, form = dialect.rules, dialect.form
    longest = min(rules.max_content, CEILING_TEXT)
    if len(plan.todos) > min(rules.max_items, CEILING_ITEMS) or _running(plan.todos) > rules.max_in_progress:
        return False
    if rules.repair and len({todo.content for todo in plan.todos}) < len(plan.todos):  # one of them is repaired away
        return False
    for todo in plan.todos:
        if max(len(todo.content), len(todo.active_form), len(todo.evidence)) > longest:
            return False
        if not (form.blank_allowed or todo.content.strip()) or not dialect.shows_exactly(todo, plan):
            return False
        if form.has_details and todo.details is not NO_DETAILS and detail_faults(todo.details, "", 0):
            return False
    return True


def _running(todos: list[Todo] | tuple[Todo, ...]) -> int:
    return len([todo for todo in todos if todo[2] is IN_PROGRESS])
