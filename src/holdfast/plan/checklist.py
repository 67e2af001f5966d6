"""The plan in plain text, for any terminal or log: no colours, no escape codes."""

from collections.abc import Iterable, Iterator

from ..text import fit, one_line, pad, width
from .change import Difference
from .plan import Plan
from .todo import Status, Todo

GLYPHS = {
    Status.PENDING: "○",
    Status.IN_PROGRESS: "●",
    Status.COMPLETED: "✓",
    Status.CANCELLED: "✗",
    Status.BLOCKED: "!",
}

BOX_WIDTH = 55
"""How wide the box of the dialect `shell` is drawn."""


def label(todo: Todo) -> str:
    """The text of a todo: its content, or its active form and dots while it is in progress."""
    return f"{todo.label}..." if todo.status is Status.IN_PROGRESS else todo.content


def line(todo: Todo) -> str:
    """One todo: its glyph and its text."""
    return f"{GLYPHS[todo.status]} {one_line(label(todo))}"


def difference_lines(differences: Iterable[Difference]) -> Iterator[str]:
    """One line for each todo that is new or different now, or was removed."""
    for before, after in differences:
        if after is not None:
            yield line(after)
        elif before is not None:
            yield f"removed: {one_line(before.content)}"


def box(plan: Plan, columns: int = BOX_WIDTH, title: str = "Tasks") -> str:
    """The plan in a box of exactly `columns` columns, at least 5; a text that is too long is cut."""
    inner = max(columns - 4, 1)
    head = fit(f"─ {one_line(title)} ", inner + 2)
    rows = [f"│ {pad(line(todo), inner)} │" for todo in plan.todos]
    return "\n".join([f"┌{head}{'─' * (inner + 2 - width(head))}┐", *rows, f"└{'─' * (inner + 2)}┘"])
