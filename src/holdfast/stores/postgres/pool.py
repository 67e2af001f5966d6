"""A few connections for many threads, opened again when the server was away."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore, local
from typing import TypeVar

import psycopg

from ...errors import InDoubt, StoreError
from ..address import Address
from ..store import in_use_by_this_thread
from .connection import DatabaseConnection, connect, options
from .trouble import is_lost, is_passing, store_error

_T = TypeVar("_T")

FIRST_PAUSE = 0.02
LONGEST_PAUSE = 0.5


class Pool:
    """Runs work on a database over at most `size` connections.

    There is no background thread: a connection is opened when it is needed, so a process may fork, and a caller that
    gets none learns why. After a lost connection, or a transaction that the server rolled back, the work is tried again
    for `patience` seconds; so it must be safe to run twice.
    """

    def __init__(self, address: Address, size: int, patience: float) -> None:
        self.display = address.display
        self.is_pooled = address.is_pooled
        self.patience = patience
        self.size = size
        self.is_closed = False
        self._inherited: list[DatabaseConnection] = []
        self._was_there = False
        self._start()
        self._options = options(address)

    def run(self, work: Callable[[DatabaseConnection], _T], doubt: str = "", once: bool = False) -> _T:
        """The result of `work`. Raises StoreError; InDoubt, with `doubt` before its message, if it may have been done.

        Work with `once` is not tried again when its answer was lost.
        """
        if self._thread.is_at_work:
            raise StoreError(in_use_by_this_thread(self.display))
        try:
            self._thread.is_at_work = True
            return self._retry(lambda deadline: self._try(work, deadline), doubt, once)
        finally:
            self._thread.is_at_work = False

    def open(self, prepare: Callable[[DatabaseConnection], object]) -> DatabaseConnection:
        """An additional connection, for a caller that waits on it; `prepare` is its first work. Raises StoreError."""
        return self._retry(lambda deadline: self._open_prepared(prepare))

    def close(self) -> None:
        """Close every connection. One that is in use is closed when it is given back."""
        self.is_closed = True
        self._close_idle()

    def __del__(self) -> None:
        if self._process == os.getpid():
            self._close_idle()

    def _start(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._thread = _ThreadWork()
        self._free = Semaphore(self.size)
        self._idle: list[DatabaseConnection] = []

    def _retry(self, act: Callable[[float], _T], doubt: str = "", once: bool = False) -> _T:
        deadline = time.monotonic() + self.patience
        pause, in_doubt = FIRST_PAUSE, ""
        while True:
            try:
                return act(deadline)
            except StoreError as refusal:
                raise (InDoubt if in_doubt else StoreError)(f"{in_doubt}{refusal}") from refusal
            except _Lost as lost:
                cause, again = lost.error, self._was_there and not (once and lost.was_sent)
                in_doubt = doubt if lost.was_sent else in_doubt
            except psycopg.Error as error:
                cause, again = error, is_passing(error)
            if not again or self.is_closed or time.monotonic() + pause > deadline:
                raise (InDoubt if in_doubt else StoreError)(f"{in_doubt}{store_error(cause, self.display)}") from cause
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _open_prepared(self, prepare: Callable[[DatabaseConnection], object]) -> DatabaseConnection:
        connection = self._new()
        try:
            with _raise_if_lost(connection, was_sent=False):
                prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _try(self, work: Callable[[DatabaseConnection], _T], deadline: float) -> _T:
        connection = self._acquire(deadline)
        try:
            with _raise_if_lost(connection, was_sent=True):
                return work(connection)
        except _Lost:
            self._close_idle()  # the server was away for them too
            raise
        finally:
            self._release(connection)

    def _acquire(self, deadline: float) -> DatabaseConnection:
        if self._process != os.getpid():  # the parent's connections must be neither used nor closed here
            self._inherited += self._idle
            self._start()
        if self.is_closed:
            raise StoreError(f"the store of {self.display} is closed")
        if not self._free.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise StoreError(
                f"all {self.size} connections to {self.display} were in use for {self.patience:g} seconds: "
                "try again, or open the store with more connections"
            )
        try:
            return self._idle_or_new()
        except BaseException:
            self._free.release()
            raise

    def _idle_or_new(self) -> DatabaseConnection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._new()

    def _new(self) -> DatabaseConnection:
        try:
            connection = connect(self._options, self.patience, self.is_pooled)
        except psycopg.OperationalError as error:
            raise _Lost(error, was_sent=False) from error
        self._was_there = True
        return connection

    def _release(self, connection: DatabaseConnection) -> None:
        if self.is_closed or connection.closed or connection.info.transaction_status:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        self._free.release()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class _ThreadWork(local):
    """Whether a thread is at work. Then only a signal handler asks for more, and it would wait for itself."""

    is_at_work = False


class _Lost(Exception):
    """The server could not be reached, or was lost before it answered."""

    def __init__(self, error: psycopg.Error, was_sent: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.was_sent = was_sent


@contextmanager
def _raise_if_lost(connection: DatabaseConnection, was_sent: bool) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        if not is_lost(error, connection):
            raise
        connection.close()
        raise _Lost(error, was_sent) from error
