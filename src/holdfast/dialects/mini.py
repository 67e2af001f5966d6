"""The `mini` dialect: the whole list in, the rendered list back."""

from ..plan import IN_PROGRESS, Plan, Status
from ..plan.fault import Fault
from ..plan.rules import NO_LIMIT, Rules
from ..text import one_line
from .dialect import MARKS, Dialect, Outcome, with_notes
from .reading.form import Form, Use
from .reading.schemas import JSON, status, text
from .shell import only_in_progress

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)


class Mini(Dialect):
    """Three constraints, a checklist back: small enough to read in a minute."""

    name = "mini"
    description = "Update the task list. Use to plan and track progress."
    prompt = """Use TodoWrite for work of several steps: write the whole list each time, at most one item in_progress.
Mark an item in_progress before you start it and completed as soon as it is done."""
    form = Form(
        {str(status): status for status in STATUSES},
        list_field="items",
        default_status=Status.PENDING,
        active_form=Use.REQUIRED,
        any_case=True,
        drops_unknown=True,
        trims=True,
    )
    is_strict = True
    own_rules = Rules(max_items=20, max_content=NO_LIMIT, max_in_progress=1, statuses=STATUSES, advance=False)

    def own_fields(self) -> JSON:
        """The fields of a todo; the status may be left out."""
        return {
            "content": text(self.rules, description="Task description"),
            "status": status(self.form, self.rules),
            "activeForm": text(self.rules, description="Present tense action, e.g. 'Reading files'"),
        }

    def order(self, fault: Fault) -> tuple[int, ...]:
        """The items first, then their number, then the focus."""
        stage, *rest = super().order(fault)
        return (3, 1) if fault.code == "too_many" else (stage, 0, *rest)

    def phrase(self, fault: Fault) -> Fault:
        """The fault in the dialect's own words."""
        match fault.code:
            case "missing" | "blank":
                message = f"{fault.field} required"
            case "type":
                message = f"{_subject(fault)}must be {fault.limit}, received {fault.received}"
            case "status":
                message = f"invalid status {fault.received.lower()}"
            case "too_many":
                message = f"Max {fault.limit} todos allowed"
            case "focus":
                message = only_in_progress(fault)
            case "too_long":
                message = f"{fault.field}: {fault.message}"
            case _:
                message = one_line(fault.message)
        return fault._replace(message=message if fault.item is None else f"Item {fault.item}: {message}")

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list as it is now."""
        return with_notes(self.render(outcome.plan), outcome), None

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """What was wrong."""
        return f"Error: {outcome.faults[0].message}", None

    def render(self, plan: Plan) -> str:
        """One line per item, a blank line, and how many are completed."""
        if not plan.todos:
            return "No todos."
        lines = []
        for todo in plan.todos:
            doing = f" <- {one_line(todo.label)}" if todo.status is IN_PROGRESS else ""
            lines.append(f"{MARKS[todo.status]} {one_line(todo.content)}{doing}")
        completed = plan.counts()[Status.COMPLETED]
        return "\n".join([*lines, "", f"({completed}/{len(plan.todos)} completed)"])


def _subject(fault: Fault) -> str:
    """What a wrong type belongs to: a field, the whole input, or the item that the message already names."""
    if fault.field:
        return f"{fault.field} "
    return "input " if fault.item is None else ""
