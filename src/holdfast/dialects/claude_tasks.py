"""The `claude-tasks` dialect: Claude Code's TaskCreate, TaskUpdate, TaskGet and TaskList. One task per call."""

from collections.abc import Iterable
from functools import cached_property

from ..plan import Change, Details, Draft, Plan, Todo
from ..plan.fault import Fault
from ..plan.rules import NO_LIMIT, Rules
from ..plan.step import Written
from ..text import one_line
from .dialect import NO_CHANGE, NO_PLAN, Call, Dialect, Outcome, Tool, with_notes
from .reading import restatement, schemas, tasks
from .reading.form import Form
from .reading.restated_list import restated_items
from .reading.schemas import JSON
from .reading.tasks import CREATE, DELETED, GET, LIST, STATUSES, UPDATE

ADD = "Add a task to the list of this session. It is pending; the answer has its number."
CHANGE = "Change a task: its status, texts, owner or metadata, or which tasks wait for which."
SHOW = "Show one task in full."
SHOW_ALL = "Show every task on a line: its number, status, owner, and which open tasks it waits for."


class ClaudeTasks(Dialect):
    """Tasks with numbers that are never reused, and that may wait for each other."""

    name = "claude-tasks"
    tool_name = CREATE
    description = ADD
    prompt = """For work of three or more steps, keep a task list: TaskCreate for every step, then TaskUpdate.
- Mark a task in_progress before you start it and completed as soon as it is really done; deleted if it is not needed.
- addBlockedBy names tasks that must be completed first. TaskList shows all tasks, TaskGet one in full."""
    form = tasks.CREATED
    own_rules = Rules(max_in_progress=NO_LIMIT, statuses=STATUSES)
    mark = '{{"taskId": "{id}", "status": "{status}"}}'
    mark_tool = UPDATE
    reports_all_faults = True
    states_whole_plan = False

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The four tools."""
        return (
            Tool(CREATE, ADD, self.schema, repeatable=False),
            Tool(UPDATE, CHANGE, self._update_schema()),
            Tool(GET, SHOW, _object({"taskId": _TEXT}, ["taskId"]), reads_only=True),
            Tool(LIST, SHOW_ALL, _object({}, []), reads_only=True),
        )

    @cached_property
    def _updated(self) -> Form:
        return tasks.UPDATED.under(self.rules)

    def own_schema(self) -> JSON:
        """The JSON Schema of a new task."""
        return _object({**self._texts(), "metadata": {"type": "object"}}, ["subject", "description"])

    def is_look(self, payload: object, tool: str = "") -> bool:
        """Whether a call only asks for the plan."""
        return tool in (GET, LIST)

    def read(self, payload: object, plan: Plan = NO_PLAN, tool: str = "") -> tuple[Draft, list[Fault]]:
        """What a call of one of the tools asks for."""
        match tool:
            case "TaskCreate":
                return tasks.created(payload, plan, self.rules)
            case "TaskUpdate":
                draft, faults = tasks.updated(payload, plan, self.rules)
                return (draft if faults else self.without_restatements(draft, plan)), faults
            case "TaskGet":
                return NO_CHANGE, tasks.task_id_in(payload, plan)[1]
            case "TaskList":
                return NO_CHANGE, []
        message = f"which tool was called? There are {', '.join(self.tool_names)}"
        return NO_CHANGE, [Fault("", message, "unknown_tool")]

    def restated(self, payload: object, plan: Plan, now: float, tool: str = "") -> Written | None:
        """The plan after an update that at most changes a task's status."""
        if tool != UPDATE or type(payload) is not dict:
            return None
        return restated_items([payload], plan, self, self._updated, now)

    def phrase(self, fault: Fault) -> Fault:
        """The fault with its place in the call."""
        fault = super().phrase(fault)
        path = fault.path.removeprefix("tasks[0]").lstrip(".")
        if fault.code in ("unknown_blocker", "cycle") and path.startswith("tasks"):
            path = "addBlockedBy"
        return fault._replace(path="" if path == "tasks" else path)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The result for the task, or what was asked for."""
        text, data = self._answer(outcome)
        return with_notes(text, outcome), data

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """Every fault with its place; for an unknown task, only that it was not found."""
        if any(fault.code == "unknown_id" for fault in outcome.faults):
            return "Task not found", None
        return super().refused(outcome)

    def render(self, plan: Plan) -> str:
        """One line per task, with the open tasks that it waits for."""
        return "\n".join(self._line(todo, plan) for todo in plan.todos) or "No tasks found"

    def calls(self, plan: Plan) -> list[Call]:
        """The calls that write this plan down: every task first, then how far they are and which wait for which."""
        numbers = {todo.id: str(number) for number, todo in enumerate(plan.todos, 1)}
        creations, updates = [], []
        for todo in plan.todos:
            item = restatement.item(self.express(todo, plan), self.form)
            status = item.pop("status")
            creations.append(Call(CREATE, item))
            later = {
                "status": status if status != "pending" else None,
                "addBlockedBy": [numbers[id] for id in todo.details.blocked_by if id in numbers],
                "owner": todo.details.owner,
            }
            if any(later.values()):
                given = {key: value for key, value in later.items() if value}
                updates.append(Call(UPDATE, {"taskId": numbers[todo.id], **given}))
        return [*creations, *updates]

    def _answer(self, outcome: Outcome) -> tuple[str, JSON]:
        plan, change, tool = outcome.plan, outcome.change, outcome.tool
        if tool == CREATE and change is not None:
            task = self._created(outcome.payload, change)
            text = f"Task #{task.id} created successfully: {one_line(task.content)}"
            return text, {"task": {"id": task.id, "subject": task.content}}
        if tool == UPDATE and change is not None:
            id = _task_id(outcome.payload)
            todos = plan.todos  # those of a comparison are as they were, but for a status
            is_compared = bool(todos) and todos is self.compared[0] and todos is not change.before.todos
            fields = ["status"] if is_compared else _changed_fields(change, id)
            text = f"Updated task #{id} {', '.join(fields)}" if fields else f"Task #{id} is as it was"
            return text, {"success": True, "taskId": id, "updatedFields": fields}
        if tool == GET and (todo := plan.get(str(tasks.id_of(outcome.payload)))) is not None:
            return self._in_full(todo, plan), {"task": self._data(todo, plan)}
        return self.render(plan), {"tasks": [self._data(each, plan) for each in plan.todos]}

    def _created(self, payload: object, change: Change) -> Todo:
        """The task that a call has made; or a person's, in the same words, that the model did not know of."""
        for todo in change.after.todos:
            if change.before.get(todo.id) is None:
                return todo
        subject = tasks.created(payload, change.after, self.rules)[0].wishes[-1].content
        return next(todo for todo in change.after.todos if todo.content == subject)

    def _line(self, todo: Todo, plan: Plan) -> str:
        owner = f" ({one_line(todo.details.owner)})" if todo.details.owner else ""
        blockers = _numbers(other.id for other in plan.blockers(todo))
        waits = f" [blocked by {blockers}]" if blockers else ""
        return f"#{todo.id} [{self.express(todo, plan).status}] {one_line(todo.content)}{owner}{waits}"

    def _in_full(self, todo: Todo, plan: Plan) -> str:
        data = self._data(todo, plan)
        lines = [
            f"Task #{todo.id}: {one_line(todo.content)}",
            f"Status: {data['status']}",
            f"Description: {one_line(data['description'])}",
            f"Blocked by: {_numbers(data['blockedBy'])}" if data["blockedBy"] else "",
            f"Blocks: {_numbers(data['blocks'])}" if data["blocks"] else "",
        ]
        return "\n".join(line for line in lines if line)

    def _data(self, todo: Todo, plan: Plan) -> JSON:
        return {
            "id": todo.id,
            "subject": todo.content,
            "description": todo.details.description or todo.content,
            "status": str(self.express(todo, plan).status),
            "owner": todo.details.owner,
            "blockedBy": [id for id in todo.details.blocked_by if plan.get(id) is not None],
            "blocks": [other.id for other in plan.todos if todo.id in other.details.blocked_by],
        }

    def _update_schema(self) -> JSON:
        ids = {"type": "array", "items": _TEXT}
        status = {"type": "string", "enum": [*(str(status) for status in self.rules.statuses), DELETED]}
        more = {"status": status, "addBlocks": ids, "addBlockedBy": ids, "owner": _TEXT, "metadata": {"type": "object"}}
        return _object({"taskId": _TEXT, **self._texts(), **more, **self.asked_fields()}, ["taskId"])

    def _texts(self) -> JSON:
        text = schemas.text(self.rules)
        return {"subject": text, "description": _TEXT, "activeForm": text}


