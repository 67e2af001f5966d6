"""The plan in a box, in colour."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement

from ..plan import Plan, Todo
from ..plan.checklist import BOX_WIDTH
from ..text import fit, width
from .lines import Line, Span, cut_line, cut_text, line_width, pad_line, todo_line
from .rich_lines import rich_segments

FRAME = "dim"
LEAST_COLUMNS = 5


class TodoBox:
    """A plan as a box for rich to print.

    It is as wide as its todos need, at least `BOX_WIDTH` and at most as wide as the console. With `rows`, only so many
    todos are shown, those around the current one, and the rest is counted.
    """

    def __init__(self, plan: Plan, title: str = "Tasks", rows: int | None = None) -> None:
        self.plan = plan
        self.title = title
        self.rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from rich_segments(self.lines(options.max_width), options.encoding)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(LEAST_COLUMNS, max(LEAST_COLUMNS, self._columns(options.max_width)))

    def lines(self, columns: int) -> list[Line]:
        """The lines of the box in at most `columns` columns."""
        inner = max(self._columns(columns) - 4, 1)
        head = fit(f"─ {cut_text(self.title, inner)} ", inner + 2)
        drawn = [
            (Span(f"┌{head}{'─' * (inner + 2 - width(head))}┐", FRAME),),
            *((Span("│ ", FRAME), *pad_line(row, inner), Span(" │", FRAME)) for row in self._rows(inner)),
            (Span(f"└{'─' * (inner + 2)}┘", FRAME),),
        ]
        return [cut_line(line, columns) for line in drawn]

    def _columns(self, most: int) -> int:
        longest = max((line_width(todo_line(todo, most)) for todo in self.plan.todos), default=0)
        return min(max(BOX_WIDTH, longest + 4), most)

    def _rows(self, columns: int) -> Iterator[Line]:
        before, visible, after = window(self.plan, self.rows)
        if before:
            yield cut_line((Span(f"↑ {before} more", FRAME),), columns)
        for todo in visible:
            yield todo_line(todo, columns)
        if after:
            yield cut_line((Span(f"↓ {after} more", FRAME),), columns)


def window(plan: Plan, rows: int | None) -> tuple[int, tuple[Todo, ...], int]:
    """The todos to show in so many rows, around the current one, and how many are left out before and after."""
    todos = plan.todos
    if rows is None or len(todos) <= rows:
        return 0, todos, 0
    size = max(rows - 2, 1)
    focus = todos.index(plan.next) if plan.next is not None else len(todos) - 1
    start = min(max(focus - size // 2, 0), len(todos) - size)
    return start, todos[start : start + size], len(todos) - start - size
