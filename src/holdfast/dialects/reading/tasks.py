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
    """A new task after all others, whatever it says. With nothing open it begins the next plan; numbers count on."""
    (wish,), faults = _read(payload, CREATED, rules)
    if wish.details is not None and wish.details.metadata is not None:
        wish = wish._replace(details=wish.details._replace(metadata=_merged("", wish.details.metadata)))
    others = [Wish(todo.id) for todo in plan.todos] if plan.open else []
    return Draft([*others, wish._replace(id=str(plan.next_id))]), faults


def updated(payload: object, plan: Plan, rules: Rules) -> tuple[Draft, list[Fault]]:
    """What changes in a task: its own fields, or that it goes; and which others wait for it."""
    id, faults = named_task(payload, plan)
    if faults:
        return Draft(merge=True), faults
    given = dict(body_of(payload, UPDATED))
    blocks = ids_in(given.pop("addBlocks", ()), "addBlocks", None, UPDATED)
    goes = given.get("status") == DELETED
    if goes:
        del given["status"]
    (wish,), faults = _read(given, UPDATED, rules)
    faults += [found for found in blocks if isinstance(found, Fault)]
    others = list(dict.fromkeys(found for found in blocks if isinstance(found, str)))
    faults += _unknown(plan, wish, others)
    if id in others:
        faults.append(Fault("addBlocks", f"a task cannot wait for itself: {id} → {id}", "cycle", field="addBlocks"))
    if goes:
        return Draft(merge=True, removed=(id,)), faults
    return Draft([_over(wish, plan), *(_waiting(plan, other, id) for other in others)], merge=True), faults


def named_task(payload: object, plan: Plan) -> tuple[str, list[Fault]]:
    """The id of the task that a call names, whatever else it says."""
    body = body_of(payload, UPDATED)
    if isinstance(body, Fault):
        return "", [body]
    key = next((key for key in ID_KEYS if key in body), None)
    if key is None:
        return "", [missing("taskId", None, "taskId", "required: the number of a task")]
    id = id_in(body[key], "taskId", None, UPDATED)
    if isinstance(id, Fault):
        return "", [id]
    if plan.get(id) is None:
        return id, [Fault("taskId", f"no task #{id}", "unknown_id", field="taskId", received=id)]
    return id, []


def _read(payload: object, form: Form, rules: Rules) -> tuple[list[Wish], list[Fault]]:
    """One task, read like an item of a list."""
    if rules.evidence != "none":
        form = form._replace(evidence=Use.OPTIONAL)
    body = body_of(payload, form)
    if isinstance(body, Fault):
        return [Wish()], [body]
    draft, faults = read({form.list_field: [body]}, form, rules)
    return list(draft.wishes), faults


def _unknown(plan: Plan, wish: Wish, others: Sequence[str]) -> list[Fault]:
    awaited = wish.details.blocked_by if wish.details is not None and wish.details.blocked_by is not None else ()
    unknown = [("addBlocks", id) for id in others if plan.get(id) is None]
    unknown += [("addBlockedBy", id) for id in awaited if plan.get(id) is None and not _is_gone(plan, id)]
    return [Fault(field, f"no task #{id}", "unknown_blocker", field=field, received=id) for field, id in unknown]


def _is_gone(plan: Plan, id: str) -> bool:
    """Whether a task had this number once: numbers only count up, and whoever waits for it waits no more."""
    return id.isdecimal() and 0 < int(id) < plan.next_id and plan.get(id) is None


def _over(wish: Wish, plan: Plan) -> Wish:
    """The wish for a task with what it adds to the task's own blockers and metadata."""
    todo, details = plan.get(wish.id or ""), wish.details
    if todo is None or details is None:
        return wish
    if details.blocked_by is not None:
        awaited = [id for id in details.blocked_by if not _is_gone(plan, id)]
        details = details._replace(blocked_by=tuple(dict.fromkeys((*todo.details.blocked_by, *awaited))))
    if details.metadata is not None:
        details = details._replace(metadata=_merged(todo.details.metadata, details.metadata))
    return wish._replace(details=details)


def _waiting(plan: Plan, id: str, blocker: str) -> Wish:
    todo = plan.get(id)
    known = todo.details.blocked_by if todo is not None else ()
    return Wish(id, details=DetailsWish(blocked_by=tuple(dict.fromkeys((*known, blocker)))))


def _merged(old: str, new: str) -> str:
    """Metadata over metadata, both as JSON: a null takes its key out."""
    merged = {**(json.loads(old) if old else {}), **json.loads(new)}
    kept = {key: value for key, value in merged.items() if value is not None}
    return json.dumps(kept, separators=(",", ":")) if kept else ""
