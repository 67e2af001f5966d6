"""The `codex` dialect: Codex' update_plan. The whole list in, two words back."""

from ..plan import Status
from ..rules import Rules
from .dialect import JSON, Dialect, Outcome, limited, with_notes
from .form import Form

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "Plan updated"


class Codex(Dialect):
    """A plan of steps, with a word on why it changed."""

    name = "codex"
    tool_name = "update_plan"
    description = (
        "Write your plan: every step with its status, at most one in_progress. Say in explanation why it changed."
    )
    prompt = """For work of several steps, keep a plan with update_plan: all steps, each time.
Mark a step completed as soon as it is done and the next one in_progress, in one call."""
    form = Form(
        {str(status): status for status in STATUSES},
        list_field="plan",
        names={"content": "step"},
        remarks=("explanation",),
    )
    own_rules = Rules(max_in_progress=1, statuses=STATUSES)
    tells_all = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input."""
        items = {
            "type": "object",
            "properties": {
                "step": limited({"type": "string"}, "maxLength", self.rules.max_content),
                "status": {"type": "string", "enum": [str(status) for status in self.rules.statuses]},
            },
            "required": ["step", "status"],
            "additionalProperties": False,
        }
        plan = limited({"type": "array", "items": items}, "maxItems", self.rules.max_items)
        return {
            "type": "object",
            "properties": {"explanation": {"type": "string"}, "plan": plan},
            "required": ["plan"],
        }

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The two words."""
        return with_notes(UPDATED, outcome), None
