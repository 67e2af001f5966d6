"""A plan as people read it in a terminal."""

import time

from ..plan import Plan, Todo
from ..stores import Key
from ..text import fit, one_line, pad, width
from .bars import bar_spans
from .lines import Line, Span, cut_text, text_line, todo_line

LONGEST_BAR = 20
SHORTEST_BAR = 8
LONGEST_ID = 12


def plan_lines(key: Key, plan: Plan, columns: int) -> list[Line]:
    """Whose plan it is, what it is for, its todos, and how far it is."""
    lines = [heading(key, columns, f"revision {plan.revision}" if plan.revision else "")]
    if plan.summary:
        lines.append((Span(cut_text(plan.summary, columns)),))
    if not plan.todos:
        return [*lines, text_line("No todos.")]
    wide = max(width(short_id(todo)) for todo in plan.todos)
    todos = [todo_line(todo, columns, id=pad(short_id(todo), wide), indent="  ") for todo in plan.todos]
    return [*lines, (), *todos, (), progress_line(plan, columns)]


def heading(key: Key, columns: int, more: str = "") -> Line:
    """Whose plan it is, on one line."""
    name = cut_text(f"{key.session} / {key.agent}", max(columns - (len(more) + 2 if more else 0), 1))
    return (Span(name, "bold"), Span("  "), Span(more, "dim")) if more else (Span(name, "bold"),)


def short_id(todo: Todo) -> str:
    """A todo's id, which a model may have chosen, within bounds."""
    return fit(one_line(todo.id), LONGEST_ID)


def progress_line(plan: Plan, columns: int) -> Line:
    """How far a plan is, as a bar and in numbers."""
    done, total = len(plan.done), len(plan.todos)
    numbers = f" {done}/{total} done"
    bar = min(LONGEST_BAR, max(columns - len(numbers), SHORTEST_BAR))
    return (*bar_spans(done / total if total else 0, bar), Span(numbers))


def local_time(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A point in time, where the person is; a dash for one that no calendar has, as an import may bring."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (OverflowError, OSError):
        return "-"
