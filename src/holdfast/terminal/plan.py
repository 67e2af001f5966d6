"""A plan as people read it in a terminal."""

import time

from ..plan import Plan, Todo
from ..stores import Key
from ..text import fit, pad, width
from .screen import BOLD, DIM, STYLES, Screen

BAR = 20
LEAST_BAR = 8
LONGEST_ID = 12


def plan_lines(screen: Screen, key: Key, plan: Plan) -> list[str]:
    """Whose plan it is, what it is for, its todos, and how far it is."""
    lines = [heading(screen, key, f"revision {plan.revision}" if plan.revision else "")]
    if plan.summary:
        lines.append(screen.cut(screen.text(plan.summary)))
    if not plan.todos:
        return [*lines, "No todos."]
    wide = max(width(shown_id(screen, todo)) for todo in plan.todos)
    return [*lines, "", *(todo_line(screen, todo, wide) for todo in plan.todos), "", progress(screen, plan)]


def heading(screen: Screen, key: Key, more: str = "") -> str:
    """Whose plan it is, on one line."""
    name = screen.text(f"{key.session} / {key.agent}")
    room = len(more) + 2 if more else 0
    name = screen.cut(name, room)
    return screen.styled(name, BOLD) + (f"  {screen.styled(more, DIM)}" if more else "")


def todo_line(screen: Screen, todo: Todo, id_columns: int | None = None, indent: str = "  ") -> str:
    """A todo on one line: its sign, its id, its text."""
    id = shown_id(screen, todo)
    head = f"{indent}{screen.glyph(todo.status)} {id if id_columns is None else pad(id, id_columns)}  "
    return screen.styled(head + screen.cut(screen.todo(todo), width(head)), STYLES[todo.status])


def shown_id(screen: Screen, todo: Todo) -> str:
    """A todo's id, which a model may have chosen, within bounds."""
    return fit(screen.text(todo.id), LONGEST_ID)


def progress(screen: Screen, plan: Plan) -> str:
    """How far a plan is, as a bar and in numbers."""
    done, total = len(plan.done), len(plan.todos)
    numbers = f"{done}/{total} done"
    columns = min(BAR, max(screen.columns - len(numbers) - 1, LEAST_BAR))
    return f"{screen.bar(done / total if total else 0, columns)} {numbers}"


def when(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A point in time, where the person is; a dash for one that no calendar has, as an import may bring."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (OverflowError, OSError):
        return "-"
