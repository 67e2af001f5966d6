"""Waiting for changes: LISTEN on a separate connection, without polling."""

import time
from collections.abc import Callable

import psycopg
from psycopg import errors, sql

from .connection import DatabaseConnection
from .pool import Pool

MARK = 60.0
"""For how many seconds a watcher asks writers to send notifications."""

HEARTBEAT = 20.0
"""How many seconds pass between two renewals of that, which also show whether the connection is alive."""

GLANCE = 0.5
"""How many seconds pass between two checks whether the store was closed. The server is not asked for that."""

DEAF_PAUSE = 1.0
"""How many seconds pass between two looks for changes where LISTEN is not possible: on a replica, behind a pooler."""


class NotificationListener:
    """Waits for changes in one namespace. `mark` asks its writers to send notifications.

    A lost connection is opened again. The caller reads new changes by sequence before each wait, so a lost
    notification loses no change.
    """

    def __init__(self, pool: Pool, channel: str, mark: Callable[[DatabaseConnection], object]) -> None:
        self._pool = pool
        self._channel = channel
        self._mark = mark
        self._connection: DatabaseConnection | None = None
        self._is_deaf = pool.is_pooled  # a pooler does not pass notifications on
        self._renew_at = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether a change that is committed from now on ends a wait. If not, `listen`, then look for changes again."""
        return self._is_deaf or self._connection is not None

    def listen(self) -> None:
        """Start to listen. Raises StoreError."""
        self._connection = self._pool.open(self._prepare)
        self._renew_at = time.monotonic() + HEARTBEAT
        if self._is_deaf:
            self.close()

    def wait(self, seconds: float, is_over: Callable[[], bool]) -> None:
        """Return when there may be something new, after so many seconds, or soon after `is_over` says so."""
        if self._connection is None:
            time.sleep(min(DEAF_PAUSE, seconds))
            return
        until = time.monotonic() + seconds
        try:
            while not is_over() and (left := until - time.monotonic()) > 0:
                for _ in self._connection.notifies(timeout=min(GLANCE, left), stop_after=1):
                    return
                if time.monotonic() >= self._renew_at:
                    self._mark(self._connection)
                    self._renew_at = time.monotonic() + HEARTBEAT
                    return
        except psycopg.Error:
            self.close()

    def close(self) -> None:
        """Stop listening."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _prepare(self, connection: DatabaseConnection) -> None:
        try:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
            self._mark(connection)
        except (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege):
            self._is_deaf = True
