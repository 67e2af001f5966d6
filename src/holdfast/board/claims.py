"""Several agents on one plan: each takes a todo, works on it, and finishes it or gives it back.

What an agent has taken is in the plan: it is in progress, and the agent is its owner. Beside the plan lies a lease,
which the agent renews by claiming again; once it has run out, another agent may take the todo over. A lease only says
who may take a todo. The plan says whose it is, and changes by compare-and-swap: an agent that was away for too long
finds another owner there, and cannot finish what is no longer its own.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from ..dialects import Reply
from ..errors import StoreError, UsageError
from ..plan import PRIORITIES, Change, DetailsWish, Plan, Status, Todo, Wish, transitions
from ..plan.fault import Fault, Refusal
from ..plan.step import Step, Written, refuse_with
from ..stores import Key, Store, StoredPlan
from ..stores.leases import Lease, leases_on
from ..text import LONGEST_DESCRIPTION, brief, describe

if TYPE_CHECKING:
    from .board import Board

SECONDS = 300.0
"""How long a claim lasts unless it is renewed."""

LONGEST_NAME = 200
TRIES = 100
"""How often another todo is tried when other agents were quicker."""


class Claim(NamedTuple):
    """The result of a claim: the todo as it is now, or None if there was nothing to take; `reply` says why."""

    todo: Todo | None
    reply: Reply


def claim(board: "Board", holder: str, id: str | None = None, seconds: float = SECONDS) -> Claim:
    """Take a todo, or renew a claim; see `Board.claim`."""
    _check(holder, seconds)
    leases = board.leases
    for _ in range(TRIES):
        plan = board.plan
        chosen = choose(plan, holder, id, _holders(leases.active_leases(board.key)))
        if isinstance(chosen, Fault):
            return Claim(None, _refused(board, chosen))
        what = lease_name(plan, chosen)
        if leases.acquire_lease(board.key, what, holder, seconds):
            reply = board.apply(take(plan, chosen, holder), "claim")
            if reply.ok:
                return Claim(reply.plan.get(chosen.id), reply)
            leases.release_lease(board.key, what, holder)
            if reply.faults[0].code != _MOVED_ON:
                return Claim(None, reply)
    return Claim(None, _refused(board, Fault("", f"others were quicker, {TRIES} times in a row", "busy")))


def release(board: "Board", holder: str, id: str) -> Reply:
    """Give a todo back; see `Board.release`."""
    return _end_claim(board, holder, id, "release", Wish(status=Status.PENDING, details=DetailsWish(owner="")))


def finish(board: "Board", holder: str, id: str, evidence: str | None = None) -> Reply:
    """Complete a todo; see `Board.finish`."""
    if board.rules.evidence == "required" and not (evidence or "").strip():
        return _refused(board, Fault("evidence", "required: what shows that it is done", "evidence", field="evidence"))
    return _end_claim(board, holder, id, "finish", Wish(status=Status.COMPLETED, evidence=evidence))


def release_lost(board: "Board", change: Change) -> None:
    """Give back the leases on todos that a person's step has taken from their owners, or brought back without one."""
    before, after = change.before, change.after
    with suppress(StoreError):  # the step is done, and the leases will run out by themselves
        held = leases_on(board.store, board.key)
        for todo in after.todos if held else ():
            lease = held.get(lease_name(after, todo))
            if lease is not None and lease.holder != todo.details.owner and before.get(todo.id) != todo:
                board.leases.release_lease(board.key, lease_name(after, todo), lease.holder)


def lease_name(plan: Plan, todo: Todo) -> str:
    """The name of the lease on a todo. It has the plan's number, since each plan of a board counts its ids from 1."""
    return f"{plan.number}/{todo.id}"


def choose(plan: Plan, holder: str, id: str | None, holders: Mapping[str, str]) -> Todo | Fault:
    """The todo that a holder may take: the one with this id, else its own, else the first that is free."""
    if id is not None:
        todo = plan.get(id)
        if todo is None:
            return _unknown(plan, id)
        return _objection(plan, todo, holder, holders) or todo
    mine = [todo for todo in plan.todos if _is_mine(todo, holder) and todo.status is Status.IN_PROGRESS]
    free = (todo for todo in (*mine, *plan.todos) if _is_free_to_take(plan, todo, holder, holders))
    return next(free, None) or Fault("", f"no todo is free: {_describe_open(plan, holders)}", "nothing_free")


def free_todos(plan: Plan, leases: Mapping[str, Lease]) -> list[Todo]:
    """Every todo that an agent could take now without naming it, the most urgent first."""
    holders = _holders(leases)
    free = [todo for todo in plan.todos if _is_free_to_take(plan, todo, "", holders)]
    return sorted(free, key=lambda todo: _URGENCY.get(todo.details.priority, 1))


_URGENCY = {priority: place for place, priority in enumerate(PRIORITIES)}


