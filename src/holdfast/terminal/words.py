"""What people read of a board and of a change, in few words."""

from collections.abc import Mapping

from ..board.claims import lease_name
from ..paths import below_home
from ..plan import About, Change, Difference, Plan, Status, Todo
from ..plan.change_words import begins_plan, clears_plan, details_changed, kind
from ..plan.pace import MAIN
from ..stores import Key
from ..stores.leases import Lease
from ..text import brief, counted
from .durations import duration

LONGEST_NAME = 100
LONGEST_QUOTE = 60
MOST_PARTS = 4


def board_label(key: Key, depth: int = 0) -> str:
    """The name of a board: its session, and its agent unless that is the main one; only its agent under a session."""
    name = key.agent if depth else key.session if key.agent == MAIN else f"{key.session}/{key.agent}"
    return brief(name, LONGEST_NAME)


def place(about: About, home: str = "") -> str:
    """Where a session comes from: its client, its folder with `~` for the home folder, its branch."""
    folder = below_home(about.folder, home)
    return brief(" · ".join(filter(None, (about.client, folder, about.branch))), LONGEST_NAME)


def todo_note(plan: Plan, todo: Todo, leases: Mapping[str, Lease]) -> str:
    """What to know of an open todo besides its text: who has it and for how long, what it waits for, how urgent it is.

    `leases` are those of the plan's board.
    """
    if not todo.is_open:
        return ""
    details, waits = todo.details, plan.blockers(todo) if todo.status is not Status.IN_PROGRESS else ()
    parts = [
        _holder(plan, todo, leases),
        f"blocked: {details.reason}" if details.reason and todo.status is Status.BLOCKED else "",
        f"waits for {', '.join(other.id for other in waits)}" if waits else "",
        f"{details.priority} priority" if details.priority in ("high", "low") else "",
    ]
    return " · ".join(brief(part, LONGEST_NAME) for part in parts if part)


def _holder(plan: Plan, todo: Todo, leases: Mapping[str, Lease]) -> str:
    owner = todo.details.owner
    if not owner or todo.status is not Status.IN_PROGRESS:
        return f"for {owner}" if owner else ""
    lease = leases.get(lease_name(plan, todo))
    if lease is None or lease.holder != owner:
        return f"held by {owner}"
    return f"held by {owner} for {duration(lease.seconds)} more"


def describe_change(change: Change) -> str:
    """What somebody did to a plan: `completed Read the code; started Fix the bug`. Empty if it shows nowhere."""
    before, after = change.before, change.after
    if after.is_deleted:
        words = "deleted the plan"
    elif clears_plan(change):
        words = "cleared the plan"
    elif begins_plan(change):
        words = f"planned {counted(len(after.todos), 'todo')}"
    else:
        words = _parts(change.differences)
        if not words and before.todos != after.todos:
            words = "changed the order"
        if not words and before.about.name != after.about.name:
            words = f"called the session {brief(after.about.name, LONGEST_QUOTE) or 'nothing'}"
        if not words and before.awaits_approval and not after.awaits_approval:
            words = "approved the plan"
    return f"undid a change: {words}" if words and change.action == "undo" else words


def _parts(differences: tuple[Difference, ...]) -> str:
    ordered = sorted(differences, key=lambda pair: pair.after is not None and pair.after.status is Status.IN_PROGRESS)
    parts = [_part(pair) for pair in ordered[:MOST_PARTS]]
    left = len(differences) - len(parts)
    return "; ".join([*parts, f"{left} more"] if left else parts)


def _part(pair: Difference) -> str:
    todo = pair.after or pair.before
    assert todo is not None, "a difference has a todo before or after"
    words = f"{kind(pair)} {brief(todo.content, LONGEST_QUOTE)}"
    more = [] if pair.after is None or pair.before is None else details_changed(pair.before, pair.after)
    if todo.proof is not None and (pair.before is None or pair.before.proof != todo.proof):
        more.insert(0, "proved")
    return f"{words} ({', '.join(more)})" if more else words
