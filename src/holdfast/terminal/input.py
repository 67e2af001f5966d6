"""What `holdfast watch` waits for: keys, signals, and news from another thread."""

import os
import re
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT)

ARROWS = {"\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down"}
NAMES = {" ": "space", "\r": "enter", "\n": "enter"} | ARROWS

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
        ready, _, _ = select.select([self._keyboard, ear], [], [], timeout)
        if ear in ready:
            yield from (signal.Signals(number) for number in self._ear.recv(4096) if number != _NEWS)
        if self._keyboard in ready:
            typed = os.read(self._keyboard, 1024)
            if not typed:
                raise EOFError("the keyboard is gone")
            names, self._keys = keys(self._keys + typed.decode("utf-8", "replace"))
            yield from names


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
    """Nothing is left to do: Python has sent its number to whoever waits."""
