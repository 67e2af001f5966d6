"""The `claude-code` dialect: Claude Code's TodoWrite. The whole list in, a fixed sentence back."""

from ..plan import Change, Plan, Status
from ..plan.rules import Rules
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form, Use
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "The todo list is saved. Keep it current, and go on with the todo in progress."


class ClaudeCode(Dialect):
    """A list for the user to see. When all of it is completed, it is empty for the model."""

    name = "claude-code"
    tool_name = "TodoWrite"
    description = "Write the todo list of this session: all of it, each time. The user sees it."
    prompt = """For work of three or more steps, keep a todo list with TodoWrite.
- content says what to do ("Run the tests"), activeForm the same while it is being done ("Running the tests").
- Mark a todo in_progress before you start it, only one at a time, and completed as soon as it is really done."""
    form = Form(
        {str(status): status for status in STATUSES}, active_form=Use.REQUIRED, aliases={"active_form": "activeForm"}
    )
    own_rules = Rules(max_in_progress=1, statuses=STATUSES)
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        words = text(self.rules, minLength=1)
        return {"content": words, "status": status(self.form, self.rules), "activeForm": words}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The fixed sentence; for the host, the list before and after."""
        data = {"oldTodos": self._old(outcome.change), "newTodos": self.items(outcome.plan)}
        return with_notes(UPDATED, outcome), data

    def render(self, plan: Plan) -> str:
        """One line per todo; an empty list when there is nothing left to do."""
        return super().render(Plan() if plan.is_finished else plan)

    def _old(self, change: Change | None) -> list[JSON]:
        return [] if change is None or change.before.is_finished else self.items(change.before)
