"""What people read of a change and of time, in few words."""

from ...plan import Change, Difference, Status, Todo
from ...stores import Key
from ...text import one_line, shorten
from ..pace import MAIN

LONGEST_NAME = 100
LONGEST_QUOTE = 60
MOST_PARTS = 4

_VERBS = {
    Status.PENDING: "reopened",
    Status.IN_PROGRESS: "started",
    Status.COMPLETED: "completed",
    Status.CANCELLED: "cancelled",
    Status.BLOCKED: "blocked",
}


def whose(key: Key, depth: int = 0) -> str:
    """The name of a board: its session, and its agent unless that is the main one; only its agent under a session."""
    name = key.agent if depth else key.session if key.agent == MAIN else f"{key.session}/{key.agent}"
    return shorten(one_line(name[: LONGEST_NAME + 1]), LONGEST_NAME)


def what_changed(change: Change) -> str:
    """What somebody did to a plan: `completed Read the code; started Fix the bug`. Empty if it shows nowhere."""
    before, after = change.before, change.after
    if before.todos and not after.todos:
        words = "cleared the plan"
    elif after.todos and (not before.todos or before.number != after.number):
        words = f"planned {len(after.todos)} todo{'s' if len(after.todos) > 1 else ''}"
    else:
        words = _parts(change.differences)
        if not words and before.todos != after.todos:
            words = "changed the order"
    return f"undid a change: {words}" if words and change.action == "undo" else words


def ago(seconds: float) -> str:
    """A length of time in its two largest units: `12s`, `2m 14s`, `1h 03m`, `3d 4h`."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole // 60 % 60:02}m"
    return f"{whole // 86400}d {whole // 3600 % 24}h"


def _parts(differences: tuple[Difference, ...]) -> str:
    ordered = sorted(differences, key=lambda pair: pair.after is not None and pair.after.status is Status.IN_PROGRESS)
    parts = [_part(pair) for pair in ordered[:MOST_PARTS]]
    left = len(differences) - len(parts)
    return "; ".join([*parts, f"{left} more"] if left else parts)


def _part(pair: Difference) -> str:
    before, after = pair
    if after is None:
        assert before is not None, "a difference has a todo before or after"
        return f"removed {_quote(before)}"
    if before is None:
        return f"added {_quote(after)}"
    if before.status is not after.status:
        return f"{_VERBS[after.status]} {_quote(after)}"
    return f"{'reworded' if before.content != after.content else 'changed'} {_quote(after)}"


def _quote(todo: Todo) -> str:
    return shorten(one_line(todo.content[: LONGEST_QUOTE + 1]), LONGEST_QUOTE)
