"""One process's connection to a plan file: one lock, and every error of the file raised as a StoreError."""

import os
import sqlite3
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from ...errors import StoreError
from . import forks
from .file import check_nothing_left, connect, create
from .trouble import store_error

_T = TypeVar("_T")

File = tuple[int, int, int]
"""Which file it is: its device, its inode, and how often the file was missing before."""


class FileConnection:
    """Runs one piece of work at a time on a plan file. It opens the file when it is first needed.

    Threads take turns. It notices when the file was renamed or replaced, so that nothing is written to a file that
    nobody will read: `file` says which file it is.
    """

    def __init__(self, path: str, busy_wait: float) -> None:
        self.path = path
        self.is_closed = False
        self._busy_wait = busy_wait
        self._lock = Lock()
        self._sqlite: sqlite3.Connection | None = None
        self.file: File | None = None
        self._times_gone = 0
        forks.register(self)

    def run(self, act: Callable[[sqlite3.Connection], _T], create_file: bool = False) -> _T | None:
        """The result of `act` on the open file; `None` if there is no file yet. Raises StoreError."""
        with self._lock:
            if self.is_closed:
                raise StoreError(f"the store of {self.path} is closed")
            try:
                sqlite = self._open()
                if sqlite is None and create_file:
                    create(self.path)
                    sqlite = self._open()
                return None if sqlite is None else act(sqlite)
            except (sqlite3.Error, OSError) as error:
                self._disconnect()  # whatever it was, the next call opens the file again
                raise store_error(error, self.path) from error
            except UnicodeEncodeError as error:
                raise StoreError(f"the name of a session or an agent is not valid text: {error}") from error

    def close(self) -> None:
        """Close the file for good."""
        with self._lock:
            self.is_closed = True
            self._disconnect()

    def before_fork(self) -> None:
        """Close the file, and keep other threads from opening it."""
        self._lock.acquire()
        self._disconnect()

    def after_fork(self) -> None:
        """Let other threads continue."""
        self._lock.release()

    def __del__(self) -> None:
        self._disconnect()

    def _open(self) -> sqlite3.Connection | None:
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self._times_gone += self._sqlite is not None  # the next file may get the inode of this one
            self._disconnect()
            check_nothing_left(self.path)
            return None
        file = (status.st_dev, status.st_ino, self._times_gone)
        if self._sqlite is None or file != self.file:
            self._disconnect()
            self._sqlite, self.file = connect(self.path, self._busy_wait), file
        return self._sqlite

    def _disconnect(self) -> None:
        sqlite, self._sqlite = self._sqlite, None
        if sqlite is not None:
            sqlite.close()
