"""The `sema` dialect: the whole list in, a fixed sentence back; the list is for the user to see."""

from ..plan import IN_PROGRESS, Plan, Status
from ..plan.fault import CHECK_FAILED, NOT_CHECKED, Fault
from ..plan.rules import NO_LIMIT, Rules
from ..text import one_line
from .dialect import Dialect, Outcome, with_notes
from .reading.faults import describe_fault
from .reading.form import Form, Use
from .reading.schemas import JSON, status, text
from .shell import only_in_progress

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "The todo list was updated. Keep it current as you work, and go on with the task in progress."
MARKS = {
    Status.PENDING: "○",
    Status.IN_PROGRESS: "●",
    Status.COMPLETED: "✓",
    Status.CANCELLED: "✗",
    Status.BLOCKED: "!",
}

MALFORMED, FOCUS, BLANK_CONTENT, BLANK_ACTIVE_FORM = 1, 2, 3, 5
WORDS = frozenset(
    {"plan_mode", "second_write", "no_work", "evidence", CHECK_FAILED, NOT_CHECKED, "store", "in_doubt", "internal"}
)
"""Codes of faults that come from the situation, not from the payload's shape: they are not replaced by numbers."""


class Sema(Dialect):
    """A list that a host shows, with short replies to the model."""

    name = "sema"
    description = (
        "Create and update the list of todos for this session: all of it, each time. "
        "For work of several steps; it shows the user where you are."
    )
    prompt = """TodoWrite keeps the list of todos that the user sees.
- Before work of several steps, write all of it, every todo pending.
- Mark a todo in_progress when you start it, at most one at a time, and completed when it is done.
- What you find on the way goes on the list too."""
    form = Form({str(status): status for status in STATUSES}, active_form=Use.REQUIRED)
    is_strict = True
    own_rules = Rules(max_items=NO_LIMIT, max_content=NO_LIMIT, max_in_progress=1, statuses=STATUSES, advance=False)

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo: no id, so a model always writes the whole list."""
        words = text(self.rules, minLength=1)
        return {"content": words, "status": status(self.form, self.rules), "activeForm": words}

    def order(self, fault: Fault) -> tuple[int, ...]:
        """Faults of shape first, then the focus, then empty contents, then empty active forms."""
        return (_code(fault), *super().order(fault))

    def phrase(self, fault: Fault) -> Fault:
        """The fault with the dialect's own code and words."""
        code = _code(fault)
        if code == FOCUS:
            message = only_in_progress(fault)
        elif code in (BLANK_CONTENT, BLANK_ACTIVE_FORM):
            message = f"Todo at index {fault.item} has empty {fault.field}"
        else:
            message = one_line(describe_fault(fault))
        return fault._replace(code=fault.code if fault.code in WORDS else code, message=message)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The fixed sentence."""
        return with_notes(UPDATED, outcome), None

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The message, and its code for the host."""
        fault = outcome.faults[0]
        return f"Error: {fault.message}", {"code": fault.code, "message": fault.message}

    def render(self, plan: Plan) -> str:
        """One line per todo, for the host to show."""
        return "\n".join(
            f"{MARKS[todo.status]} {one_line(todo.label if todo.status is IN_PROGRESS else todo.content)}"
            for todo in plan.todos
        )


def _code(fault: Fault) -> int:
    if fault.code == "focus":
        return FOCUS
    if fault.code == "blank":
        return BLANK_CONTENT if fault.field == "content" else BLANK_ACTIVE_FORM
    return MALFORMED
