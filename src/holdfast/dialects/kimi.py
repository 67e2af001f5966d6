"""The `kimi` dialect: Kimi CLI's SetTodoList. The whole list in, one sentence back; without a list, the list back."""

from ..plan import Plan, Status
from ..plan.rules import NO_LIMIT, Rules
from ..text import one_line
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "Todo list updated."


class Kimi(Dialect):
    """Titles that are pending, in progress or done; a call without a list reads it."""

    name = "kimi"
    tool_name = "SetTodoList"
    description = "Write the todo list: all of it, each time. Without todos it reads the list; [] clears it."
    prompt = """For work of several steps, keep a todo list with SetTodoList.
Mark a todo in_progress when you start it and done as soon as it is done. For what takes one step, do without it."""
    form = Form(
        {
            "pending": Status.PENDING,
            "in_progress": Status.IN_PROGRESS,
            "done": Status.COMPLETED,
            "completed": Status.COMPLETED,
        },
        names={"content": "title"},
        absent_reads=True,
    )
    own_rules = Rules(max_in_progress=NO_LIMIT, statuses=STATUSES)
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        return {"title": text(self.rules, minLength=1), "status": status(self.form, self.rules)}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The sentence, or the list if it was asked for."""
        return with_notes(self.render(outcome.plan) if outcome.is_look else UPDATED, outcome), None

    def render(self, plan: Plan) -> str:
        """One line per todo."""
        lines = [f"- [{item['status']}] {one_line(item['title'])}" for item in self.items(plan)]
        return "\n".join(lines) or "The todo list is empty."
