"""Tasks in one plan, under the ids that their harness gave them.

The hooks of one turn run at the same time and end in any order, so a new task is not simply the next one here: the
harness's result says which it is.
"""

from collections.abc import Mapping

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


def with_listed_tasks(plan: Plan, result: object, now: float) -> Plan:
    """The plan with the tasks of a full list that it does not have: hooks may have been installed after the tasks.

    A finished task that the plan does not have belongs to an earlier plan. Raises NotATask for a result without tasks.
    """
    tasks = result.get("tasks") if isinstance(result, Mapping) else None
    if not isinstance(tasks, list):
        raise NotATask("the result has no tasks")
    for wish in [_read_task(task) for task in tasks if isinstance(task, Mapping)]:
        if wish.id and wish.content and plan.get(wish.id) is None and wish.status not in DONE:
            plan = _with_task(plan, wish, now)
    known = [wish for wish in map(_read_task, tasks) if plan.get(wish.id or "")]
    return transitions.merge(plan, uphold(plan, Draft(known, merge=True), most_running=1), now)


def _read_task(task: object) -> Wish:
    if not isinstance(task, Mapping):
        return Wish()
    subject = task.get("subject")
    status = STATUS_WORDS.get(str(task.get("status")))
    return Wish(_id(task.get("id")), subject if isinstance(subject, str) else None, status)


def _with_task(plan: Plan, wish: Wish, now: float) -> Plan:
    """The plan with a new task. If nothing is open, it starts the next plan."""
    if not plan.open:
        return transitions.replace(plan, uphold(plan, Draft([wish]), most_running=1), now)
    id, content = wish.id or "", wish.content or ""
    plan = _with_room_for(plan, id, content)
    number = int(id) if _is_number(id) else plan.next_id
    after = transitions.merge(plan._replace(next_id=min(number, plan.next_id)), Draft([wish], merge=True), now)
    todos = sorted(after.todos, key=lambda todo: _is_number(todo.id) and todo.id != id and int(todo.id) > number)
    return after._replace(todos=tuple(todos), next_id=max(after.next_id, plan.next_id))


def _with_room_for(plan: Plan, id: str, content: str) -> Plan:
    """The plan with no other todo under an id that the harness has just given out.

    A todo that a person added may have it, since both count up. That todo gets the next id, unless it is the same.
    """
    other = plan.get(id)
    if other is None or other.content == content or not _is_number(id):
        return plan
    free = str(max(plan.next_id, int(id) + 1))

    def renumbered(todo: Todo | None) -> Todo | None:
        return todo._replace(id=free) if todo is not None and todo.id == id else todo

    return plan._replace(
        todos=tuple(todo._replace(id=free) if todo.id == id else todo for todo in plan.todos),
        edits=tuple(Edit(renumbered(edit.before), renumbered(edit.after), edit.position) for edit in plan.edits),
        seen=tuple(free if known == id else known for known in plan.seen),
        next_id=int(free) + 1,
    )


def _is_number(id: str) -> bool:
    return is_whole_number(id, 6)


def _id(value: object) -> str:
    return str(value)[:64] if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
