"""Where a command prints: how wide it is, whether it shows colours, which characters it can carry.

Every text of a model or a person goes through `Screen.text` on its way out: it stays in its own cell.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from json import JSONEncoder
from typing import NamedTuple, TextIO

from ..plan import Status, Todo
from ..plan.checklist import GLYPHS, label
from ..text import ELLIPSIS, fit, is_encodable, is_whole_number, one_line

ASCII_GLYPHS = {
    Status.PENDING: "o",
    Status.IN_PROGRESS: ">",
    Status.COMPLETED: "x",
    Status.CANCELLED: "/",
    Status.BLOCKED: "!",
}
STYLES = {
    Status.PENDING: "2",
    Status.IN_PROGRESS: "33",
    Status.COMPLETED: "90",
    Status.CANCELLED: "90",
    Status.BLOCKED: "31",
}
"""How a todo is coloured, as numbers of the terminal: dim, yellow, grey, grey, red."""

BOLD, DIM, GREEN = "1", "2", "32"
FULL, EMPTY = "█", "░"
NEEDED = "".join(GLYPHS.values()) + ELLIPSIS + FULL + EMPTY
NO_LIMIT = sys.maxsize
NARROWEST = 20
USUAL = 80
"""How wide a terminal is that does not say."""

_ASCII_SIGNS = str.maketrans({ELLIPSIS: "~", FULL: "#", EMPTY: "."})
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_NOT_ASCII = re.compile("[^\x00-\x7e]")
_encode = JSONEncoder(ensure_ascii=False, indent=2).encode
_escape = JSONEncoder().encode


class Screen(NamedTuple):
    """A stream to print on. Where it is no terminal, nothing is cut, unless `COLUMNS` says how wide it is.

    `print` wants lines that are ready; `text` and `cut` make them so.
    """

    stream: TextIO
    columns: int = NO_LIMIT
    colours: bool = False
    is_ascii: bool = False

    def text(self, text: str) -> str:
        """A text of a model or a person, fit to stand on one line of this screen."""
        line = one_line(text)
        encoding = self.stream.encoding or "utf-8"
        return line.encode(encoding, "replace").decode(encoding)

    def glyph(self, status: Status) -> str:
        """The sign of a status."""
        return (ASCII_GLYPHS if self.is_ascii else GLYPHS)[status]

    def todo(self, todo: Todo) -> str:
        """A todo's text: its content, or its active form while it is in progress."""
        return self.text(label(todo))

    def styled(self, text: str, style: str) -> str:
        """A text in a colour, where there are colours."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colours and style and text else text

    def bar(self, share: float, columns: int, rest: str = EMPTY) -> str:
        """A bar that is filled up to a share of its columns. What is not nothing shows at least one full column."""
        full = min(columns, max(round(share * columns), 1 if share > 0 else 0))
        return self.styled(FULL * full, GREEN) + self.styled(rest * (columns - full), DIM)

    def print(self, lines: Iterable[str]) -> None:
        """Print lines that are ready: each text in them was made safe, and cut to its cell."""
        for line in lines:
            self.stream.write(f"{line.translate(_ASCII_SIGNS) if self.is_ascii else line}\n")

    def print_json(self, data: object) -> None:
        """Print data as JSON."""
        self.print_json_text(_encode(data))

    def print_json_text(self, text: str) -> None:
        """Print a JSON text with everything escaped that a terminal would obey, or this screen cannot carry."""
        text = (_NOT_ASCII if self.is_ascii else _UNSAFE).sub(_escaped, text)
        self.stream.write(text.rstrip("\n") + "\n")

    def cut(self, text: str, taken: int = 0) -> str:
        """A text in the columns that are left of a line."""
        return fit(text, max(self.columns - taken, 1))


def screen(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Screen:
    """The screen that a stream is."""
    is_terminal = stream.isatty()
    columns = max(_columns(stream, environ), NARROWEST)
    colours = is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return Screen(stream, columns, colours, not is_encodable(NEEDED, stream.encoding or "utf-8"))


def _columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    """How wide a stream is: as `COLUMNS` says, else as its terminal does."""
    said = environ.get("COLUMNS", "")
    if is_whole_number(said, 9) and int(said):
        return int(said)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except OSError:
        return NO_LIMIT


def _escaped(found: re.Match[str]) -> str:
    """A character as JSON writes it without using it."""
    return _escape(found[0])[1:-1]
