"""The `qwen` dialect: Qwen Code's todo_write. The whole list with the model's own ids in, the list back as JSON."""

from ..plan import Plan, Status
from ..plan.rules import Rules
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form, Use
from .reading.json_text import encode
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
LONGEST_ID = 500
UPDATED = "The todo list is saved:"


class Qwen(Dialect):
    """Todos that the model names itself, and that may wait for each other."""

    name = "qwen"
    tool_name = "todo_write"
    description = "Write the todo list: all of it, each time, every todo with an id of its own. The user sees it."
    prompt = """For work of several steps, keep a todo list with todo_write.
- Mark a todo in_progress before you start it, at most one, and completed as soon as it is done.
- blockedBy names the ids of todos that must be completed first; left out it stays as it is, [] ends it."""
    form = Form(
        {str(status): status for status in STATUSES},
        id=Use.REQUIRED,
        blocked_by=Use.OPTIONAL,
        keeps_ids=True,
        longest_id=LONGEST_ID,
    )
    own_rules = Rules(max_in_progress=1, statuses=STATUSES)
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        id = {"type": "string", "minLength": 1, "maxLength": LONGEST_ID}
        return {
            "id": id,
            "content": text(self.rules, minLength=1),
            "status": status(self.form, self.rules),
            "blockedBy": {"type": "array", "items": id},
        }

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """A sentence and the list; for the host, the same as data."""
        text = f"{UPDATED} {self.render(outcome.plan)}"
        return with_notes(text, outcome), {"todos": self.items(outcome.plan)}

    def render(self, plan: Plan) -> str:
        """The list as JSON, on one line."""
        return encode(self.items(plan))
