"""Where a command prints: how wide it is, whether it shows colours, which characters it can carry."""

import os
import re
import sys
from collections.abc import Iterable
from json import JSONEncoder
from typing import NamedTuple, TextIO

from ..text import is_encodable, is_whole_number
from .lines import Line, ansi_text, plain_text, text_line

NO_LIMIT = sys.maxsize
NARROWEST = 20
USUAL = 80
"""How wide a terminal is if it does not say."""

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_NOT_ASCII = re.compile("[^\x00-\x7e]")
_encode = JSONEncoder(ensure_ascii=False, indent=2).encode
_escape = JSONEncoder().encode


class Screen(NamedTuple):
    """A stream to print on. If it is not a terminal, it has no limit of columns, unless `COLUMNS` sets one."""

    stream: TextIO
    columns: int = NO_LIMIT
    colours: bool = False

    @classmethod
    def of_stream(cls, stream: TextIO) -> "Screen":
        """The screen that a stream writes to."""
        colours = stream.isatty() and wants_colours() and not is_dumb()
        return cls(stream, max(_columns(stream), NARROWEST), colours)

    def print(self, lines: Iterable[Line]) -> None:
        """Print lines. They are not cut here: each view cuts its own where it should."""
        text = ansi_text if self.colours else plain_text
        for line in lines:
            self.stream.write(f"{text(line, self._encoding)}\n")

    def print_text(self, *texts: str) -> None:
        """Print anybody's texts in full, each on one line, with nothing in them that a terminal would obey."""
        self.print(map(text_line, texts))

    def print_json(self, data: object) -> None:
        """Print data as JSON."""
        self.print_json_text(_encode(data))

    def print_json_text(self, text: str, end: str = "\n") -> None:
        """Print a JSON text with everything escaped that a terminal would obey, or this screen cannot carry.

        A piece of a longer text is printed with an empty `end`.
        """
        escaped = _UNSAFE.sub(_escaped, text)
        if not is_encodable(escaped, self._encoding):
            escaped = _NOT_ASCII.sub(_escaped, text)
        self.stream.write(escaped.rstrip("\n") + end if end else escaped)

    @property
    def _encoding(self) -> str:
        return self.stream.encoding or "utf-8"


def wants_colours() -> bool:
    """Whether the person has not turned colours off."""
    return not os.environ.get("NO_COLOR")


def is_dumb() -> bool:
    """Whether the terminal understands no escape codes."""
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def _columns(stream: TextIO) -> int:
    """How wide a stream is: as `COLUMNS` says, else as its terminal does."""
    wanted = os.environ.get("COLUMNS", "")
    if is_whole_number(wanted, 9) and int(wanted):
        return int(wanted)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except OSError:
        return NO_LIMIT


def _escaped(found: re.Match[str]) -> str:
    """A character as JSON writes it without using it."""
    return _escape(found[0])[1:-1]
