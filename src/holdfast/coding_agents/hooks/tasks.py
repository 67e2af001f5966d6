"""Tasks in one plan, under the ids that their harness gave them.

The hooks of one turn run at the same time and end in any order, so a new task is not simply the next one here: the
harness's result says which it is.

Todos that the harness does not know, since a person added them or they come from another conversation, have numbers
above all of its own (`plan.about.task_ids`). When the model creates a task with such a text, it is that todo.
"""

from collections.abc import Callable, Mapping

from ... import dialects
from ...dialects.dialect import STATUS_WORDS
from ...dialects.reading.faults import describe_faults
from ...dialects.reading.tasks import CREATE
from ...plan import DONE, Draft, Edit, Plan, Todo, Wish, transitions
from ...plan.edits import uphold
from ...text import is_whole_number


class NotATask(ValueError):
    """A call cannot be recorded. The message says why."""


def with_created_task(plan: Plan, arguments: object, result: object, now: float) -> Plan:
    """The plan with a task that the harness has created. Raises NotATask if its result does not say which."""
    task = result.get("task") if isinstance(result, Mapping) else None
    id = _id(task.get("id")) if isinstance(task, Mapping) else ""
    draft, faults = dialects.get("claude-tasks").read(arguments, tool=CREATE)
    if not id or faults:
        raise NotATask(describe_faults(faults) or "the result names no task")
    return _with_task(plan, draft.wishes[-1]._replace(id=id), now)


def with_listed_tasks(plan: Plan, result: object, was_known: Callable[[str], bool], now: float) -> Plan:
    """The plan with the tasks of a full list that it never had: hooks may have been installed after the tasks.

    A list is only read: it changes no task that the plan has or had, which `was_known` says. A finished task that the
    plan never had belongs to an earlier plan. Raises NotATask for a result without tasks.
    """
    tasks = result.get("tasks") if isinstance(result, Mapping) else None
    if not isinstance(tasks, list):
        raise NotATask("the result has no tasks")
    for wish in [_read_task(task) for task in tasks if isinstance(task, Mapping)]:
        id = wish.id or ""
        is_new = id != "" and bool(wish.content) and wish.status not in DONE
        if is_new and not (is_known(plan, id) and (plan.get(id) is not None or was_known(id))):
            plan = _with_task(plan, wish, now)
    return plan


def is_known(plan: Plan, id: str) -> bool:
    """Whether the harness has, or had, a task of this id."""
    return not _is_number(id) or int(id) <= plan.about.task_ids


def missing_tasks(plan: Plan) -> list[Todo]:
    """The open todos that the harness's own list does not have."""
    return [todo for todo in plan.open if not is_known(plan, todo.id)] if plan.about.task_ids else []


def _read_task(task: object) -> Wish:
    if not isinstance(task, Mapping):
        return Wish()
    subject = task.get("subject")
    status = STATUS_WORDS.get(str(task.get("status")))
    return Wish(_id(task.get("id")), subject if isinstance(subject, str) else None, status)


def _with_task(plan: Plan, wish: Wish, now: float) -> Plan:
    """The plan with a new task. If nothing is open, it starts the next plan."""
    id, content = wish.id or "", wish.content or ""
    number = int(id) if _is_number(id) else 0
    if not plan.open:
        after = transitions.replace(plan, uphold(plan, Draft([wish]), most_running=1), now)
        return _with_task_ids(after, number)
    other = plan.get(id)
    if other is not None and is_known(plan, id) and other.content != content:
        plan = _begun_again(plan)
    plan = _with_twin_at(plan, id, content) if number else plan
    if number:
        plan = _moved_up(plan, plan.about.task_ids, number, but=id)
    known = plan.get(id)
    alone = plan._replace(todos=() if known is None else (known,), next_id=min(number or plan.next_id, plan.next_id))
    new = transitions.merge(alone, Draft([wish], merge=True), now)  # alone: a todo of the same text is another one
    task = new.todos[0]
    todos = [task if todo.id == id else todo for todo in plan.todos]
    if known is None:
        above = [place for place, todo in enumerate(todos) if _is_number(todo.id) and int(todo.id) > number > 0]
        todos.insert(above[0] if above else len(todos), task)
    after = new._replace(todos=tuple(todos), next_id=max(new.next_id, plan.next_id))
    return _with_task_ids(after, max(number, plan.about.task_ids))


def _with_task_ids(plan: Plan, highest: int) -> Plan:
    return plan._replace(about=plan.about._replace(task_ids=highest)) if highest else plan


def _begun_again(plan: Plan) -> Plan:
    """The plan of a harness that has lost its list, and counts from 1 again: it knows none of these todos now."""
    highest = max([int(todo.id) for todo in plan.todos if _is_number(todo.id)], default=0)
    plan = _moved_up(plan, 0, highest, but="")
    return plan._replace(about=plan.about._replace(task_ids=0))


def _with_twin_at(plan: Plan, id: str, content: str) -> Plan:
    """The plan in which a todo of this text, open and not known to the harness, has the id that it has just given.

    Another todo that has the id gets the next one: people and harnesses both count up.
    """
    twins = [todo for todo in plan.open if todo.content == content and not is_known(plan, todo.id)]
    other = plan.get(id)
    if other is not None and other.content != content:
        plan = _moved_up(plan, int(id) - 1, int(id), but="")
    return _renumbered(plan, {twins[0].id: id}) if twins and twins[0].id != id and plan.get(id) is None else plan


def _moved_up(plan: Plan, above: int, highest: int, but: str) -> Plan:
    """The plan in which no todo has a number in a range, except one. Those that had get the next free numbers."""
    inside = [todo.id for todo in plan.todos if _is_number(todo.id) and above < int(todo.id) <= highest]
    free = max(plan.next_id, highest + 1)
    ids = {id: str(free + place) for place, id in enumerate(id for id in inside if id != but)}
    return _renumbered(plan, ids)._replace(next_id=free + len(ids)) if ids else plan


def _renumbered(plan: Plan, ids: Mapping[str, str]) -> Plan:
    """The plan with other ids; what waits for them, and what is known of edits, follows."""

    def renumbered(todo: Todo) -> Todo:
        waits_for = tuple(ids.get(other, other) for other in todo.details.blocked_by)
        details = todo.details if waits_for == todo.details.blocked_by else todo.details._replace(blocked_by=waits_for)
        return todo._replace(id=ids.get(todo.id, todo.id), details=details)

    def edit(known: Edit) -> Edit:
        before, after, position = known
        before, after = before and renumbered(before), after and renumbered(after)
        return Edit(before, after, position)

    return plan._replace(
        todos=tuple(map(renumbered, plan.todos)),
        edits=tuple(map(edit, plan.edits)),
        seen=tuple(ids.get(known, known) for known in plan.seen),
    )


def _is_number(id: str) -> bool:
    return is_whole_number(id, 6)


def _id(value: object) -> str:
    return str(value)[:64] if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
