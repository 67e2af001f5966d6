"""From a call of a harness's own plan tool to the board of its conversation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ... import dialects
from ...board import Board
from ...dialects import Dialect
from ...dialects.reading.faults import describe_faults
from ...dialects.reading.tasks import CREATE, LIST
from ...plan import Plan
from ...plan.fault import Fault, Refusal
from ...plan.model_write import Terms, accept
from ...plan.rules import PLAIN, Rules
from ...plan.step import Written
from ...plan.work import counted_work
from .event import HookEvent
from .harnesses import Harness
from .tasks import NotATask, with_created_task, with_listed_tasks


class Recording(NamedTuple):
    """The result of a call: the plan before and after it, and why it was not recorded, if so.

    `refusal` is for the model; `trouble` is for the log.
    """

    before: Plan
    after: Plan
    refusal: str = ""
    trouble: str = ""


def record(board: Board, event: HookEvent, harness: Harness, rules: Rules, work: int) -> Recording:
    """Record the call of a plan tool on the board. `work` counts other tools used since the last one."""
    # the harness has accepted it by its own rules: a policy may refuse it, but it is recorded as it is
    rules = rules.over(PLAIN).replace(repair=False)
    dialect = dialects.get(harness.dialect(event.tool)).with_rules(rules)
    arguments = keep_known(event.arguments, _schema(dialect, event.tool))
    if event.tool == CREATE:
        result = event.result
        return _record_tasks(board, rules, work, lambda plan, now: with_created_task(plan, arguments, result, now))
    if event.tool == LIST:
        return _record_tasks(board, rules, work, lambda plan, now: with_listed_tasks(plan, event.result, now))
    before = board.plan
    board.resume_work(counted_work(work, 0))
    reply = board.write_in(dialect, arguments, event.tool)
    return _recording(before, reply.plan, reply.faults)


def keep_known(value: object, schema: Mapping[str, Any]) -> object:
    """A value without the keys that its schema does not have: a newer harness may send more than we know."""
    if isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        return {key: keep_known(part, fields[key]) for key, part in value.items() if key in fields}
    if isinstance(value, list) and "items" in schema:
        return [keep_known(part, schema["items"]) for part in value]
    return value


def _schema(dialect: Dialect, tool: str) -> Mapping[str, Any]:
    return next((each.schema for each in dialect.tools if each.name == tool), dialect.schema)


def _record_tasks(board: Board, rules: Rules, work: int, fold: Callable[[Plan, float], Plan]) -> Recording:
    """Record tasks on the board by their own ids, again if another hook came first."""

    def step(plan: Plan, now: float) -> Written | Refusal:
        try:
            after = fold(plan, now)
        except NotATask as reason:
            return Refusal((Fault("", str(reason), "not_a_task"),))
        result = accept(plan, after, Terms(rules, "tasks", counted_work(work, 0)))
        if isinstance(result, Refusal):
            return result
        if result.plan.todos == plan.todos and not plan.edits:
            return Written(plan)
        return Written(result.plan._replace(revision=plan.revision + 1))  # one change, however many tasks are in it

    reply = board.apply(step, "write", by="model")
    if reply.change is None:
        return _recording(reply.plan, reply.plan, reply.faults)
    return Recording(reply.change.before, reply.change.after)


def _recording(before: Plan, after: Plan, faults: Sequence[Fault]) -> Recording:
    if not faults:
        return Recording(before, after)
    if faults[0].code == "no_work":
        return Recording(before, after, refusal=f"Not recorded as done: {faults[0].message}.")
    return Recording(before, after, trouble=describe_faults(faults))
