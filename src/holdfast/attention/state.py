"""Where the work on the current todo stands, by its journal. What is said, and what is offered, both follow from it.

state         by the journal                                           what comes next
------------  -------------------------------------------------------  ------------------------------------
NEW           nothing was done yet                                     do it
LOOKED        it was only looked at                                    do it; no second look
FAILED        the last call failed                                     a look, then another tool or command
GIVE_UP       really different ways failed                             mark it blocked
DONE_BEFORE   the last call failed, and one before it did the work     mark it completed
REPEATED      the same call succeeded again                            mark it completed
UNMENTIONED   no call has mentioned a name in its text                 finish it; asked once
WORKED        something was done                                       mark it completed, or finish it
"""

from enum import Enum, auto

from ..plan import Plan, Todo
from ..plan.work import NO_WORK, Work
from .policies import Policy, Turn


class State(Enum):
    """Where the work on a todo stands."""

    NEW = auto()
    LOOKED = auto()
    FAILED = auto()
    GIVE_UP = auto()
    DONE_BEFORE = auto()
    UNMENTIONED = auto()
    REPEATED = auto()
    WORKED = auto()


def focus(plan: Plan, turn: Turn) -> Todo | None:
    """The todo to work on now: the plan's next one, or a blocked one that is tried once more."""
    return plan.next or plan.get(turn.retry)


def work_on(plan: Plan, running: Work, retry: str = "") -> Work:
    """All that was done for the current todo: by its journal, and since the last write. A second try begins anew.

    Without a todo, it is what was done for none.
    """
    todo = plan.next
    if todo is None:
        return running if running.todo == retry else NO_WORK
    return Work(todo.id, (*todo.work, *running.uses) if running.todo in ("", todo.id) else todo.work)


def state_of(todo: Todo, turn: Turn, policy: Policy) -> State:
    """Where the work on the current todo stands."""
    work = turn.work
    last, done_by = work.last, work.done_by
    if last is None:
        return State.NEW
    if last.failed:
        is_again = bool(last.key) and last.key in (done_by.key if done_by is not None else "", *turn.done_elsewhere)
        if is_again or (turn.forgotten and done_by is not None):
            return State.DONE_BEFORE
        return State.GIVE_UP if _is_hopeless(work, policy.gives_up_after) else State.FAILED
    if not work.calls:
        return State.LOOKED
    if turn.unmentioned:
        return State.UNMENTIONED
    return State.REPEATED if policy.breaks_loops and last.times > 1 else State.WORKED


def _is_hopeless(work: Work, most_ways: int) -> bool:
    """Whether nothing helps: so many different ways have failed, or the same ones again and again."""
    return most_ways > 0 and (work.ways >= most_ways or work.failures > most_ways)
