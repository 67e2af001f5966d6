"""A real program in a real pseudo-terminal, and its screen as a terminal emulator shows it."""

import copy
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from typing import Any

import pyte
from patience import PATIENCE
from pyte import modes

ALTERNATE_SCREEN = 1049
JOINERS: dict[int, None] = dict.fromkeys((0x200D, 0xFE0F))


class Emulator(pyte.Screen):
    """The emulator's screen, with the alternate screen and the dim text that pyte lacks."""

    def __init__(self, columns: int, lines: int) -> None:
        super().__init__(columns, lines)
        self._main: Any = None

    @property
    def is_alternate(self) -> bool:
        """Whether a program has the alternate screen."""
        return self._main is not None

    def set_mode(self, *numbers: int, **kwargs: Any) -> None:
        """Take up a mode."""
        super().set_mode(*numbers, **kwargs)
        if kwargs.get("private") and ALTERNATE_SCREEN in numbers and self._main is None:
            self._main = copy.deepcopy(self.buffer), copy.copy(self.cursor)
            self.erase_in_display(2)

    def reset_mode(self, *numbers: int, **kwargs: Any) -> None:
        """Drop a mode."""
        super().reset_mode(*numbers, **kwargs)
        if kwargs.get("private") and ALTERNATE_SCREEN in numbers and self._main is not None:
            hidden = self.cursor.hidden
            (self.buffer, self.cursor), self._main = self._main, None
            self.cursor.hidden = hidden

    def draw(self, data: str) -> None:
        """Show text. Pictures are not joined, as in simple terminals: pyte would drop what follows a joiner."""
        super().draw(data.translate(JOINERS))

    def select_graphic_rendition(self, *attrs: int) -> None:
        """Take up a look. pyte knows no dim text; here it is kept as text that blinks."""
        super().select_graphic_rendition(*[5 if attr == 2 else attr for attr in attrs])


class PseudoTerminal:
    """Runs Python code in a terminal of its own, and shows what is on the screen. As a context manager it ends it."""

    def __init__(self, code: str, columns: int, lines: int, environ: Mapping[str, str] | None = None) -> None:
        self.screen = Emulator(columns, lines)
        self.written = b""
        self._stream = pyte.ByteStream(self.screen)
        self._ours, self._theirs = pty.openpty()
        self._set_size(columns, lines)
        self.modes_before = termios.tcgetattr(self._theirs)
        base = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env={**base, "TERM": "xterm-256color", "PYTHONUTF8": "1", **(environ or {})},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None,
        )

    def __enter__(self) -> "PseudoTerminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()
        os.close(self._theirs)

    @property
    def lines(self) -> list[str]:
        """The lines on the screen, without the blanks at their ends."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """All that is on the screen."""
        return "\n".join(self.lines)

    @property
    def is_as_found(self) -> bool:
        """Whether the program left the terminal as it found it: modes, screen, cursor, wrapping, colours."""
        return (
            termios.tcgetattr(self._theirs) == self.modes_before
            and not self.screen.is_alternate
            and not self.screen.cursor.hidden
            and modes.DECAWM in self.screen.mode
            and self.screen.cursor.attrs == self.screen.default_char
        )

    def type(self, keys: str) -> None:
        """Type on the keyboard."""
        os.write(self._ours, keys.encode())

    def hang_up(self) -> None:
        """Close the window, if it is still open."""
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1

    def resize(self, columns: int, lines: int) -> None:
        """Make the window larger or smaller; the kernel tells the program."""
        self.screen.resize(lines, columns)
        self._set_size(columns, lines)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.process.send_signal(number)

    def wait_for(self, *texts: str) -> None:
        """Wait until all of these texts are on the screen."""
        self.wait_until(lambda: all(text in self.text for text in texts))

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so; fails, and shows the screen, if it takes too long."""
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline, f"it did not come to pass; the screen:\n{self.text}"
            self.read(0.02)

    def read(self, timeout: float) -> bool:
        """Take in what the program has written, if anything comes in so many seconds."""
        ready, _, _ = select.select([self._ours], [], [], timeout)
        if not ready:
            return False
        try:
            data = os.read(self._ours, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # what Linux says when the other end is closed
                raise
            return False
        self.written += data
        self._stream.feed(data)
        return bool(data)

    def ended(self) -> int:
        """Wait for the program's end, and take in its last words. Its exit code, negative for a signal."""
        self.wait_until(lambda: self.process.poll() is not None)
        while self.read(0.05):
            pass
        code = self.process.returncode
        assert code is not None
        return code

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
