"""The `gemini` dialect: Gemini CLI's write_todos. The whole list in, the list back, one numbered line per todo."""

from ..plan import Plan, Status
from ..plan.rules import Rules
from ..text import one_line
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED, Status.CANCELLED, Status.BLOCKED)
UPDATED = "The todo list is saved. It is now:"
CLEARED = "The todo list is cleared."


class Gemini(Dialect):
    """Subtasks of what the user asked for, also those that were dropped or wait."""

    name = "gemini"
    tool_name = "write_todos"
    description = "Write the list of subtasks for what the user asked: all of it, each time. It replaces the old one."
    prompt = """For work of several steps, keep the list of subtasks with write_todos.
- Mark one in_progress before you start it, only one at a time, and completed as soon as it is done.
- What is not needed any more is cancelled, what has to wait is blocked; add what you find on the way."""
    form = Form({str(status): status for status in STATUSES}, names={"content": "description"})
    own_rules = Rules(max_in_progress=1, statuses=STATUSES)
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        return {"description": text(self.rules), "status": status(self.form, self.rules)}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """A sentence and the list, or that it is cleared; for the host, the items."""
        plan = outcome.plan
        text = f"{UPDATED}\n{self.render(plan)}" if plan.todos else CLEARED
        return with_notes(text, outcome), {"todos": self.items(plan)}

    def render(self, plan: Plan) -> str:
        """One numbered line per todo."""
        lines = [f"{place}. [{todo.status}] {one_line(todo.content)}" for place, todo in enumerate(plan.todos, 1)]
        return "\n".join(lines) or "No todos."
