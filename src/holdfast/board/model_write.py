"""A model's call as a step of the plan: read in its dialect, checked, and written."""

from typing import NamedTuple

from ..dialects import Dialect
from ..plan import Plan, model_write
from ..plan.edits import describe as describe_edits
from ..plan.edits import mark_told, model_view
from ..plan.fault import Fault, Refusal
from ..plan.model_write import Terms
from ..plan.rules import check
from ..plan.step import Written
from ..plan.work import Work
from ..text import describe

_new = tuple.__new__


class ModelWrite(NamedTuple):
    """What a model asks of its plan. `tool` is the tool that it called, for dialects that have several."""

    payload: object
    dialect: Dialect
    tool: str
    work: Work
    runs_checks: bool = False

    def write(self, plan: Plan, now: float) -> Written | Refusal:
        """The plan after the call, or what is wrong with it."""
        payload, dialect, tool, work, _ = self
        if tool and tool not in dialect.tool_names:
            return Refusal((self._unknown_tool(),))
        rules = dialect.rules
        restated = dialect.restated(payload, plan, now, tool)
        if restated is not None:
            completed = restated.completed or ()
            if len(completed) < 2 and not (work.uses or rules.work_before_done or rules.evidence == "required"):
                return restated  # `accept` would have nothing to add
            return model_write.accept(plan, restated.plan, self._terms, (), restated.is_update, completed)
        notes: tuple[str, ...] = ()
        seen = model_view(plan) if plan.edits else plan
        draft, faults = dialect.read(payload, seen, tool)
        if rules.repair:
            from ..plan.repair import repair  # not before a board asks for it

            draft, notes = repair(seen, draft, rules)
        faults += check(draft, rules, dialect.form.list_field)
        if faults:
            return Refusal(tuple(faults))
        return model_write.write(plan, draft, self._terms, now, notes)

    @property
    def _terms(self) -> Terms:
        _, dialect, _, work, runs_checks = self
        return _new(Terms, (dialect.rules, dialect.form.list_field, work, runs_checks))

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
