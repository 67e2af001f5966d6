"""One process's connection to a plan file: one lock, and every error of the file raised as a StoreError."""

import os
import sqlite3
import time
from collections.abc import Callable
from threading import Lock, get_ident
from typing import TypeVar

from ...errors import StoreError
from . import forks
from .file import SIDECARS, check_nothing_left, check_one_name, connect, create
from .trouble import store_error

_T = TypeVar("_T")

DEADLINE = 60.0
"""How many seconds one piece of work may keep SQLite busy. The longest that we ask for takes a tenth of it."""

STEPS = 100_000
"""After how many steps of its machine SQLite looks at the clock: some milliseconds."""

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
        self._log: tuple[int, int] | None = None
        self._started_at = 0.0
        self._at_work = 0
        self.file: File | None = None
        self._times_gone = 0
        forks.register(self)

    def run(self, act: Callable[[sqlite3.Connection], _T], create_file: bool = False) -> _T | None:
        """The result of `act` on the open file; `None` if there is no file yet. Raises StoreError."""
        if self._at_work == get_ident():  # a signal handler has interrupted the work of its own thread
            raise StoreError(f"{self.path} is in use by this thread: a signal handler must leave the plan to it")
        with self._lock:
            if self.is_closed:
                raise StoreError(f"the store of {self.path} is closed")
            try:
                self._at_work = get_ident()
                sqlite = self._open()
                if sqlite is None and create_file:
                    create(self.path)
                    sqlite = self._open()
                self._started_at = time.monotonic()
                return None if sqlite is None else act(sqlite)
            except (sqlite3.Error, OSError) as error:
                self._disconnect()  # whatever it was, the next call opens the file again
                raise store_error(error, self.path) from error
            except UnicodeEncodeError as error:
                raise StoreError(f"the name of a session or an agent is not valid text: {error}") from error
            finally:
                self._at_work = 0

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
            self._sqlite.set_progress_handler(self._is_late, STEPS)
            self._log = _identity(self.path + SIDECARS[0])
        elif status.st_nlink > 1:
            check_one_name(self.path, status)
        elif _identity(self.path + SIDECARS[0]) != self._log:
            raise self._log_is_gone(self._sqlite)
        return self._sqlite

    def _is_late(self) -> bool:
        return time.monotonic() - self._started_at > DEADLINE

    def _log_is_gone(self, sqlite: sqlite3.Connection) -> StoreError:
        """The error for a log that was removed from under us. What is in it is saved, if that is still possible.

        While we have the file open, no other process removes the log at its own end. So if there is none, nobody has
        written since. If there is another one, somebody has, and our pages must not get over theirs.
        """
        log = self.path + SIDECARS[0]
        if _identity(log) is None and sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0:
            self._disconnect()
            return StoreError(f"{log} was removed while it was in use; nothing is lost, and you can write again")
        return StoreError(
            f"{log} was replaced while it was in use, and the last changes in it are lost: end this program, look at "
            "the plan, and keep other programs away from the files beside it"
        )

    def _disconnect(self) -> None:
        sqlite, self._sqlite = self._sqlite, None
        if sqlite is None:
            return
        if self._is_cut_off():
            from ctypes import py_object, pythonapi

            pythonapi.Py_IncRef(py_object(sqlite))  # it is never closed: closing it would write its pages
        else:
            sqlite.close()

    def _is_cut_off(self) -> bool:
        """Whether others have the same file open with another log."""
        log = _identity(self.path + SIDECARS[0])
        is_same_file = self.file is not None and _identity(self.path) == self.file[:2]
        return is_same_file and log is not None and log != self._log


def _identity(path: str) -> tuple[int, int] | None:
    """Which file a path leads to; `None` if there is none."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
