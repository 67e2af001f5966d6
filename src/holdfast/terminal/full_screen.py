"""A terminal taken over and given back: the alternate screen, its modes, and lines drawn where they changed."""

import os
import termios
import tty
from collections.abc import Sequence
from contextlib import suppress

from .lines import Line, ansi_text, line_width, plain_text

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
"""The alternate screen, without a cursor, where a line that is too long does not wrap."""

LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
CLEAR = "\x1b[0m\x1b[2J"
TO_THE_END = "\x1b[K"
UNKNOWN = os.terminal_size((0, 0))


class Terminal:
    """A terminal to draw on. As a context manager it takes the terminal over, and gives it back as it was."""

    def __init__(self, keyboard: int, output: int, colour: bool = True, encoding: str = "utf-8") -> None:
        self._keyboard = keyboard
        self._output = output
        self._colour = colour
        self._encoding = encoding
        self._modes: list[object] | None = None
        self._shown: list[str] = []
        self._size = UNKNOWN

    def __enter__(self) -> "Terminal":
        self.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def enter(self) -> None:
        """Take the terminal over, or take it over again: keys come one by one, and are not echoed.

        Raises OSError if the terminal is gone.
        """
        try:
            self._modes = termios.tcgetattr(self._keyboard) if self._modes is None else self._modes
            self._shown, self._size = [], UNKNOWN
            tty.setcbreak(self._keyboard, termios.TCSANOW)
            self._write(ENTER)
        except termios.error as error:
            self.leave()
            raise OSError(*error.args) from error
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Give the terminal back. A terminal that is gone is no trouble."""
        modes, self._modes = self._modes, None
        if modes is None:
            return
        with suppress(OSError):
            self._write(LEAVE)
        with suppress(termios.error):
            termios.tcsetattr(self._keyboard, termios.TCSANOW, modes)  # type: ignore[arg-type]  # as tcgetattr gave it

    @property
    def size(self) -> os.terminal_size:
        """How large the terminal is now; the usual size if it does not know."""
        columns, lines = os.get_terminal_size(self._output)
        return os.terminal_size((columns or 80, lines or 24))

    def draw(self, lines: Sequence[Line]) -> None:
        """Show these lines. Only those that changed are written, all in one go."""
        size = self.size
        parts = []
        if size != self._size:
            self._size, self._shown = size, []
            parts.append(CLEAR)
        new = [self._text(line, size.columns) for line in lines]
        for at, text in enumerate(new):
            if at >= len(self._shown) or text != self._shown[at]:
                parts.append(f"\x1b[{at + 1};1H{text}")
        self._shown = new
        if parts:
            self._write("".join(parts))

    def _text(self, line: Line, columns: int) -> str:
        text = ansi_text(line, self._encoding) if self._colour else plain_text(line, self._encoding)
        # A line that fills its row ends in the last column, where erasing would take its last character.
        return text + TO_THE_END if line_width(line) < columns else text

    def _write(self, text: str) -> None:
        data = text.encode(self._encoding, "replace")
        while data:
            data = data[os.write(self._output, data) :]
