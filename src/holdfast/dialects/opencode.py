"""The `opencode` dialect: opencode's todowrite. The whole list with priorities in, the list back as JSON."""

from ..plan import PRIORITIES, Plan, Status
from ..plan.rules import Rules
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form, Use
from .reading.json_text import encode
from .reading.schemas import JSON, status, text

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
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        priority = {"type": "string", "enum": list(PRIORITIES)}
        return {"content": text(self.rules), "status": status(self.form, self.rules), "priority": priority}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list as it is now; for the host, the same as data."""
        return with_notes(self.render(outcome.plan), outcome), {"todos": self.items(outcome.plan)}

    def render(self, plan: Plan) -> str:
        """The list as JSON."""
        return encode(self.items(plan), indent=2)
