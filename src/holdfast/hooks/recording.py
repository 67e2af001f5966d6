"""From a call of a harness's own plan tool to the board of its conversation."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import dialects
from ..board import TRIES, Board
from ..dialects import Dialect
from ..dialects.task_reading import CREATE, LIST
from ..errors import StaleRevision, StoreError
from ..plan import Change, Plan
from ..rules import PLAIN, Fault, Rules
from ..writing import judged
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
    for _ in range(TRIES):
        before = board.plan
        try:
            after = fold(before, time.time())
        except NotATask as why:
            return Recording(before, before, trouble=str(why))
        result = judged(before, after, rules, "tasks", work)
        if isinstance(result, list):
            return _outcome(before, before, result)
        if result.plan.todos == before.todos and not before.edits:
            return Recording(before, before)
        after = result.plan._replace(revision=before.revision + 1)  # one change, however many tasks are in it
        try:
            board.store.commit(board.key, Change(before, after))
        except StaleRevision:
            continue
        return Recording(before, after)
    raise StoreError(f"others wrote first, {TRIES} times in a row")


def _outcome(before: Plan, after: Plan, faults: Sequence[Fault]) -> Recording:
    if not faults:
        return Recording(before, after)
    if faults[0].code == "no_work":
        return Recording(before, after, refusal=f"Not recorded as done: {faults[0].message}.")
    return Recording(before, after, trouble="; ".join(f"{fault.path}: {fault.message}" for fault in faults))
