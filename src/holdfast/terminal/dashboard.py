"""The view of all boards: a pure function from what there is to the lines of a screen."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..plan.pace import Pace
from ..stores import Key, Record
from ..text import brief, pad, width
from .dashboard_lines import RowLayout, name_columns, row_line
from .dashboard_rows import DashboardRow, RowTarget, SessionGroup, find_row, first_running, rows
from .durations import duration
from .lines import SUBDUED, Line, Span, cut_line, cut_text, line_width
from .prompt import Prompt
from .words import board_label, describe_change

AIRY = 20
"""From how many lines on there are blank ones between sessions."""

ROOM_FOR_MARKS = 4
"""From how many rows on the first and the last may say what is out of sight."""

MOST_RECENT = 6
FOOTER = ("q quit", "? keys", "d done", "s start", "a add", "e reword", "u undo", "/ find", "space fold", "j/k move")
KEYS = {
    "j k ↓ ↑": "one row down or up",
    "page down, page up": "a screen further, or back",
    "tab": "the next session",
    "g G home end": "the first row, the last row",
    "enter": "the todo in full; on a session: fold it",
    "space f": "fold a session, or unfold it",
    "F": "fold every session, or unfold all",
    "/": "show only what has this text; escape shows all again",
    "a": "add a todo to this plan",
    "e": "reword the todo",
    "s": "start it",
    "d": "mark it as done",
    "c": "cancel it: it will not be done",
    "b": "mark it as blocked",
    "o": "open it again",
    "u r": "undo, redo",
    "p": "approve a plan that waits for you",
    "?": "this page",
    "q": "quit; on a page like this: go back",
}
"""Every key of the live view, and what it does."""

NOTHING_FOUND = "Nothing here has this text: escape shows all again."
NOTHING = "No plans here: each appears when its agent writes it."


class Scene(NamedTuple):
    """Everything that the view shows. `records` are the recent changes, the newest first.

    `damaged` is how many boards have a record that cannot be read. `sought` is the text that the groups were chosen
    by, `prompt` what is being typed, `page` what is shown in place of the rows, from its line `top` on.
    """

    groups: Sequence[SessionGroup]
    records: Sequence[Record] = ()
    now: float = 0.0
    where: str = ""
    folds: Mapping[Key, bool] = {}
    cursor: RowTarget | None = None
    message: str = ""
    damaged: int = 0
    sought: str = ""
    prompt: Prompt | None = None
    page: Sequence[Line] | None = None
    top: int = 0


class SectionHeading(NamedTuple):
    """The heading above the todos of a section: it is not a row, and the cursor skips it."""

    text: str
    depth: int

    def line(self, columns: int) -> Line:
        """It as a line."""
        indent = "  " * (self.depth + 2)
        return Span(indent), Span(cut_text(brief(self.text, columns), max(columns - len(indent), 0)), "bold")


BodyPart = DashboardRow | SectionHeading | None
"""A row, a heading, or a blank line."""


def dashboard(scene: Scene, columns: int, height: int | None = None) -> list[Line]:
    """The lines of the view in `columns` columns.

    With a height it has that many lines, keeps the cursor in sight, and ends with the keys or the message. Without one
    it is as long as it needs, and nothing in it turns.
    """
    if height is None:
        body = _with_headings(_spaced(rows(scene.groups, scene.folds)))
        lines = [
            _title_line(scene),
            *_row_lines(body, scene, columns, is_live=False),
            (),
            *_recent_lines(scene, columns, MOST_RECENT),
        ]
    else:
        show = _middle_lines if scene.page is None else _page_lines
        lines = [_title_line(scene), *show(scene, columns, height - 2), _footer_line(scene, columns)][-height:]
    return [cut_line(line, columns) for line in lines]


def _title_line(scene: Scene) -> Line:
    paces = [group.pace for group in scene.groups if any(row.plan.todos for row in group.boards)]
    counts = [f"{count} {pace.name.lower()}" for pace in Pace if (count := paces.count(pace))]
    waiting = sum(row.plan.awaits_approval for group in scene.groups for row in group.boards)
    counts = [f"{waiting} for you to approve", *counts] if waiting else counts
    counts += [f"{scene.damaged} damaged"] if scene.damaged else []
    where = Span(f"  {cut_text(scene.where, 200)}", SUBDUED)
    sought = Span(f"  with {cut_text(scene.sought, 40)}" if scene.sought else "", "cyan")
    return Span("holdfast", "bold"), Span(f"  {' · '.join(counts) or 'no plans'}"), sought, where


def _footer_line(scene: Scene, columns: int) -> Line:
    if scene.prompt is not None:
        return scene.prompt.line(columns)
    if scene.message:
        return (Span(cut_text(scene.message, columns), "cyan"),)
    keys = ""
    for key in FOOTER if scene.page is None else ("q back", "j/k scroll"):
        longer = f"{keys}  {key}" if keys else key
        keys = longer if len(longer) <= columns else keys
    return (Span(keys, SUBDUED),)


def help_page(columns: int) -> list[Line]:
    """The keys, one on a line."""
    left = max(map(width, KEYS)) + 2
    return [cut_line((Span(pad(key, left), "bold"), Span(does)), columns) for key, does in KEYS.items()]


def _page_lines(scene: Scene, columns: int, height: int) -> list[Line]:
    """The part of a page that fits, in exactly `height` lines."""
    lines: list[Line] = [(), *((Span("  "), *line) for line in scene.page or ())]
    top = max(min(scene.top, len(lines) - height), 0)
    return [*lines[top : top + height], *([()] * (height - len(lines[top : top + height])))]


def _middle_lines(scene: Scene, columns: int, height: int) -> list[Line]:
    """The rows around the cursor and the recent changes, in exactly so many lines."""
    shown = rows(scene.groups, scene.folds)
    body = _with_headings(_spaced(shown) if height >= AIRY else list[DashboardRow | None](shown))
    recent = _recent_lines(scene, columns, min(MOST_RECENT, max((height - 4) // 5, height - len(body) - 2)))
    room = max(height - len(recent), 0)
    at = find_row(shown, scene.cursor)
    focus = first_running(shown) if at is None else at
    lines = _visible_lines(body, 0 if focus is None else body.index(shown[focus]), room, scene, columns)
    return [*lines, *([()] * (room - len(lines))), *recent]


def _visible_lines(body: list[BodyPart], focus: int, room: int, scene: Scene, columns: int) -> list[Line]:
    """As many rows as there is room for, the one in focus among them, and how many are above and below."""
    start = max(min(focus - room // 2, len(body) - room), 0)
    end = start + room
    lines = _row_lines(body[start:end], scene, columns, is_live=True)
    if start > 0 and room >= ROOM_FOR_MARKS:
        lines[0] = _more_line("↑", body[: start + 1])
    if end < len(body) and room >= ROOM_FOR_MARKS:
        lines[-1] = _more_line("↓", body[end - 1 :])
    return lines


def _more_line(arrow: str, hidden: list[BodyPart]) -> Line:
    return (Span(f"  {arrow} {sum(isinstance(part, DashboardRow) for part in hidden)} more", SUBDUED),)


def _spaced(shown: Sequence[DashboardRow]) -> list[DashboardRow | None]:
    """The rows with a gap around each session that is not folded."""
    spaced: list[DashboardRow | None] = []
    was_folded = False
    for row in shown:
        if row.todo is None and row.depth == 0:
            spaced += [] if was_folded and row.is_folded else [None]
            was_folded = row.is_folded
        spaced.append(row)
    return spaced


def _with_headings(body: Sequence[DashboardRow | None]) -> list[BodyPart]:
    """The rows with the heading of each section above its todos."""
    parts: list[BodyPart] = []
    section = ""
    for row in body:
        todo = None if row is None else row.todo
        found = "" if todo is None else todo.details.section
        if row is not None and found and found != section:
            parts.append(SectionHeading(found, row.depth))
        section = found
        parts.append(row)
    return parts


def _row_lines(body: Sequence[BodyPart], scene: Scene, columns: int, is_live: bool) -> list[Line]:
    shown = [row for row in body if isinstance(row, DashboardRow)]
    if not shown:
        return [(Span(cut_text(NOTHING_FOUND if scene.sought else NOTHING, columns), SUBDUED),)]
    names = min(max(map(name_columns, shown)), max(columns // 3, 6))
    layout = RowLayout(columns, names, scene.now, is_live)
    at = find_row(shown, scene.cursor)
    chosen = None if at is None else shown[at]
    return [
        row_line(part, layout, part is chosen) if isinstance(part, DashboardRow) else part.line(columns) if part else ()
        for part in body
    ]


def _recent_lines(scene: Scene, columns: int, most: int) -> list[Line]:
    changes = [(record, words) for record in scene.records if (words := describe_change(record.change))][: max(most, 0)]
    if not changes:
        return []
    names = min(max(width(board_label(record.key)) for record, _ in changes), columns // 4) if columns >= 60 else 0
    head = "── Recent "
    rule: Line = (Span(head + "─" * (columns - len(head)), SUBDUED),)
    return [rule, *(_change_line(record, words, scene.now, names, columns) for record, words in changes)]


def _change_line(record: Record, words: str, now: float, names: int, columns: int) -> Line:
    by = record.change.by
    head = (
        Span(f"{duration(now - record.change.after.updated_at):>7}  ", SUBDUED),
        Span(pad(cut_text(by, 7), 8), "magenta" if by == "person" else SUBDUED),
        Span(f"{pad(board_label(record.key), names)}  " if names else ""),
    )
    return *head, Span(cut_text(words, max(columns - line_width(head), 0)))
