"""A clock that jumps, forward and back, by years: plans stay whole, durations are never negative."""

import random
from collections.abc import Callable

from holdfast import Board, Status
from holdfast.plan.pace import pace
from holdfast.stores import codec
from holdfast.terminal.durations import duration

from .tally import TortureResult

WHAT = "writes under a clock that jumps"
JUMPS = (0.0, 1e-9, 0.5, 60.0, 3600.0, 86_400.0, 3e7, 1e9)


def torture_clock(seed: int, times: int) -> TortureResult:
    """So many writes, each at a different time."""
    chance = random.Random(seed)
    clock = _jumping_clock(chance)
    lost, board = [], Board(clock=clock)
    for number in range(times):
        if number % 50 == 0:
            board = Board(clock=clock)
        todos = [{"content": f"step {step}", "status": str(chance.choice(list(Status)[:3]))} for step in range(3)]
        board.write({"todos": [{**todo, "status": "pending"} for todo in todos]})
        board.write({"todos": [{"id": str(chance.randrange(1, 4)), "status": str(chance.choice(list(Status)))}]})
        lost += [f"write {number}, seed {seed}: {loss}" for loss in _broken_promises(board, clock())]
    return TortureResult(WHAT, times * 2, tuple(lost))


def _jumping_clock(chance: random.Random) -> Callable[[], float]:
    now = 1.7e9

    def clock() -> float:
        nonlocal now
        now = max(now + chance.choice((-1, 1)) * chance.choice(JUMPS), 0.0)
        return now

    return clock


def _broken_promises(board: Board, now: float) -> list[str]:
    plan = board.plan
    found = []
    if codec.plan_from_json(codec.plan_to_json(plan)) != plan:
        found.append("what is kept is not what is read")
    if [record.change.after.revision for record in board.history()] != list(range(plan.revision, 0, -1)):
        found.append("the history is out of order")
    if any("-" in duration(now - todo.created_at) for todo in plan.todos) or pace(plan, now) not in (0, 1, 2):
        found.append("a view shows a negative time")
    return found
