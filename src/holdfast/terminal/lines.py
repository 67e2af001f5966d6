"""Lines of a terminal as values: spans of safe text with a style, cut to columns, and made fit for an encoding.

Styles are words that rich knows, of the sixteen base colours only: every theme, light or dark, makes them readable.
"""

from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import NamedTuple

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from ..plan import Status, Todo, checklist
from ..text import ELLIPSIS, clusters, fit, is_encodable, one_line, width

STYLES = {
    Status.PENDING: "dim",
    Status.IN_PROGRESS: "yellow",
    Status.COMPLETED: "bright_black",
    Status.CANCELLED: "bright_black strike",
    Status.BLOCKED: "red",
}

SUBDUED = "bright_black"
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

_CHARACTERS_A_COLUMN = 10
"""How many characters a column is worth reading: a family of pictures has five, a heap of marks has no end."""

_FALLBACKS = dict(zip("✓●○✗…─━│┌┐└┘▾▸❯·↑↓", "x>o/~-=|++++-+*-^v", strict=True)) | dict(zip(SPINNER, cycle("|/-\\")))


class Span(NamedTuple):
    """A piece of a line. Its text is safe to show: it has no control characters."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def cell(text: str, columns: int) -> str:
    """Anybody's text, made safe, in at most so many columns. Its cost does not grow with the text."""
    longest = max(columns, 1) * _CHARACTERS_A_COLUMN
    head = one_line(text[:longest])
    return fit(head + ELLIPSIS if len(text) > longest else head, columns)


def todo_line(todo: Todo, columns: int, glyph: str | None = None) -> Line:
    """One todo: its glyph, and what is said of it, in the style of its status."""
    style = STYLES[todo.status]
    mark = checklist.GLYPHS[todo.status] if glyph is None else glyph
    text = Span(cell(checklist.label(todo), columns - 2), style)
    return fitted((Span(f"{mark} ", style.removesuffix(" strike")), text), columns)


def fitted(line: Iterable[Span], columns: int) -> Line:
    """The line in at most so many columns, with an ellipsis where it was cut."""
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


def columns_of(line: Iterable[Span]) -> int:
    """How many columns the line takes."""
    return sum(width(span.text) for span in line)


def padded(line: Line, columns: int) -> Line:
    """The line in exactly so many columns."""
    line = fitted(line, columns)
    return (*line, Span(" " * (columns - columns_of(line))))


def carried(text: str, encoding: str) -> str:
    """The text with every character that the encoding lacks replaced by others, in as many columns."""
    if is_encodable(text, encoding):
        return text
    return "".join(
        piece if is_encodable(piece, encoding) else _FALLBACKS.get(piece, "?" * columns)
        for piece, columns in clusters(text)
    )


def plain_text(line: Line, encoding: str = "utf-8") -> str:
    """The line without its styles."""
    return carried("".join(span.text for span in line), encoding)


def painted(line: Line, encoding: str = "utf-8") -> str:
    """The line with its styles as escape codes."""
    return "".join(
        Style.parse(span.style).render(carried(span.text, encoding), color_system=ColorSystem.STANDARD) for span in line
    )


def segments(line: Line, encoding: str = "utf-8") -> Iterator[Segment]:
    """The line as rich wants it."""
    for span in line:
        yield Segment(carried(span.text, encoding), Style.parse(span.style))
