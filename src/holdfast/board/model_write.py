"""A model's call as a step of the plan: read in its dialect, checked, and written."""

from typing import NamedTuple

from ..dialects import Dialect
from ..plan import Plan, model_write
from ..plan.edits import describe as describe_edits
from ..plan.edits import mark_told, model_view
from ..plan.fault import Fault, Refusal
from ..plan.model_write import Terms
from ..plan.repair import repair
from ..plan.rules import check
from ..plan.step import Written
from ..plan.work import Work
from ..text import describe


class ModelWrite(NamedTuple):
    """What a model asks of its plan. `tool` is the tool that it called, for dialects that have several."""

    payload: object
    dialect: Dialect
    tool: str
    work: Work
    runs_checks: bool = False

    def write(self, plan: Plan, now: float) -> Written | Refusal:
        """The plan after the call, or what is wrong with it."""
        dialect = self.dialect
        if self.tool and self.tool not in dialect.tool_names:
            return Refusal((self._unknown_tool(),))
        terms = Terms(dialect.rules, dialect.form.list_field, self.work, self.runs_checks)
        seen = model_view(plan)
        repaired: tuple[str, ...] = ()
        draft, faults = dialect.read(self.payload, seen, self.tool, self._compares(plan))
        if terms.rules.repair:
            draft, repaired = repair(seen, draft, terms.rules)
        faults += check(draft, terms.rules, terms.list_field)
        return Refusal(tuple(faults)) if faults else model_write.write(plan, draft, terms, now, repaired)

    def _compares(self, plan: Plan) -> bool:
        """Whether it is enough to know which todos a list only restates. If not, each of them is read in full."""
        rules = self.dialect.rules
        return not (plan.edits or rules.repair or rules.keep_open or rules.checks or not plan.open)

    @property
    def is_look(self) -> bool:
        """Whether the call only asks for the plan. A payload that breaks when it is looked at is left to `write`."""
        try:
            return self.dialect.is_look(self.payload, self.tool)
        except Exception:
            return False

    def look(self, plan: Plan, now: float) -> Written | Refusal:
        """The plan as the model asked to see it. After that, it knows what people did."""
        _, faults = self.dialect.read(self.payload, plan, self.tool)
        if faults:
            return Refusal(tuple(faults))
        return mark_told(plan, now)._replace(notes=(describe_edits(plan),) if plan.edits else ())

    def _unknown_tool(self) -> Fault:
        names = ", ".join(self.dialect.tool_names)
        return Fault("", f"no tool {describe(self.tool)}; {self.dialect.name} has {names}", "unknown_tool")
