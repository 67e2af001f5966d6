"""Tools that write one task a call, folded into one plan. A task keeps the id that its harness gave it.

Calls of one turn are told by hooks that run at the same time and end in any order, so a task is never found by its
place: the harness's result says which one it is.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import plan as plans
from ..dependencies import check_dependencies
from ..edits import uphold
from ..plan import Details, DetailsWish, Draft, Edit, Plan, Status, Todo, Wish

DELETED = "deleted"
_STATUSES = {str(status): status for status in Status}


class Call(NamedTuple):
    """One call of such a tool: what was asked for, and what the harness made of it."""

    tool: str
    given: Mapping[str, Any]
    result: Mapping[str, Any]


class NotATask(ValueError):
    """A call cannot be recorded. The message says why."""


def folded(plan: Plan, call: Call, now: float) -> Plan:
    """The plan after a call that the harness has taken. Raises NotATask if there is no telling what it did."""
    match call.tool:
        case "TaskCreate":
            return _created(plan, call, now)
        case "TaskUpdate":
            return _updated(plan, call, now)
        case "TaskList":
            return _listed(plan, call, now)
    raise NotATask(f"no tool {call.tool}")


def _created(plan: Plan, call: Call, now: float) -> Plan:
    made = call.result.get("task")
    id = _id(made.get("id")) if isinstance(made, Mapping) else ""
    subject = call.given.get("subject")
    if not id or not isinstance(subject, str):
        raise NotATask("TaskCreate: the result names no task")
    wish = _wish(id, call.given, Details())
    if plan.open:
        return _merged(_with_room_for(plan, id, subject), [wish], now)
    return plans.replace(plan, Draft([wish]), now)  # nothing is open: the next plan begins


def _updated(plan: Plan, call: Call, now: float) -> Plan:
    if call.result.get("success") is False:
        return plan
    id = _id(call.given.get("taskId") or call.given.get("task_id") or call.given.get("id"))
    todo = plan.get(id)
    if todo is None:
        raise NotATask(f"TaskUpdate: no task {id!r} in the plan; the next TaskList will bring it")
    if call.given.get("status") == DELETED:
        rest = [Wish(other.id) for other in plan.todos if other.id != id]
        return plans.replace(plan, uphold(plan, Draft(rest)), now)
    blocked = [_waiting(plan, other, id) for other in _ids(call.given.get("addBlocks"))]
    return _merged(plan, [_wish(id, call.given, todo.details), *(wish for wish in blocked if wish)], now)


def _listed(plan: Plan, call: Call, now: float) -> Plan:
    """What a list of all tasks shows that the plan does not have: hooks may have come later than the tasks.

    A finished task that the plan does not hold belongs to a plan before it.
    """
    tasks = call.result.get("tasks")
    if not isinstance(tasks, list):
        raise NotATask("TaskList: the result has no tasks")
    shown = [_shown(task) for task in tasks if isinstance(task, Mapping)]
    wishes = [wish for wish in shown if wish.id and (wish.status not in plans.DONE or plan.get(wish.id))]
    return _merged(plan, wishes, now) if wishes else plan


def _shown(task: Mapping[str, Any]) -> Wish:
    subject = _text(task, "subject")
    return Wish(_id(task.get("id")) if subject is not None else "", subject, _STATUSES.get(str(task.get("status"))))


def _merged(plan: Plan, wishes: list[Wish], now: float) -> Plan:
    draft = uphold(plan, Draft(wishes, merge=True))
    after = plans.merge(plan, draft, now)
    if not check_dependencies(plan, draft, after, "tasks"):
        return after
    return plans.merge(plan, draft._replace(wishes=[_undemanding(wish) for wish in draft.wishes]), now)


def _wish(id: str, given: Mapping[str, Any], known: Details) -> Wish:
    """What a call asks for of one task. What makes no sense in it is left out: the harness has let it pass."""
    waits = _ids(given.get("addBlockedBy"))
    metadata = given.get("metadata")
    details = DetailsWish(
        description=_text(given, "description"),
        blocked_by=tuple(dict.fromkeys((*known.blocked_by, *waits))) if waits else None,
        owner=_text(given, "owner"),
        metadata=_with_metadata(known.metadata, metadata) if isinstance(metadata, Mapping) else None,
    )
    active_form = _text(given, "activeForm")
    return Wish(
        id,
        _text(given, "subject"),
        _STATUSES.get(str(given.get("status"))),
        active_form if active_form is not None else _text(given, "active_form"),
        details=None if details == DetailsWish() else details,
    )


def _waiting(plan: Plan, id: str, blocker: str) -> Wish | None:
    """The wish that makes a task wait for another one."""
    todo = plan.get(id)
    if todo is None:
        return None
    return Wish(id, details=DetailsWish(blocked_by=tuple(dict.fromkeys((*todo.details.blocked_by, blocker)))))


def _undemanding(wish: Wish) -> Wish:
    return wish if wish.details is None else wish._replace(details=wish.details._replace(blocked_by=None))


def _with_metadata(known: str, given: Mapping[str, Any]) -> str:
    """The metadata with what is given; a null takes a key away."""
    merged = {**(json.loads(known) if known else {}), **given}
    kept = {key: value for key, value in merged.items() if value is not None}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) if kept else ""


def _with_room_for(plan: Plan, id: str, subject: str) -> Plan:
    """The plan with no other todo under an id that the harness has just given out.

    A person's own todo may have it: both count up. It goes on under the next one, unless it is the same todo.
    """
    taken = plan.get(id)
    if taken is None or taken.content == subject or not id.isdecimal():
        return plan
    free = max(plan.next_id, int(id) + 1)

    def moved(todo: Todo | None) -> Todo | None:
        return todo._replace(id=str(free)) if todo is not None and todo.id == id else todo

    todos = tuple(other._replace(id=str(free)) if other.id == id else other for other in plan.todos)
    edits = tuple(Edit(moved(edit.before), moved(edit.after), *edit[2:]) for edit in plan.edits)
    seen = tuple(str(free) if other == id else other for other in plan.seen)
    return plan._replace(todos=todos, edits=edits, seen=seen, next_id=free + 1)


def _ids(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_id, value))) if isinstance(value, list) else ()


def _id(value: object) -> str:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def _text(given: Mapping[str, Any], field: str) -> str | None:
    value = given.get(field)
    return value if isinstance(value, str) else None