_TEXT: JSON = {"type": "string"}


def _object(properties: JSON, required: list[str]) -> JSON:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _numbers(ids: Iterable[str]) -> str:
    return ", ".join(f"#{id}" for id in ids)


_FIELDS = ("subject", "description", "activeForm", "status", "owner", "metadata", "blocks", "blockedBy")
"""The fields of a task that an answer may name, in this order."""

_PLACES = tuple(
    (field, Todo._fields.index(name))
    for field, name in (("subject", "content"), ("activeForm", "active_form"), ("status", "status"))
)
_DETAIL_PLACES = tuple(
    (field, Details._fields.index(name))
    for field, name in (
        ("description", "description"),
        ("owner", "owner"),
        ("metadata", "metadata"),
        ("blockedBy", "blocked_by"),
    )
)


def _task_id(payload: object) -> str:
    """The id in a call that was accepted. Most name it plainly; the others are read as they were before."""
    id = payload.get("taskId") if type(payload) is dict else None
    return id if type(id) is str and id.isdecimal() else str(tasks.id_of(payload))


def _changed_fields(change: Change, id: str) -> list[str]:
    """The fields of a task that an update changed, as the model calls them."""
    old, new = change.before.todos, change.after.todos
    if len(old) != len(new):
        return [DELETED]
    fields: list[str] = []
    for before, after in zip(old, new, strict=True):
        if before is after:
            continue
        if before[0] == id:
            fields += [field for field, place in _PLACES if before[place] != after[place]]
            if before.details is not after.details:
                fields += [field for field, at in _DETAIL_PLACES if before.details[at] != after.details[at]]
        elif before.details.blocked_by != after.details.blocked_by:
            fields.append("blocks")
    return fields if len(fields) < 2 else [field for field in _FIELDS if field in fields]
