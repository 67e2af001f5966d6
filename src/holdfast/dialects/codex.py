"""The `codex` dialect: Codex' update_plan. The whole list in, two words back."""

from ..plan import Status
from ..plan.rules import Rules
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "Plan updated"


class Codex(Dialect):
    """A plan of steps, with an explanation of why it changed."""

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
    reports_all_faults = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input: before the plan comes an explanation of why it changed."""
        schema = super().own_schema()
        return {**schema, "properties": {"explanation": {"type": "string"}, **schema["properties"]}}

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        return {"step": text(self.rules), "status": status(self.form, self.rules)}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The two words."""
        return with_notes(UPDATED, outcome), None
