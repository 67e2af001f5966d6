"""One row of the view of all boards as a line."""

from typing import NamedTuple

from ..plan import Plan, Status, checklist
from ..plan.pace import Pace
from ..text import pad, width
from .dashboard_rows import Row
from .durations import duration
from .lines import SPINNER, STYLES, SUBDUED, Line, Span, columns_of, todo_line
from .words import whose

FRAMES_A_SECOND = 8
LONGEST_BAR = 20
QUIET = 60.0
"""After how many seconds without a write it is said of a plan that nobody is working on."""

_COUNTED = (Status.COMPLETED, Status.IN_PROGRESS, Status.PENDING, Status.BLOCKED, Status.CANCELLED)


class Look(NamedTuple):
    """How rows are drawn: in how many columns, how many of them for names, at what time.

    In a live view a spinner turns with the time.
    """

    columns: int
    names: int
    now: float
    is_live: bool

    @property
    def bar(self) -> int:
        """How many columns a progress bar has; none where there is little room."""
        return min(self.columns // 5, LONGEST_BAR) if self.columns >= 30 else 0

    def within(self, columns: int) -> "Look":
        """The same in what is left of a line beside so many columns."""
        return self._replace(columns=self.columns - columns)


def draw(row: Row, look: Look, is_chosen: bool) -> Line:
    """The line of a row, marked if it is the chosen one."""
    mark = Span("❯ " if is_chosen else "  ", "cyan")
    indent = Span("  " * (row.depth if row.todo is None else row.depth + 1))
    line = _board(row, look) if row.todo is None else _todo(row, look.within(width(mark.text + indent.text)))
    if is_chosen:
        line = tuple(Span(span.text, f"{span.style} bold not dim") for span in line)
    return mark, indent, *line


def name_columns(row: Row) -> int:
    """How wide the column of names must be for a row."""
    return width(whose(row.key, row.depth)) + 2 * row.depth


def _board(row: Row, look: Look) -> Line:
    fold = Span("▸ " if row.is_folded else "▾ ", SUBDUED)
    name = pad(whose(row.key, row.depth), look.names - 2 * row.depth)
    head = (fold, Span(name, SUBDUED if row.pace is Pace.FINISHED else "bold"), *_bar(row.plan, look.bar))
    current = row._replace(todo=row.plan.current)
    if row.is_folded and current.is_running:
        left = look.within(columns_of(head) + 2 * row.depth + 4)
        return *head, Span("  "), *_todo(current, left)
    return *head, *_state(row, look.now)


def _todo(row: Row, look: Look) -> Line:
    todo = row.todo
    assert todo is not None, "the row of a todo has one"
    if todo.status is not Status.IN_PROGRESS or todo.started_at is None:
        return todo_line(todo, look.columns)
    time = f"  {duration(look.now - todo.started_at)}"
    turns = look.is_live and row.is_running
    glyph = SPINNER[int(look.now * FRAMES_A_SECOND) % len(SPINNER)] if turns else None
    return *todo_line(todo, max(look.columns - len(time), 2), glyph), Span(time, SUBDUED)


def _bar(plan: Plan, size: int) -> Line:
    done, total = len(plan.done), len(plan.todos)
    full = size * done // total
    count = Span(f"  {done}/{total}")
    return (Span("  " + "━" * full, "green"), Span("─" * (size - full), SUBDUED), count) if size else (count,)


def _state(row: Row, now: float) -> Line:
    """The counts of an open plan, and for how long nobody has written to it; or when it was finished."""
    since = duration(now - row.plan.updated_at)
    if row.pace is Pace.FINISHED:
        return (Span(f"  finished {since} ago", SUBDUED),)
    counts = row.plan.counts()
    line = tuple(
        Span(f"  {checklist.GLYPHS[status]} {counts[status]}", STYLES[status].removesuffix(" strike"))
        for status in _COUNTED
        if counts[status]
    )
    is_quiet = row.pace is Pace.WAITING and now - row.plan.updated_at >= QUIET
    return (*line, Span(f"  quiet for {since}", SUBDUED)) if is_quiet else line
