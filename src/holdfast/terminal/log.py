"""A change as people read it: when, by whom, and what became of which todo."""

from ..plan import Change, Difference, Todo
from ..text import width
from .plan import shown_id, todo_line, when
from .screen import BOLD, DIM, GREEN, Screen

INDENT = "    "


def log_lines(screen: Screen, change: Change) -> list[str]:
    """One change: a line of its own, then a line for each todo."""
    head = f"#{change.after.revision}"
    rest = f"  {when(change.after.updated_at)}  {screen.text(_who(change))}"
    lines = [screen.styled(head, BOLD) + screen.styled(screen.cut(rest, width(head)), DIM)]
    return lines + [_plain(screen, text) for text in _about(change)] + _todos(screen, change)


def _who(change: Change) -> str:
    return f"{change.by} {f'undid #{change.undoes}' if change.undoes else change.action}"


def _about(change: Change) -> list[str]:
    """What happened to the plan as a whole."""
    before, after = change.before, change.after
    words = []
    if after.number != before.number:
        words.append(f"plan {after.number} {'begins' if after.number > before.number else 'is back'}")
    if after.summary != before.summary:
        words.append(f"for: {after.summary}" if after.summary else "no summary any more")
    if before.todos and not after.todos:
        words.append(f"cleared, {len(before.todos)} todos were on it")
    elif not change.differences and [todo.id for todo in before.todos] != [todo.id for todo in after.todos]:
        words.append(f"new order: {', '.join(todo.id for todo in after.todos)}")
    return words


def _todos(screen: Screen, change: Change) -> list[str]:
    return [_todo(screen, pair) for pair in change.differences] if change.after.todos else []


def _todo(screen: Screen, pair: Difference) -> str:
    before, after = pair
    if after is None:
        assert before is not None, "a difference has a todo before or after"
        return _signed(screen, "-", before, DIM)
    if before is None:
        return _signed(screen, "+", after, GREEN) if after.is_open else todo_line(screen, after, indent=INDENT)
    if before.status is not after.status:
        return todo_line(screen, after, indent=INDENT)
    return _signed(screen, "~", after, "")


def _signed(screen: Screen, sign: str, todo: Todo, style: str) -> str:
    head = f"{INDENT}{sign} {shown_id(screen, todo)}  "
    return screen.styled(head + screen.cut(screen.text(todo.content), width(head)), style)


def _plain(screen: Screen, text: str) -> str:
    return INDENT + screen.cut(screen.text(text), len(INDENT))
