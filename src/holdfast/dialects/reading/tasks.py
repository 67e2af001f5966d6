"""What the calls of `claude-tasks` ask for. Each names one task, so each is read against the plan."""

import json
from collections.abc import Sequence

from ...plan import DetailsWish, Draft, Plan, Status, Wish
from ...plan.fault import Fault
from ...plan.rules import Rules
from .faults import missing
from .form import Form, Use
from .items import id_in, ids_in
from .payload import body_of, read

CREATE, UPDATE, GET, LIST = "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"
DELETED = "deleted"
STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)

CREATED = Form(
    {str(status): status for status in STATUSES},
    list_field="tasks",
    default_status=Status.PENDING,
    active_form=Use.OPTIONAL,
    description=Use.REQUIRED,
    metadata=Use.OPTIONAL,
    names={"content": "subject", "id": "taskId", "blockedBy": "addBlockedBy"},
    aliases={"active_form": "activeForm"},
)
UPDATED = CREATED._replace(
    id=Use.REQUIRED,
    description=Use.OPTIONAL,
    owner=Use.OPTIONAL,
    blocked_by=Use.OPTIONAL,
    aliases={"active_form": "activeForm", "id": "id", "task_id": "id"},
    partial=True,
)
ID_KEYS = ("taskId", "task_id", "id")


def created(payload: object, plan: Plan, rules: Rules) -> tuple[Draft, list[Fault]]:
    """A new task after all others. With nothing open it begins the next plan, and the numbers continue."""
    (wish,), faults = _read(payload, CREATED, rules)
    if wish.details is not None and wish.details.metadata is not None:
        wish = wish._replace(details=wish.details._replace(metadata=_merge_metadata("", wish.details.metadata)))
    others = [Wish(todo.id) for todo in plan.todos] if plan.open else []
    return Draft([*others, wish._replace(id=str(plan.next_id))]), faults


def updated(payload: object, plan: Plan, rules: Rules) -> tuple[Draft, list[Fault]]:
    """What changes in a task: its own fields, or that it is deleted; and which others wait for it."""
    id, faults = task_id_in(payload, plan)
    if faults:
        return Draft(), faults
    given = dict(body_of(payload, UPDATED))
    blocks = ids_in(given.pop("addBlocks", ()), "addBlocks", None, UPDATED)
    is_deleted = given.get("status") == DELETED
    if is_deleted:
        del given["status"]
    (wish,), faults = _read(given, UPDATED, rules)
    faults += [fault for fault in blocks if isinstance(fault, Fault)]
    others = list(dict.fromkeys(id for id in blocks if isinstance(id, str)))
    faults += _unknown(plan, wish, others)
    if id in others:
        others.remove(id)
        faults.append(Fault("addBlocks", f"a task cannot wait for itself: {id} → {id}", "cycle", field="addBlocks"))
    if is_deleted:
        return Draft(merge=True, removed=(id,)), faults
    return Draft([_with_additions(wish, plan), *(_wait_for(plan, other, id) for other in others)], merge=True), faults


def task_id_in(payload: object, plan: Plan) -> tuple[str, list[Fault]]:
    """The id of the task in a call, and the faults of that id. Nothing else in the call is read."""
    id = id_of(payload)
    if isinstance(id, Fault):
        return "", [id]
    if plan.get(id) is None:
        return id, [Fault("taskId", f"no task #{id}", "unknown_id", field="taskId", received=id)]
    return id, []


def id_of(payload: object) -> str | Fault:
    """The id in a call, whether there is such a task or not; or the fault that it has none."""
    body = body_of(payload, UPDATED)
    if isinstance(body, Fault):
        return body
    for key in ID_KEYS:
        if key in body:
            return id_in(body[key], "taskId", None, UPDATED)
    return missing("taskId", None, "taskId", "required: the number of a task")


def _read(payload: object, form: Form, rules: Rules) -> tuple[list[Wish], list[Fault]]:
    """One task, read like an item of a list."""
    form = form.under(rules)
    body = body_of(payload, form)
    if isinstance(body, Fault):
        return [Wish()], [body]
    draft, faults = read({form.list_field: [body]}, form, rules)
    return list(draft.wishes), faults


def _unknown(plan: Plan, wish: Wish, others: Sequence[str]) -> list[Fault]:
    awaited = wish.details.blocked_by if wish.details is not None and wish.details.blocked_by is not None else ()
    unknown = [("addBlocks", id) for id in others if plan.get(id) is None]
    unknown += [("addBlockedBy", id) for id in awaited if plan.get(id) is None and not _was_removed(plan, id)]
    return [Fault(field, f"no task #{id}", "unknown_blocker", field=field, received=id) for field, id in unknown]


def _was_removed(plan: Plan, id: str) -> bool:
    """Whether a task had this number once: numbers are never reused, and nothing waits for a removed task."""
    return id.isdecimal() and 0 < int(id) < plan.next_id and plan.get(id) is None


def _with_additions(wish: Wish, plan: Plan) -> Wish:
    """The wish for a task, with its blockers and metadata added to those that the task has."""
    todo, details = plan.get(wish.id or ""), wish.details
    if todo is None or details is None:
        return wish
    if details.blocked_by is not None:
        awaited = [id for id in details.blocked_by if not _was_removed(plan, id)]
        details = details._replace(blocked_by=tuple(dict.fromkeys((*todo.details.blocked_by, *awaited))))
    if details.metadata is not None:
        details = details._replace(metadata=_merge_metadata(todo.details.metadata, details.metadata))
    return wish._replace(details=details)


def _wait_for(plan: Plan, id: str, blocker: str) -> Wish:
    todo = plan.get(id)
    known = todo.details.blocked_by if todo is not None else ()
    return Wish(id, details=DetailsWish(blocked_by=tuple(dict.fromkeys((*known, blocker)))))


def _merge_metadata(old: str, new: str) -> str:
    """New metadata merged into the old, both as JSON: a null removes its key."""
    merged = {**(json.loads(old) if old else {}), **json.loads(new)}
    result = {key: value for key, value in merged.items() if value is not None}
    return json.dumps(result, separators=(",", ":")) if result else ""