def current_claims(store: Store, boards: Iterable[StoredPlan]) -> dict[Key, Mapping[str, Lease]]:
    """The leases on the boards that have a claimed todo. Raises StoreError if the store cannot be read."""
    claimed = (key for key, plan in boards if any(todo.details.owner for todo in plan.open))
    return {key: leases_on(store, key) for key in claimed}


def take(seen: Plan, todo: Todo, holder: str) -> Step:
    """The step that gives a todo to a holder, if it is still as it was seen."""
    wish = Wish(status=Status.IN_PROGRESS, details=DetailsWish(owner=holder))

    def step(plan: Plan, now: float) -> Written | Refusal:
        if plan.number != seen.number or plan.get(todo.id) != todo:
            return Refusal((Fault("id", f"todo {_short(todo.id)} has moved on", _MOVED_ON),))
        return Written(_with_todo(plan, transitions.changed(todo, wish, now), now))

    return step


_MOVED_ON = "moved_on"


def _end_claim(board: "Board", holder: str, id: str, action: str, wish: Wish) -> Reply:
    """End a claim by a change that only the todo's owner can make."""
    _check(holder)

    def step(plan: Plan, now: float) -> Written | Refusal:
        todo = plan.get(id)
        if todo is None:
            return Refusal((_unknown(plan, id),))
        if not _is_mine(todo, holder):
            return Refusal((_not_yours(todo),))
        if not todo.is_open and todo.status is not wish.status:
            return Refusal((Fault("id", f"todo {_short(id)} is already {todo.status}", "done"),))
        return Written(_with_todo(plan, transitions.changed(todo, wish, now), now))

    reply = board.apply(step, action)
    todo = reply.plan.get(id)
    with suppress(StoreError):  # what was asked for is done or refused, and the lease will run out by itself
        if todo is not None and (reply.ok or not (todo.is_open and _is_mine(todo, holder))):
            board.leases.release_lease(board.key, lease_name(reply.plan, todo), holder)
    return reply


def _with_todo(plan: Plan, todo: Todo, now: float) -> Plan:
    """The plan with a todo in its new form."""
    if todo == plan.get(todo.id):
        return plan
    todos = tuple(todo if other.id == todo.id else other for other in plan.todos)
    return plan._replace(todos=todos, revision=plan.revision + 1, updated_at=now)


def _objection(plan: Plan, todo: Todo, holder: str, holders: Mapping[str, str]) -> Fault | None:
    """Why a holder cannot take a todo; None if it can."""
    its_holder = holders.get(lease_name(plan, todo), holder)
    if not todo.is_open:
        return Fault("id", f"todo {_short(todo.id)} is already {todo.status}", "done")
    if todo.status is Status.BLOCKED:
        return Fault("id", f"todo {_short(todo.id)} is blocked: reopen it first", "blocked")
    if its_holder != holder:
        return Fault("id", f"todo {_short(todo.id)} is held by {describe(its_holder)}", "held")
    if todo.status is Status.PENDING and (before := plan.blockers(todo)):
        ids = ", ".join(_short(other.id) for other in before)
        return Fault("id", f"todo {_short(todo.id)} waits for {ids}", "waiting")
    return None


def _is_free_to_take(plan: Plan, todo: Todo, holder: str, holders: Mapping[str, str]) -> bool:
    """Whether a todo may be taken without being named. In progress without an owner, somebody is working on it."""
    is_started = todo.status is Status.IN_PROGRESS
    return _objection(plan, todo, holder, holders) is None and not (is_started and todo.details.owner == "")


def _holders(leases: Mapping[str, Lease]) -> dict[str, str]:
    return {what: lease.holder for what, lease in leases.items()}


def _is_mine(todo: Todo, holder: str) -> bool:
    return todo.details.owner == holder


def _describe_open(plan: Plan, holders: Mapping[str, str]) -> str:
    """What became of the open todos, where none of them is free."""
    taken = sum(lease_name(plan, todo) in holders for todo in plan.open)
    return f"{len(plan.open)} open, {taken} of them held, the rest waiting, blocked or in progress"


def _unknown(plan: Plan, id: str) -> Fault:
    has = ", ".join(_short(todo.id) for todo in plan.todos) or "no todos"
    return Fault("id", f"no todo {_short(id)}; the plan has {has}", "unknown_id")


def _not_yours(todo: Todo) -> Fault:
    owner = todo.details.owner
    whose = f"its owner is {describe(owner)}" if owner else "nobody has claimed it"
    return Fault("id", f"todo {_short(todo.id)} is not yours: {whose}", "not_yours")


def _short(id: str) -> str:
    return brief(id, LONGEST_DESCRIPTION)


def _refused(board: "Board", fault: Fault) -> Reply:
    return board.apply(refuse_with(fault), "claim")


def _check(holder: str, seconds: float = SECONDS) -> None:
    if not 0 < len(holder) <= LONGEST_NAME:
        raise UsageError(f"holder={describe(holder)}: expected a name of 1 to {LONGEST_NAME} characters")
    if not (isfinite(seconds) and seconds > 0):
        raise UsageError(f"seconds={seconds}: expected a number above 0")
