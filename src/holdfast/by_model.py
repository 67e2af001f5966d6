"""What a model asks of a plan, as a step: its payload read in a dialect, checked, and written upon the plan."""

from . import edits
from .by_hand import Step
from .dialects import Dialect
from .plan import Plan
from .rules import Fault, check
from .sweeping import swept
from .text import describe
from .writing import Written, judged, written


def write(payload: object, dialect: Dialect, tool: str, work: int, failures: int) -> Step:
    """A model's write. `work` counts other tools used since the last one, `failures` those that failed."""
    form, rules = dialect.form, dialect.rules

    def step(plan: Plan, now: float) -> Written | list[Fault]:
        after = swept(plan, payload, form, rules, now)
        if after is not None:
            return judged(plan, after, rules, form.list_field, work, failures)
        draft, faults = dialect.read(payload, edits.seen(plan) if plan.edits else plan, tool)
        faults += check(draft, rules, form.list_field)
        return faults or written(plan, draft, rules, form.list_field, work, now, failures)

    return step


def unknown_tool(tool: str, dialect: Dialect) -> Fault | None:
    """The fault of a call to a tool that the dialect does not have."""
    if not tool or tool in dialect.tool_names:
        return None
    return Fault("", f"no tool {describe(tool)}; {dialect.name} has {', '.join(dialect.tool_names)}", "unknown_tool")
