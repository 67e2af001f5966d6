"""The `langchain` dialect: write_todos of LangChain and deepagents. The whole list in, the list echoed."""

from ..plan import Plan, Status
from ..plan.rules import NO_LIMIT, Rules
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form
from .reading.json_text import encode
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "The todo list is now"


class Langchain(Dialect):
    """Contents and statuses; several may be in progress, for work that runs in parallel."""

    name = "langchain"
    tool_name = "write_todos"
    description = "Write your todo list: all of it, each time. For work of three or more steps."
    prompt = """For work of three or more steps, keep a todo list with write_todos; one call a turn.
Mark a todo in_progress before you start it, and completed as soon as it is done. Change it when you learn more."""
    form = Form({str(status): status for status in STATUSES})
    own_rules = Rules(max_in_progress=NO_LIMIT, statuses=STATUSES)
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        return {"content": text(self.rules), "status": status(self.form, self.rules)}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list, echoed; for the host, as the state that its other parts expect."""
        text = f"{UPDATED} {self.render(outcome.plan)}"
        return with_notes(text, outcome), {"todos": self.items(outcome.plan)}

    def render(self, plan: Plan) -> str:
        """The list as JSON, on one line."""
        return encode(self.items(plan))
