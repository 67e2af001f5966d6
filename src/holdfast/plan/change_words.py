"""What became of a todo or a plan by a change, in one word, the same in every view."""

from ..text import brief
from .change import Change, Difference
from .todo import Details, Status, Todo

_VERBS = {
    Status.PENDING: "reopened",
    Status.IN_PROGRESS: "started",
    Status.COMPLETED: "completed",
    Status.CANCELLED: "cancelled",
    Status.BLOCKED: "blocked",
}
LONGEST_QUOTE = 60
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


def details_changed(before: Todo | None, after: Todo) -> list[str]:
    """What became of a todo besides its text and its status, in a few words each."""
    old, new = (Details() if before is None else before.details), after.details
    words = []
    if old.owner != new.owner:
        former = f", before: {_quoted(old.owner)}" if old.owner else ""
        words.append(f"held by {_quoted(new.owner)}{former}" if new.owner else f"given back by {_quoted(old.owner)}")
    if old.priority != new.priority:
        words.append(f"{new.priority or 'no'} priority")
    if old.blocked_by != new.blocked_by:
        words.append(f"waits for {_quoted(', '.join(new.blocked_by)) or 'no other'}")
    if old.reason != new.reason and new.reason:
        words.append(f"because: {_quoted(new.reason)}")
    if old.section != new.section:
        words.append(f"under {_quoted(new.section)}" if new.section else "under no heading")
    if old.description != new.description:
        words.append(f"note: {_quoted(new.description)}" if new.description else "no note")
    return words


def begins_plan(change: Change) -> bool:
    """Whether a change begins a new plan."""
    before, after = change.before, change.after
    return bool(after.todos) and (not before.todos or before.number != after.number)


def clears_plan(change: Change) -> bool:
    """Whether a change takes every todo off the plan."""
    return bool(change.before.todos) and not change.after.todos


def _quoted(text: str) -> str:
    return brief(text, LONGEST_QUOTE)
