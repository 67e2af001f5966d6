"""Lines of a terminal as values: spans of safe text with a style, cut to columns, and encoded for a stream.

Every view is made of these: what a command prints, the box, `holdfast watch`, the agent's screen. Styles are words of
the sixteen base colours only: every theme, light or dark, makes them readable. They are words that rich knows, too.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import cycle
from typing import NamedTuple

from ..plan import Status, Todo
from ..plan.checklist import GLYPHS, label
from ..text import ELLIPSIS, clusters, fit, is_encodable, one_line, width

STATUS_STYLES = {
    Status.PENDING: "dim",
    Status.IN_PROGRESS: "yellow",
    Status.COMPLETED: "bright_black",
    Status.CANCELLED: "bright_black strike",
    Status.BLOCKED: "red",
}
"""How a todo is drawn. Only its text is struck out, not the glyph before it."""

SUBDUED = "bright_black"
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_PER_SECOND = 8

ASCII_FALLBACKS = dict(zip("✓●○✗…─━│┌┐└┘▾▸❯·↑↓█░", "x>o/~-=|++++-+*-^v#.", strict=True)) | dict(
    zip(SPINNER, cycle("|/-\\"))
)
"""What replaces one of our signs where the encoding lacks it, one column wide like the sign."""

_ANSI_CODES = {
    "bold": 1,
    "dim": 2,
    "strike": 9,
    "red": 31,
    "green": 32,
    "yellow": 33,
    "magenta": 35,
    "cyan": 36,
    "bright_black": 90,
}
_CHARACTERS_PER_COLUMN = 10
"""How many characters to read for each column: an emoji of a family has seven, a pile of accents has no end."""


class Span(NamedTuple):
    """A piece of a line. Its text is safe to show: it has no control characters."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def text_line(text: str, style: str = "") -> Line:
    """Anybody's text as a whole line, made safe."""
    return (Span(one_line(text), style),)


def todo_line(
    todo: Todo, columns: int, glyph: str | None = None, id: str = "", indent: str = "", note: str = ""
) -> Line:
    """One todo in the style of its status: its glyph, its id if it is to be shown, its label, how sure it is, a note.

    Where there is little room, a note takes at most half of what is left for the text.
    """
    style = STATUS_STYLES[todo.status]
    head = f"{indent}{GLYPHS[todo.status] if glyph is None else glyph} {f'{id}  ' if id else ''}"
    mark = _proof_mark(todo)
    room = columns - width(head) - line_width(mark)
    text = cut_text(label(todo), max(room, 1))
    after = f"  {cut_text(note, max(room - width(text), room // 2, 3) - 2)}" if note else ""
    spans = (Span(head, style.removesuffix(" strike")), Span(fit(text, max(room - width(after), 1)), style), *mark)
    return cut_line((*spans, Span(after, SUBDUED)) if after else spans, columns)


def _proof_mark(todo: Todo) -> Line:
    """Whether a check has shown that a todo is done, or somebody only says so. Empty for one without a check."""
    if todo.proof is not None:
        return (Span("  "), Span("proved", "green"))
    return (Span("  "), Span("claimed", "yellow")) if todo.is_claimed else ()


def cut_text(text: str, columns: int) -> str:
    """Anybody's text, made safe, in at most `columns` columns. Its cost does not grow with the text."""
    longest = max(columns, 1) * _CHARACTERS_PER_COLUMN
    head = one_line(text[:longest])
    return fit(head + ELLIPSIS if len(text) > longest else head, columns)


def wrap_line(text: str, columns: int | None) -> list[str]:
    """One line of text as rows of that many columns, broken between words where that is possible."""
    text = one_line(text)
    if columns is None or width(text) <= columns:
        return [text]
    rows, row, room = [], "", columns
    for piece in re.findall(r"\s+|[^\s]+", text):
        if width(piece) > room and not piece.isspace() and row:
            rows.append(row.rstrip())
            row, room = "", columns
        for cluster, wide in clusters(piece):
            if wide > room:
                rows.append(row.rstrip())
                row, room = "", columns
            if row or not cluster.isspace():
                row += cluster
                room -= wide
    return [*rows, row]


def wrap_text(text: str, columns: int) -> list[str]:
    """Anybody's text of several lines, made safe, as rows of that many columns."""
    return [row for line in text.splitlines() for row in wrap_line(line, max(columns, 2))]


def cut_line(line: Iterable[Span], columns: int) -> Line:
    """The line in at most `columns` columns, with an ellipsis where it was cut."""
    kept = []
    left = columns
    for span in line:
        text = fit(span.text, left)
        if text:
            kept.append(Span(text, span.style))
        if text != span.text:
            break
        left -= width(text)
    return tuple(kept)


def pad_line(line: Iterable[Span], columns: int, is_right: bool = False) -> Line:
    """The line in exactly `columns` columns, with blanks after it, or before it if it is aligned to the right."""
    line = cut_line(line, columns)
    blanks = Span(" " * (columns - line_width(line)))
    return (blanks, *line) if is_right else (*line, blanks)


def trim_line(line: Iterable[Span]) -> Line:
    """The line without the blanks at its end."""
    spans = list(line)
    while spans and not spans[-1].text.strip():
        spans.pop()
    return (*spans[:-1], Span(spans[-1].text.rstrip(), spans[-1].style)) if spans else ()


def line_width(line: Iterable[Span]) -> int:
    """How many columns the line takes."""
    return sum(width(span.text) for span in line)


def with_fallbacks(text: str, encoding: str) -> str:
    """The text with every character that the encoding lacks replaced by others, in as many columns."""
    if is_encodable(text, encoding):
        return text
    return "".join(
        piece if is_encodable(piece, encoding) else ASCII_FALLBACKS.get(piece, "?" * columns)
        for piece, columns in clusters(text)
    )


def plain_text(line: Line, encoding: str = "utf-8") -> str:
    """The line without its styles."""
    return with_fallbacks("".join(span.text for span in line), encoding)


def ansi_text(line: Line, encoding: str = "utf-8") -> str:
    """The line with its styles as escape codes."""
    return "".join(_styled(with_fallbacks(span.text, encoding), _ansi_codes(span.style)) for span in line)


def _styled(text: str, codes: str) -> str:
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


@cache
def _ansi_codes(style: str) -> str:
    return ";".join(map(str, sorted({_ANSI_CODES[word] for word in style.split()})))
