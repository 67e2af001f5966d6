"""From a call of a harness's own plan tool to the board of its conversation."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import dialects
from ..board import Board
from ..committing import Commits
from ..dialects import Dialect
from ..dialects.faults import joined
from ..dialects.task_reading import CREATE, LIST
from ..plan import Plan
from ..rules import PLAIN, Fault, Rules
from ..writing import Written, judged
from .event import Event
from .harnesses import Harness
from .tasks import NotATask, created, listed


class Recording(NamedTuple):
    """What became of a call: the plan before and after it, and why it was not taken, if so.

    `refusal` is for the model; `trouble` is for the log.
    """

    before: Plan
    after: Plan
    refusal: str = ""
    trouble: str = ""


def record(board: Board, event: Event, harness: Harness, rules: Rules, work: int) -> Recording:
    """Put the call of a plan's tool into the board. `work` counts other tools used since the last one."""
    rules = rules.over(PLAIN)  # the harness has taken it under its own: only a policy refuses it
    dialect = dialects.get(harness.dialect(event.tool)).under(rules)
    given = known(event.given, _schema(dialect, event.tool))
    if event.tool == CREATE:
        return _folded(board, rules, work, lambda plan, now: created(plan, given, event.result, now))
    if event.tool == LIST:
        return _folded(board, rules, work, lambda plan, now: listed(plan, event.result, now))
    before = board.plan
    board.work = work
    reply = board.write(given, dialect, event.tool)
    return _outcome(before, reply.plan, reply.faults)


def known(value: object, schema: Mapping[str, Any]) -> object:
    """A value without the keys that its schema does not have: a later harness may say more than we know of."""
    if isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        return {key: known(part, fields[key]) for key, part in value.items() if key in fields}
    if isinstance(value, list) and "items" in schema:
        return [known(part, schema["items"]) for part in value]
    return value


def _schema(dialect: Dialect, tool: str) -> Mapping[str, Any]:
    return next((each.schema for each in dialect.tools if each.name == tool), dialect.schema)


def _folded(board: Board, rules: Rules, work: int, fold: Callable[[Plan, float], Plan]) -> Recording:
    """Put tasks into the board by their own ids, again if another hook came first. Raises StoreError."""

    def step(plan: Plan, now: float) -> Written | list[Fault]:
        result = judged(plan, fold(plan, now), rules, "tasks", work, failures=0)
        if isinstance(result, list):
            return result
        if result.plan.todos == plan.todos and not plan.edits:
            return Written(plan)
        return Written(result.plan._replace(revision=plan.revision + 1))  # one change, however many tasks are in it

    try:
        made = Commits(board.store, board.key, time.time).make(step, "model", "write")
    except NotATask as why:
        return Recording(board.plan, board.plan, trouble=str(why))
    if isinstance(made, list):
        return _outcome(board.plan, board.plan, made)
    change, _ = made
    return Recording(change.before, change.after)


def _outcome(before: Plan, after: Plan, faults: Sequence[Fault]) -> Recording:
    if not faults:
        return Recording(before, after)
    if faults[0].code == "no_work":
        return Recording(before, after, refusal=f"Not recorded as done: {faults[0].message}.")
    return Recording(before, after, trouble=joined(faults))
