"""The `hermes` dialect: Hermes Agent's todo. The whole list in, or by id what changes; the list back with counts."""

from collections.abc import Mapping
from functools import cached_property

from ..plan import Draft, Plan, Status, Wish
from ..plan.fault import Fault
from ..plan.rules import NO_LIMIT, Rules
from .dialect import NO_CHANGE, NO_PLAN, Dialect, Outcome
from .reading.faults import missing, wrong_type
from .reading.form import Form, Use
from .reading.json_text import encode
from .reading.payload import body_of, read
from .reading.schemas import JSON, status, text, todos

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED, Status.CANCELLED)


class Hermes(Dialect):
    """Todos in the order that matters, each with the model's own id; every call answers with all of them."""

    name = "hermes"
    tool_name = "todo"
    description = (
        "Write the todo list; without todos, read it. With merge: true, only what changes: todos by id, and new ones. "
        "Their order is their priority."
    )
    prompt = """For work of three or more steps, keep a todo list with the tool todo.
Mark one todo in_progress, completed as soon as it is really done, cancelled if it failed or is not needed."""
    form = Form(
        {str(status): status for status in STATUSES},
        default_status=Status.PENDING,
        id=Use.OPTIONAL,
        keeps_ids=True,
        absent_reads=True,
    )
    own_rules = Rules(max_items=256, max_content=4000, max_in_progress=NO_LIMIT, statuses=STATUSES)
    mark = '{{"todos": [{{"id": "{id}", "status": "{status}"}}], "merge": true}}'
    reports_all_faults = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input. With `merge` an item may leave out what it does not change."""
        items = {"type": "object", "properties": self.own_fields(), "additionalProperties": False}
        properties = {"todos": todos(self.rules, items), "merge": {"type": "boolean"}}
        return {"type": "object", "properties": properties, "required": []}

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        return {"id": {"type": "string"}, "content": text(self.rules), "status": status(self.form, self.rules)}

    @cached_property
    def _merging_form(self) -> Form:
        return self.form._replace(id=Use.REQUIRED, partial=True)

    def is_look(self, payload: object, tool: str = "") -> bool:
        """Whether a call only asks for the plan: it has no list."""
        body = body_of(payload, self.form)
        return isinstance(body, Mapping) and body.keys() <= {"todos", "merge"} and body.get("todos") is None

    def read(self, payload: object, plan: Plan = NO_PLAN, tool: str = "") -> tuple[Draft, list[Fault]]:
        """What a payload asks for: the whole list, or with `merge` what changes in it."""
        body = body_of(payload, self.form)
        if isinstance(body, Fault):
            return NO_CHANGE, [body]
        merge = body.get("merge", False)
        if not isinstance(merge, bool):
            return NO_CHANGE, [wrong_type("merge", None, "merge", "true or false", merge)]
        if not merge or self.is_look(body):
            return super().read(body, plan, tool)
        draft, faults = read(body, self._merging_form, self.rules)
        draft = self.without_restatements(draft._replace(merge=True), plan)
        new = [(place, wish) for place, wish in enumerate(draft.wishes) if plan.get(wish.id or "") is None]
        faults += [_missing_text(place, wish) for place, wish in new if wish.id is not None and wish.content is None]
        return (_as_whole_list(draft, plan) if new and plan.open else draft), faults

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list with its counts, and what else the model must read."""
        todos = self.items(outcome.plan)
        shown = [todo["status"] for todo in todos]
        notes = [*(notice.text for notice in outcome.notices), *outcome.notes]
        data: JSON = {
            "todos": todos,
            "summary": {"total": len(todos), **{str(status): shown.count(status) for status in STATUSES}},
            **({"note": "\n".join(notes)} if notes else {}),
        }
        return encode(data), data

    def render(self, plan: Plan) -> str:
        """The list as JSON, on one line."""
        return encode(self.items(plan))


def _as_whole_list(draft: Draft, plan: Plan) -> Draft:
    """An update that names new todos, as the whole list: so they keep the ids that the model gave them."""
    asked = {wish.id: wish for wish in draft.wishes}
    return draft._replace(
        wishes=[*(asked.pop(todo.id, Wish(todo.id)) for todo in plan.todos), *asked.values()], merge=False
    )


def _missing_text(place: int, wish: Wish) -> Fault:
    return missing(f"todos[{place}].content", place, "content", f"required: there is no todo {wish.id} yet")
