"""A few connections for many threads: handed out, taken back, and opened anew when the server was away."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore
from typing import TypeVar

import psycopg

from ...errors import InDoubt, StoreError
from ..address import Address
from .connection import Connection, connect, options
from .trouble import is_lost, is_passing, trouble

_T = TypeVar("_T")

FIRST_PAUSE = 0.02
LONGEST_PAUSE = 0.5


class Pool:
    """Runs work on a database over at most `size` connections.

    No thread of its own keeps them: a connection is opened when it is needed, so a process may fork, and who cannot
    have one is told why. Work that met a lost connection or a transaction that the server undid is tried again for
    `patience` seconds; it has to be such that twice is no more than once.
    """

    def __init__(self, address: Address, size: int, patience: float) -> None:
        self.shown = address.shown
        self.patience = patience
        self.size = size
        self.is_closed = False
        self._inherited: list[Connection] = []
        self._was_there = False
        self._start()
        self._options = options(address)

    def run(self, work: Callable[[Connection], _T], doubt: str = "", once: bool = False) -> _T:
        """What `work` finds or does. Raises StoreError, with `doubt` before it if it may have been done in spite of it.

        Work that is to be done `once` is not tried again when its answer was lost.
        """
        return self._again(lambda deadline: self._try(work, deadline), doubt, once)

    def open(self, prepare: Callable[[Connection], object]) -> Connection:
        """A connection beside the others, for who waits on it; `prepare` is its first work. Raises StoreError."""
        return self._again(lambda deadline: self._prepared(prepare))

    def close(self) -> None:
        """Let go of every connection. One that is at work is closed when it is given back."""
        self.is_closed = True
        self._close_idle()

    def __del__(self) -> None:
        if self._process == os.getpid():
            self._close_idle()

    def _start(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._free = Semaphore(self.size)
        self._idle: list[Connection] = []

    def _again(self, act: Callable[[float], _T], doubt: str = "", once: bool = False) -> _T:
        deadline = time.monotonic() + self.patience
        pause, told = FIRST_PAUSE, ""
        while True:
            try:
                return act(deadline)
            except StoreError as refusal:
                raise (InDoubt if told else StoreError)(f"{told}{refusal}") from refusal
            except _Lost as lost:
                met, again = lost.error, self._was_there and not (once and lost.was_sent)
                told = doubt if lost.was_sent else told
            except psycopg.Error as error:
                met, again = error, is_passing(error)
            if not again or self.is_closed or time.monotonic() + pause > deadline:
                raise (InDoubt if told else StoreError)(f"{told}{trouble(met, self.shown)}") from met
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _prepared(self, prepare: Callable[[Connection], object]) -> Connection:
        connection = self._new()
        try:
            with _telling_losses(connection, was_sent=False):
                prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _try(self, work: Callable[[Connection], _T], deadline: float) -> _T:
        connection = self._take(deadline)
        try:
            with _telling_losses(connection, was_sent=True):
                return work(connection)
        except _Lost:
            self._close_idle()  # the server was away for them, too
            raise
        finally:
            self._give_back(connection)

    def _take(self, deadline: float) -> Connection:
        if self._process != os.getpid():  # the parent's connections are the parent's: not to be used, nor to be closed
            self._inherited += self._idle
            self._start()
        if self.is_closed:
            raise StoreError(f"the store of {self.shown} is closed")
        if not self._free.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise StoreError(
                f"all {self.size} connections to {self.shown} were in use for {self.patience:g} seconds: "
                "try again, or open the store with more connections"
            )
        try:
            return self._idle_or_new()
        except BaseException:
            self._free.release()
            raise

    def _idle_or_new(self) -> Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._new()

    def _new(self) -> Connection:
        try:
            connection = connect(self._options, self.patience)
        except psycopg.OperationalError as error:
            raise _Lost(error, was_sent=False) from error
        self._was_there = True
        return connection

    def _give_back(self, connection: Connection) -> None:
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


class _Lost(Exception):
    """The server could not be reached, or was lost before it answered."""

    def __init__(self, error: psycopg.Error, was_sent: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.was_sent = was_sent


@contextmanager
def _telling_losses(connection: Connection, was_sent: bool) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        if not is_lost(error, connection):
            raise
        connection.close()
        raise _Lost(error, was_sent) from error
