"""A change as people read it: when, by whom, and what happened to which todo."""

from ..plan import Change, Difference, Todo
from ..text import width
from .lines import Line, Span, cut_line, cut_text, todo_line
from .plan import local_time, short_id

INDENT = "    "


def log_lines(change: Change, columns: int) -> list[Line]:
    """One change: a line of its own, then a line for each todo."""
    action = f"undid #{change.undoes}" if change.undoes else change.action
    rest = cut_text(f"  {local_time(change.after.updated_at)}  {change.by} {action}", columns)
    head = cut_line((Span(f"#{change.after.revision}", "bold"), Span(rest, "dim")), columns)
    about = [(Span(INDENT + cut_text(text, columns - len(INDENT))),) for text in _plan_changes(change)]
    todos = [_todo_change(pair, columns) for pair in change.differences] if change.after.todos else []
    return [head, *about, *todos]


def _plan_changes(change: Change) -> list[str]:
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


def _todo_change(pair: Difference, columns: int) -> Line:
    before, after = pair
    if after is None:
        assert before is not None, "a difference has a todo before or after"
        return _signed("-", before, "dim", columns)
    if before is None and after.is_open:
        return _signed("+", after, "green", columns)
    if before is None or before.status is not after.status:
        return todo_line(after, columns, id=short_id(after), indent=INDENT)
    return _signed("~", after, "", columns)


def _signed(sign: str, todo: Todo, style: str, columns: int) -> Line:
    head = f"{INDENT}{sign} {short_id(todo)}  "
    return (Span(head + cut_text(todo.content, columns - width(head)), style),)
