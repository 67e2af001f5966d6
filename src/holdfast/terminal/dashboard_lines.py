"""One row of the view of all boards as a line."""

import os
from typing import NamedTuple

from ..plan import Plan, Status, checklist
from ..plan.pace import MAIN, Pace
from ..text import brief, pad, width
from .dashboard_rows import DashboardRow
from .durations import duration
from .lines import FRAMES_PER_SECOND, SPINNER, STATUS_STYLES, SUBDUED, Line, Span, line_width, todo_line
from .plan import short_id
from .words import LONGEST_NAME, board_label, place, todo_note

LONGEST_BAR = 20
QUIET = 60.0
"""After how many seconds without a write a waiting plan is called quiet."""

_COUNTED = (Status.COMPLETED, Status.IN_PROGRESS, Status.PENDING, Status.BLOCKED, Status.CANCELLED)


class RowLayout(NamedTuple):
    """How rows are drawn: in how many columns, how many of them for names, at what time.

    In a live view a spinner turns with the time.
    """

    columns: int
    names: int
    now: float
    is_live: bool

    @property
    def bar(self) -> int:
        """How many columns a progress bar has; 0 if there is little room."""
        return min(self.columns // 5, LONGEST_BAR) if self.columns >= 30 else 0

    def within(self, columns: int) -> "RowLayout":
        """The same in what is left of a line beside so many columns."""
        return self._replace(columns=self.columns - columns)


def row_line(row: DashboardRow, layout: RowLayout, is_chosen: bool) -> Line:
    """The line of a row, marked if it is the chosen one."""
    mark = Span("❯ " if is_chosen else "  ", "cyan")
    indent = Span("  " * (row.depth if row.todo is None else row.depth + 1))
    room = layout.within(width(mark.text + indent.text))
    line = _board_spans(row, layout) if row.todo is None else _todo_spans(row, room)
    if is_chosen:
        line = tuple(Span(span.text, f"{span.style.removeprefix('dim')} bold") for span in line)
    return mark, indent, *line


def name_columns(row: DashboardRow) -> int:
    """How wide the column of names must be for a row."""
    return width(_name(row)) + 2 * row.depth


def _board_spans(row: DashboardRow, layout: RowLayout) -> Line:
    fold = Span("▸ " if row.is_folded else "▾ ", SUBDUED)
    name = pad(_name(row), layout.names - 2 * row.depth)
    head = (fold, Span(name, SUBDUED if row.pace is Pace.FINISHED else "bold"), *_bar_spans(row.plan, layout.bar))
    current = row._replace(todo=row.plan.current)
    if row.is_folded and current.is_running and not row.plan.awaits_approval:
        left = layout.within(line_width(head) + 2 * row.depth + 4)
        return *head, Span("  "), *_todo_spans(current, left)
    return *head, *_state_spans(row, layout.now), *_origin_spans(row)


def _name(row: DashboardRow) -> str:
    """What a board is called: by its session's name or title, where it has one."""
    label = row.plan.about.label if row.depth == 0 and row.key.agent == MAIN else ""
    return brief(label, LONGEST_NAME) if label else board_label(row.key, row.depth)


def _origin_spans(row: DashboardRow) -> Line:
    """Where a session comes from, and its id where its name does not say it."""
    if row.depth:
        return ()
    about = row.plan.about
    id = brief(row.key.session, LONGEST_NAME) if about.label and row.key.agent == MAIN else ""
    origin = " · ".join(filter(None, (id, place(about, os.environ.get("HOME", "")))))
    return (Span(f"  {origin}", SUBDUED),) if origin else ()


def _todo_spans(row: DashboardRow, layout: RowLayout) -> Line:
    todo = row.todo
    assert todo is not None, "the row of a todo has one"
    note, id, glyph = todo_note(row.plan, todo, row.leases), _id(row), None
    if todo.status is Status.IN_PROGRESS and todo.started_at is not None:
        note = " · ".join(filter(None, (duration(layout.now - todo.started_at), note)))
        if layout.is_live and row.is_running:
            glyph = SPINNER[int(layout.now * FRAMES_PER_SECOND) % len(SPINNER)]
    return todo_line(todo, layout.columns, glyph, id, note=note)


def _id(row: DashboardRow) -> str:
    """The id of a todo, as commands take it; none in the row of a folded board."""
    if row.is_folded or row.todo is None:
        return ""
    return pad(short_id(row.todo), max(width(short_id(todo)) for todo in row.plan.todos))


def _bar_spans(plan: Plan, size: int) -> Line:
    done, total = len(plan.done), len(plan.todos)
    full = size * done // total if total else 0
    count = Span(f"  {done}/{total}")
    return (Span("  " + "━" * full, "green"), Span("─" * (size - full), SUBDUED), count) if size else (count,)


def _state_spans(row: DashboardRow, now: float) -> Line:
    """The counts of an open plan, and for how long nobody has written to it; or when it was finished."""
    since = duration(now - row.plan.updated_at)
    if row.plan.awaits_approval:
        return (Span(f"  waits for your approval for {since}: p approves", "magenta bold"),)
    if row.pace is Pace.FINISHED:
        what = f"finished {since} ago" if row.plan.todos else f"emptied {since} ago: u or r brings it back"
        return (Span(f"  {what}", SUBDUED),)
    counts = row.plan.counts()
    line = tuple(
        Span(f"  {checklist.GLYPHS[status]} {counts[status]}", STATUS_STYLES[status].removesuffix(" strike"))
        for status in _COUNTED
        if counts[status]
    )
    is_quiet = row.pace is Pace.WAITING and now - row.plan.updated_at >= QUIET
    return (*line, Span(f"  quiet for {since}", SUBDUED)) if is_quiet else line
