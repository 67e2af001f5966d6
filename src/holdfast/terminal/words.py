"""What people read of a board and of a change, in few words."""

from ..plan import Change, Difference, Status
from ..plan.change_words import begins_plan, clears_plan, kind
from ..plan.pace import MAIN
from ..stores import Key
from ..text import brief, counted

LONGEST_NAME = 100
LONGEST_QUOTE = 60
MOST_PARTS = 4


def board_label(key: Key, depth: int = 0) -> str:
    """The name of a board: its session, and its agent unless that is the main one; only its agent under a session."""
    name = key.agent if depth else key.session if key.agent == MAIN else f"{key.session}/{key.agent}"
    return brief(name, LONGEST_NAME)


def describe_change(change: Change) -> str:
    """What somebody did to a plan: `completed Read the code; started Fix the bug`. Empty if it shows nowhere."""
    before, after = change.before, change.after
    if clears_plan(change):
        words = "cleared the plan"
    elif begins_plan(change):
        words = f"planned {counted(len(after.todos), 'todo')}"
    else:
        words = _parts(change.differences)
        if not words and before.todos != after.todos:
            words = "changed the order"
    return f"undid a change: {words}" if words and change.action == "undo" else words


def _parts(differences: tuple[Difference, ...]) -> str:
    ordered = sorted(differences, key=lambda pair: pair.after is not None and pair.after.status is Status.IN_PROGRESS)
    parts = [_part(pair) for pair in ordered[:MOST_PARTS]]
    left = len(differences) - len(parts)
    return "; ".join([*parts, f"{left} more"] if left else parts)


def _part(pair: Difference) -> str:
    todo = pair.after or pair.before
    assert todo is not None, "a difference has a todo before or after"
    return f"{kind(pair)} {brief(todo.content, LONGEST_QUOTE)}"
