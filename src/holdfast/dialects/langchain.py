"""The `langchain` dialect: write_todos of LangChain and deepagents. The whole list in, the list echoed."""

from ..plan import Plan, Status
from ..rules import NO_LIMIT, Rules
from .dialect import JSON, Dialect, Outcome, limited, with_notes
from .form import Form
from .json_text import encode

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "The todo list is now"


class Langchain(Dialect):
    """Contents and statuses; several may be in progress, for work that runs side by side."""

    name = "langchain"
    tool_name = "write_todos"
    description = "Write your todo list: all of it, each time. For work of three or more steps."
    prompt = """For work of three or more steps, keep a todo list with write_todos; one call a turn.
Mark a todo in_progress before you start it, and completed as soon as it is done. Change it when you learn more."""
    form = Form({str(status): status for status in STATUSES})
    own_rules = Rules(max_in_progress=NO_LIMIT, statuses=STATUSES)
    tells_all = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input."""
        items = {
            "type": "object",
            "properties": {
                "content": limited({"type": "string"}, "maxLength", self.rules.max_content),
                "status": {"type": "string", "enum": [str(status) for status in self.rules.statuses]},
            },
            "required": ["content", "status"],
            "additionalProperties": False,
        }
        todos = limited({"type": "array", "items": items}, "maxItems", self.rules.max_items)
        return {"type": "object", "properties": {"todos": todos}, "required": ["todos"]}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list, echoed; for the host, as the state that its other parts expect."""
        text = f"{UPDATED} {self.render(outcome.plan)}"
        return with_notes(text, outcome), {"todos": self.items(outcome.plan)}

    def render(self, plan: Plan) -> str:
        """The list as JSON, on one line."""
        return encode(self.items(plan))
