"""From a call of a harness's own plan tool to the board of its conversation."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .. import dialects
from ..board import TRIES, Board
from ..errors import StaleRevision, StoreError
from ..plan import Change, Plan, Status
from ..rules import NO_LIMIT, Fault, Rules
from ..writing import judged
from .event import Event
from .harnesses import Harness
from .tasks import Call, NotATask, folded

RECORDED = Rules(
    max_items=NO_LIMIT,
    max_content=NO_LIMIT,
    max_in_progress=NO_LIMIT,
    statuses=tuple(Status),
    advance=False,
    work_before_done=False,
    keep_open=False,
    point_out=False,
)
"""The harness has taken the call under its own rules: it is not for us to refuse it, unless a policy says so."""


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
    rules = rules.over(RECORDED)
    if event.tool in harness.tasks:
        return _task(board, event, rules, work)
    before = board.plan
    board.work = work
    reply = board.write(event.given, dialects.get(harness.lists[event.tool]).under(rules))
    return _outcome(before, reply.plan, reply.faults)


def _task(board: Board, event: Event, rules: Rules, work: int) -> Recording:
    call = Call(event.tool, _mapping(event.given), _mapping(event.result))
    for _ in range(TRIES):
        before, now = board.plan, time.time()
        try:
            after = folded(before, call, now)
        except NotATask as why:
            return Recording(before, before, trouble=str(why))
        result = judged(before, after, rules, "tasks", work)
        if isinstance(result, list):
            return _outcome(before, before, result)
        if result.plan.revision == before.revision:
            return Recording(before, before)
        try:
            board.store.commit(board.key, Change(before, result.plan))
        except StaleRevision:
            continue
        return Recording(before, result.plan)
    raise StoreError(f"others wrote first, {TRIES} times in a row")


def _outcome(before: Plan, after: Plan, faults: Sequence[Fault]) -> Recording:
    if not faults:
        return Recording(before, after)
    told = "; ".join(f"{fault.path}: {fault.message}" for fault in faults)
    if faults[0].code == "no_work":
        return Recording(before, after, refusal=f"Not recorded as done: {faults[0].message}.")
    return Recording(before, after, trouble=told)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
