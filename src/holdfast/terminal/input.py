"""What `holdfast watch` waits for: keys, signals, and news from another thread."""

import os
import re
import select
import signal
import socket
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType

ARROWS = ("up", "down", "right", "left", "home", "end")
CODES = {1: "home", 3: "delete", 4: "end", 5: "page up", 6: "page down", 7: "home", 8: "end"}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT)

NAMES = (
    {" ": "space", "\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\x08": "backspace"}
    | {"\x01": "home", "\x05": "end", "\x15": "ctrl-u", "\x17": "ctrl-w"}
    | {f"\x1b{mode}{letter}": name for mode in "[O" for letter, name in zip("ABCDHF", ARROWS, strict=True)}
    | {f"\x1b[{number}~": name for number, name in CODES.items()}
)
"""The keys that have a name of more than one character, by what a terminal sends for them."""

ESCAPE_WAITS = 0.05
"""After how many seconds with nothing more a lone escape is that key, and not the start of a sequence."""

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?$")
_NEWS = 0


class Events:
    """Waits for what happens, in the main thread. As a context manager it takes the signals, and gives them back.

    A signal is only noted when it comes, and acted on between two drawings: nothing is ever torn off in the middle.
    """

    def __init__(self, keyboard: int) -> None:
        self._keyboard = keyboard
        self._keys = ""
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)

    def __enter__(self) -> "Events":
        self._old_fd = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        self._old = {number: signal.signal(number, _ignore) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._old_fd)
        self._mouth.close()
        self._ear.close()

    def wake(self) -> None:
        """End a wait, from any thread."""
        with suppress(OSError):  # full, so that the wait ends anyway; or closed, and nobody waits
            self._mouth.send(bytes([_NEWS]))

    def wait(self, timeout: float | None) -> Iterator[str | signal.Signals]:
        """Each key by its name and each signal that came, after at most so many seconds.

        Raises EOFError if the keyboard is gone.
        """
        ear = self._ear.fileno()
        is_escape = self._keys == "\x1b"
        ready, _, _ = select.select([self._keyboard, ear], [], [], ESCAPE_WAITS if is_escape else timeout)
        if ear in ready:
            yield from (signal.Signals(number) for number in self._ear.recv(4096) if number != _NEWS)
        if self._keyboard in ready:
            typed = os.read(self._keyboard, 1024)
            if not typed:
                raise EOFError("the keyboard is gone")
            names, self._keys = keys(self._keys + self._decoder.decode(typed))
            yield from names
        elif is_escape:
            self._keys = ""
            yield "escape"


def keys(text: str) -> tuple[list[str], str]:
    """The names of the keys typed, and the beginning of a sequence that is still to come in full."""
    found: list[str] = []
    at = 0
    while at < len(text):
        sequence = _SEQUENCE.match(text, at)
        if sequence is None and _UNFINISHED.match(text, at):
            return found, text[at:]
        key = sequence.group() if sequence else text[at]
        if key != "\x1b":
            found.append(NAMES.get(key, key))
        at += len(key)
    return found, ""


def _ignore(number: int, frame: FrameType | None) -> None:
    """Nothing is left to do: Python has already sent the number of the signal."""
