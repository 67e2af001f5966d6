"""The `opencode` dialect: opencode's todowrite. The whole list with priorities in, the list back as JSON."""

from ..plan import PRIORITIES, Plan, Status
from ..rules import Rules
from .dialect import JSON, Dialect, Outcome, limited, with_notes
from .form import Form, Use
from .json_text import encode

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED, Status.CANCELLED)


class Opencode(Dialect):
    """Todos that say how much they matter."""

    name = "opencode"
    tool_name = "todowrite"
    description = "Write the todo list of this session: all of it, each time, every todo with its status and priority."
    prompt = """For work of three or more steps, keep a todo list with todowrite.
Mark a todo in_progress before you start it, only one at a time, completed as soon as it is done, cancelled if it is \
not needed."""
    form = Form({str(status): status for status in STATUSES}, priority=Use.REQUIRED)
    own_rules = Rules(max_in_progress=1, statuses=STATUSES)
    tells_all = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input."""
        items = {
            "type": "object",
            "properties": {
                "content": limited({"type": "string"}, "maxLength", self.rules.max_content),
                "status": {"type": "string", "enum": [str(status) for status in self.rules.statuses]},
                "priority": {"type": "string", "enum": list(PRIORITIES)},
            },
            "required": ["content", "status", "priority"],
            "additionalProperties": False,
        }
        todos = limited({"type": "array", "items": items}, "maxItems", self.rules.max_items)
        return {"type": "object", "properties": {"todos": todos}, "required": ["todos"]}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list as it is now; for the host, the same as data."""
        return with_notes(self.render(outcome.plan), outcome), {"todos": self.items(outcome.plan)}

    def render(self, plan: Plan) -> str:
        """The list as JSON."""
        return encode(self.items(plan), indent=2)
