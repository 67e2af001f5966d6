"""What became of a todo or a plan by a change, in one word, the same in every view."""

from .change import Change, Difference
from .todo import Status

_VERBS = {
    Status.PENDING: "reopened",
    Status.IN_PROGRESS: "started",
    Status.COMPLETED: "completed",
    Status.CANCELLED: "cancelled",
    Status.BLOCKED: "blocked",
}
KINDS = (*_VERBS.values(), "added", "removed", "reworded", "changed", "moved")


def kind(pair: Difference) -> str:
    """What became of a todo: one of `KINDS`."""
    before, after = pair
    if before is None:
        return "added"
    if after is None:
        return "removed"
    if before.status is not after.status:
        return _VERBS[after.status]
    if before.content != after.content:
        return "reworded"
    return "moved" if before == after else "changed"


def begins_plan(change: Change) -> bool:
    """Whether a change begins a new plan."""
    before, after = change.before, change.after
    return bool(after.todos) and (not before.todos or before.number != after.number)


def clears_plan(change: Change) -> bool:
    """Whether a change takes every todo off the plan."""
    return bool(change.before.todos) and not change.after.todos
