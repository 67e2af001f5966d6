"""A change as people read it: when, by whom, and what happened to which todo."""

from ..plan import Change, Difference, Todo
from ..plan.change_words import details_changed
from ..text import counted, width
from .lines import Line, Span, cut_line, cut_text, todo_line
from .plan import local_time, short_id

INDENT = "    "


def log_lines(change: Change, columns: int) -> list[Line]:
    """One change: a line of its own, then a line for each todo."""
    action = f"undid #{change.undoes}" if change.undoes else change.action
    rest = cut_text(f"  {local_time(change.after.updated_at)}  {change.by} {action}", columns)
    head = cut_line((Span(f"#{change.after.revision}", "bold"), Span(rest, "dim")), columns)
    lines = change_lines(change, columns)
    return [head, *lines] if lines else [head, (Span(INDENT + _of_no_todo(change), "dim"),)]


def change_lines(change: Change, columns: int) -> list[Line]:
    """What became of the plan, and of each todo; nothing for a change that shows on neither."""
    about: list[Line] = [(Span(INDENT + cut_text(text, columns - len(INDENT))),) for text in _plan_changes(change)]
    todos = [line for pair in change.differences for line in _todo_lines(pair, columns)] if change.after.todos else []
    return [*about, *todos]


def _of_no_todo(change: Change) -> str:
    """What a change did that changed nothing on the plan itself."""
    if change.action == "told":
        return "the model knows of the edits"
    words = {"archive": "archived", "review": "waits for approval", "approve": "approved"}
    return words.get(change.action, "the same plan as before")


def _todo_lines(pair: Difference, columns: int) -> list[Line]:
    """What happened to one todo, and the check that it was given or lost."""
    before, after = pair
    line = _todo_change(pair, columns)
    if after is None or after.check == ("" if before is None else before.check):
        return [line]
    words = f"check: {after.check}" if after.check else "no check any more"
    return [line, (Span(f"{INDENT}    {cut_text(words, columns - len(INDENT) - 4)}", "dim"),)]


def _plan_changes(change: Change) -> list[str]:
    """What happened to the plan as a whole."""
    before, after = change.before, change.after
    if after.is_deleted:
        return ["what was here before was deleted"]
    words = []
    if after.number != before.number:
        words.append(f"plan {after.number} {'begins' if after.number > before.number else 'is back'}")
    if after.summary != before.summary:
        words.append(f"for: {after.summary}" if after.summary else "no summary any more")
    if after.about.name != before.about.name:
        words.append(f"called: {after.about.name}" if after.about.name else "no name any more")
    if before.todos and not after.todos:
        words.append(f"cleared, with {counted(len(before.todos), 'todo')} on it")
    elif not change.differences and [todo.id for todo in before.todos] != [todo.id for todo in after.todos]:
        words.append(f"new order: {', '.join(todo.id for todo in after.todos)}")
    return words


def _todo_change(pair: Difference, columns: int) -> Line:
    before, after = pair
    if after is None:
        assert before is not None, "a difference has a todo before or after"
        return _signed("-", before, "dim", columns)
    if before is None and after.is_open:
        return _signed("+", after, "green", columns, _details(pair))
    if before is None or before.status is not after.status or before.proof != after.proof:
        return todo_line(after, columns, id=short_id(after), indent=INDENT, note=_details(pair))
    return _signed("~", after, "", columns, _details(pair))


def _details(pair: Difference) -> str:
    return "" if pair.after is None else ", ".join(details_changed(pair.before, pair.after))


def _signed(sign: str, todo: Todo, style: str, columns: int, more: str = "") -> Line:
    head = f"{INDENT}{sign} {short_id(todo)}  "
    text = f"{todo.content}: {more}" if more else todo.content
    return (Span(head + cut_text(text, columns - width(head)), style),)
