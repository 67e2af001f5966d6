"""Which todos wait for which, and the dependencies that a write must not ask for: no work could follow them."""

from collections.abc import Mapping, Sequence

from ..text import describe
from .fault import Fault
from .plan import Plan
from .todo import Draft

Waits = Mapping[str, Sequence[str]]


def check_dependencies(plan: Plan, draft: Draft, after: Plan, list_field: str = "todos") -> list[Fault]:
    """The faults of the dependencies after a write: unknown todos, and todos that wait for each other in a ring.

    A todo may still name one that has left the plan: it no longer waits for it.
    """
    for wish in draft.wishes:
        details = wish[5]
        if details is not None and details.blocked_by:
            break
    else:
        return []
    waits = {todo.id: todo.details.blocked_by for todo in after.todos}
    known = {*waits, *(id for todo in plan.todos for id in (todo.id, *todo.details.blocked_by))}
    faults = [
        _unknown_blocker(list_field, id, other)
        for id, others in waits.items()
        for other in others
        if other not in known
    ]
    ring = cycle(waits)
    return [*faults, _ring_fault(list_field, ring)] if ring else faults


def cycle(waits: Waits) -> tuple[str, ...]:
    """The first ring of todos that wait for each other, closed by the first one; empty if there is no ring."""
    clear: set[str] = set()
    for start in waits:
        trail: dict[str, None] = {}
        branches = [iter((start,))]
        while branches:
            id = next(branches[-1], None)
            if id is None:
                branches.pop()
                if trail:
                    clear.add(trail.popitem()[0])
            elif id in trail:
                ids = [*trail, id]
                return tuple(ids[ids.index(id) :])
            elif id not in clear:
                trail[id] = None
                branches.append(iter(waits.get(id, ())))
    return ()


def _unknown_blocker(list_field: str, id: str, other: str) -> Fault:
    path = f"{list_field} (id {id}).blockedBy"
    return Fault(path, f"no todo {describe(other)} to wait for", "unknown_blocker", field="blockedBy", received=other)


def _ring_fault(list_field: str, ring: Sequence[str]) -> Fault:
    shown = " → ".join(ring)
    return Fault(list_field, f"todos wait for each other: {shown}", "cycle", field="blockedBy", received=shown)
