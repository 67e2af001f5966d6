"""One process's connection to a plan file: one lock, and every error of the file raised as a StoreError."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import TypeVar

from ...errors import StoreError
from ..store import in_use_by_this_thread
from . import forks
from .file import SIDECARS, check_log_is_there, check_nothing_left, check_one_name, connect, create
from .trouble import store_error

_T = TypeVar("_T")

DEADLINE = 60.0
"""How many seconds one piece of work may keep SQLite busy. The longest that we ask for takes a tenth of it."""

STEPS = 100_000
"""After how many steps of its machine SQLite looks at the clock: some milliseconds."""

File = tuple[int, int, int]
"""Which file it is: its device, its inode, and how often the file was missing before."""

SideFiles = tuple[tuple[int, int] | None, tuple[int, int] | None]
"""Which files lie beside it: device and inode of the log and of its index, `None` for one that is not there."""


class FileConnection:
    """Runs one piece of work at a time on a plan file. It opens the file when it is first needed.

    Threads take turns. It notices when the file was renamed or replaced, so that nothing is written to a file that
    nobody will read: `file` says which file it is.
    """

    def __init__(self, path: str, busy_wait: float) -> None:
        self.path = path
        self.is_closed = False
        self._busy_wait = busy_wait
        self._lock = RLock()  # a signal handler that interrupts its own thread must not wait for it
        self._sqlite: sqlite3.Connection | None = None
        self._sides: SideFiles = (None, None)
        self._started_at = 0.0
        self._is_at_work = False
        self.file: File | None = None
        self._times_gone = 0
        forks.register(self)

    def run(self, act: Callable[[sqlite3.Connection], _T], create_file: bool = False) -> _T | None:
        """The result of `act` on the open file; `None` if there is no file yet. Raises StoreError."""
        with self._lock:
            if self._is_at_work:  # only a signal handler comes so far while its own thread is at work
                raise StoreError(in_use_by_this_thread(self.path))
            if self.is_closed:
                raise StoreError(f"the store of {self.path} is closed")
            try:
                self._is_at_work = True
                sqlite = self._open()
                if sqlite is None and create_file:
                    create(self.path)
                    sqlite = self._open()
                self._started_at = time.monotonic()
                return None if sqlite is None else act(sqlite)
            except (sqlite3.Error, OSError) as error:
                raise self._trouble(error) from error
            except UnicodeEncodeError as error:
                raise StoreError(f"the name of a session or an agent is not valid text: {error}") from error
            finally:
                self._is_at_work = False

    def begin(self, sqlite: sqlite3.Connection) -> None:
        """Begin to write. Raises StoreError if the index of the log is no longer ours.

        Whoever finds a side file gone removes the index, too, and moves on to new ones only while nobody writes. So
        whoever may write now looks once more.
        """
        sqlite.execute("BEGIN IMMEDIATE")
        if _identity(self.path + SIDECARS[1]) != self._sides[1]:
            raise StoreError(f"files beside {self.path} were removed while in use: nothing was written; try again")

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

    def before_end(self) -> None:
        """Leave a file alone whose log was replaced. Whatever the end of the process closes would write its pages."""
        if self._sqlite is not None and self._is_replaced():
            _leave_open(self._sqlite)
            _say_loss(self.path)

    def __del__(self) -> None:
        with suppress(OSError):  # whoever runs by now may not even look at the file
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
            self._connect(file)
        elif status.st_nlink > 1:
            check_one_name(self.path, status)
        elif (sides := _side_files(self.path)) != self._sides:
            raise self._sides_changed(self._sqlite, sides)
        return self._sqlite

    def _connect(self, file: File) -> None:
        check_log_is_there(self.path)
        sqlite = connect(self.path, self._busy_wait)
        self._sides = _side_files(self.path)
        if None in self._sides:  # SQLite shares the removed one with another connection of this process
            sqlite.close()
            raise StoreError(
                f"files beside {self.path} were removed while in use: end this program, and start it again"
            )
        if not _are_open(self._sides):  # they were removed, and somebody else was faster to make new ones
            _leave_open(sqlite)
            raise StoreError(f"files beside {self.path} were replaced while it was opened: try again")
        sqlite.set_progress_handler(self._is_late, STEPS)
        self._sqlite, self.file = sqlite, file

    def _is_late(self) -> bool:
        return time.monotonic() - self._started_at > DEADLINE

    def _trouble(self, error: sqlite3.Error | OSError) -> StoreError:
        """What went wrong. Where files beside the file were changed under us, any error may come from that."""
        if self._sqlite is not None and self._is_same_file() and (now := _side_files(self.path)) != self._sides:
            return self._sides_changed(self._sqlite, now)
        self._disconnect()  # whatever it was, the next call opens the file again
        return store_error(error, self.path)

    def _sides_changed(self, sqlite: sqlite3.Connection, now: SideFiles) -> StoreError:
        """The error for a log or its index that was removed from under us. What is in the log is saved, if possible.

        While we have the file open, no other process removes them at its own end. So if nobody has made them anew,
        nobody has written since. If somebody has, our pages must not get over theirs.
        """
        if self._is_alone(now) and self._is_saved(sqlite):
            with suppress(FileNotFoundError):  # an index is of one log: the next log needs another one
                os.unlink(self.path + SIDECARS[1])
            self._disconnect()
            gone = " and ".join(self.path + suffix for suffix, new in zip(SIDECARS, now, strict=True) if new is None)
            were = "was" if now.count(None) == 1 else "were"
            return StoreError(f"{gone} {were} removed while in use; nothing is lost, and you can write again")
        return StoreError(_replaced(self.path))

    def _disconnect(self) -> None:
        sqlite, self._sqlite = self._sqlite, None
        if sqlite is None:
            return
        if self._is_replaced():
            _leave_open(sqlite)
            return
        is_last = self._is_same_file() and _side_files(self.path) != self._sides  # the log ends with us
        if is_last and not self._is_saved(sqlite):
            _say_loss(self.path)
        sqlite.close()

    def _is_saved(self, sqlite: sqlite3.Connection) -> bool:
        """Save what is in our log. Returns whether all of it is in the file, and nobody has begun another log since."""
        try:
            is_busy = sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error:
            return False
        return not is_busy and self._is_alone(_side_files(self.path))

    def _is_same_file(self) -> bool:
        return self.file is not None and _identity(self.path) == self.file[:2]

    def _is_replaced(self) -> bool:
        """Whether other processes use the same file with another log, over which our pages must not get."""
        return self._is_same_file() and not self._is_alone(_side_files(self.path))

    def _is_alone(self, now: SideFiles) -> bool:
        """Whether nobody else has the file open with another log than ours, or with another index of it."""
        return all(new in (None, old) for new, old in zip(now, self._sides, strict=True))


def _replaced(path: str) -> str:
    return (
        f"{path}{SIDECARS[0]} was replaced while it was in use, and the last changes in it may be lost: end this "
        "program, look at the plan, and keep other programs away from the files beside it"
    )


def _say_loss(path: str) -> None:
    """Say what nobody is left to be answered with."""
    import logging  # slow to import, and rarely needed

    logging.getLogger("holdfast").error("holdfast: %s", _replaced(path))


def _leave_open(sqlite: sqlite3.Connection) -> None:
    """Never close a connection, not even at the end of the process: closing it would write its pages."""
    from ctypes import py_object, pythonapi

    pythonapi.Py_IncRef(py_object(sqlite))


def _are_open(sides: SideFiles) -> bool:
    """Whether this process has these very files open."""
    found = set[tuple[int, int] | None]()
    try:
        for name in os.listdir("/dev/fd"):
            with suppress(OSError):  # the one that lists them is closed by now
                status = os.fstat(int(name))
                found.add((status.st_dev, status.st_ino))
    except OSError:  # a system that does not tell
        return True
    return found.issuperset(sides)


def _side_files(path: str) -> SideFiles:
    return _identity(path + SIDECARS[0]), _identity(path + SIDECARS[1])


def _identity(path: str) -> tuple[int, int] | None:
    """Which file a path leads to; `None` if there is none."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
