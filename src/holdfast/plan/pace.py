"""How a plan goes on, and in which order sessions are shown, the same in every view.

What is running comes first, then what waits, then what is finished. The order does not change with every write, so
that nothing jumps under a reader's eyes.
"""

from enum import IntEnum
from typing import NamedTuple

from .plan import Plan

MAIN = "main"
"""The name of a session's main agent."""

QUIET_AFTER = 3600.0
"""After how many seconds without a write an agent is taken to have stopped, whatever its plan says."""


class Pace(IntEnum):
    """How a plan goes on, the liveliest first."""

    RUNNING = 0
    WAITING = 1
    FINISHED = 2


class Rank(NamedTuple):
    """Where a session stands among the others: they are shown in the order of their ranks."""

    pace: int
    time: float
    session: str


def pace(plan: Plan, now: float) -> Pace:
    """How a plan goes on. One that nobody has written to for long waits, whatever it says. An empty one is finished."""
    return pace_of(not plan.open, plan.current is not None, now - plan.updated_at)


def pace_of(is_finished: bool, is_started: bool, quiet_for: float) -> Pace:
    """The same for a plan that is not loaded: whether a todo is in progress, and how long ago the last write was."""
    if is_finished:
        return Pace.FINISHED
    return Pace.RUNNING if is_started and quiet_for < QUIET_AFTER else Pace.WAITING


def began(plan: Plan) -> float:
    """When a plan was begun; an empty one, when its todos went."""
    return min((todo.created_at for todo in plan.todos), default=plan.updated_at)


def rank(pace: Pace, began_at: float, updated_at: float, session: str) -> Rank:
    """Where a session stands: by its pace; among equals the one begun last, or finished last, comes first."""
    return Rank(pace, -(updated_at if pace is Pace.FINISHED else began_at), session)
