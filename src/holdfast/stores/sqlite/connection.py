"""One process's way to a plan file: one connection, one lock, the file's troubles told as ours."""

import os
import sqlite3
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from ...errors import StoreError
from . import forks
from .file import check_gone, connect, create
from .trouble import trouble

_T = TypeVar("_T")

File = tuple[int, int, int]
"""Which file it is: its device, its number there, and how often there was none before it."""


class Connection:
    """Runs one piece of work at a time on a plan file. It opens the file when it is first needed.

    Threads take turns. A file that was renamed or replaced under its name is noticed, so that nothing is written to one
    that nobody will read: `file` says which one it is.
    """

    def __init__(self, path: str, busy_wait: float) -> None:
        self.path = path
        self.is_closed = False
        self._busy_wait = busy_wait
        self._lock = Lock()
        self._sqlite: sqlite3.Connection | None = None
        self.file: File | None = None
        self._times_gone = 0
        forks.tell(self)

    def run(self, act: Callable[[sqlite3.Connection], _T], create_file: bool = False) -> _T | None:
        """What `act` finds or does in the file; none if there is no file yet. Raises StoreError."""
        with self._lock:
            if self.is_closed:
                raise StoreError(f"the store of {self.path} is closed")
            try:
                sqlite = self._opened()
                if sqlite is None and create_file:
                    create(self.path)
                    sqlite = self._opened()
                return None if sqlite is None else act(sqlite)
            except (sqlite3.Error, OSError) as error:
                self._let_go()  # whatever it was, the next call starts afresh
                raise trouble(error, self.path) from error
            except UnicodeEncodeError as error:
                raise StoreError(f"the name of a session or an agent is not valid text: {error}") from error

    def close(self) -> None:
        """Let go of the file for good."""
        with self._lock:
            self.is_closed = True
            self._let_go()

    def before_fork(self) -> None:
        """Let go of the file, and keep other threads from opening it."""
        self._lock.acquire()
        self._let_go()

    def after_fork(self) -> None:
        """Let threads go on."""
        self._lock.release()

    def __del__(self) -> None:
        self._let_go()

    def _opened(self) -> sqlite3.Connection | None:
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self._times_gone += self._sqlite is not None  # what comes next may have the number that this one had
            self._let_go()
            check_gone(self.path)
            return None
        file = (status.st_dev, status.st_ino, self._times_gone)
        if self._sqlite is None or file != self.file:
            self._let_go()
            self._sqlite, self.file = connect(self.path, self._busy_wait), file
        return self._sqlite

    def _let_go(self) -> None:
        sqlite, self._sqlite = self._sqlite, None
        if sqlite is not None:
            sqlite.close()
