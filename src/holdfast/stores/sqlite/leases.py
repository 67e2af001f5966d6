"""Leases in a plan file, for several processes on one machine, by that machine's clock."""

import sqlite3
import time
from collections.abc import Mapping

from ..store import Key
from .connection import Connection

_HOLD = """
    INSERT INTO leases VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE holder = excluded.holder OR expires_at <= ?
"""
_LET_GO = "DELETE FROM leases WHERE session = ? AND agent = ? AND what = ? AND holder = ?"
_HELD = "SELECT what, holder FROM leases WHERE session = ? AND agent = ? AND expires_at > ?"


class SQLiteLeases:
    """Keeps leases in the plan file at a path, over a connection of its own.

    They are not synced, as plans are: after a loss of power no holder is left. Every method raises StoreError if the
    file cannot be used.
    """

    def __init__(self, path: str, busy_wait: float) -> None:
        self._connection = Connection(path, busy_wait)

    def hold(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a lease, or renew one's own; whether one has it now."""

        def take(sqlite: sqlite3.Connection) -> int:
            now = time.time()
            return self._changed(sqlite, _HOLD, (*key, what, holder, now + seconds, now))

        return self._connection.run(take, create_file=True) == 1

    def let_go(self, key: Key, what: str, holder: str) -> None:
        """Give one's lease back."""
        self._connection.run(lambda sqlite: self._changed(sqlite, _LET_GO, (*key, what, holder)))

    def held(self, key: Key) -> Mapping[str, str]:
        """What is held on a board now, and by whom."""
        rows = self._connection.run(lambda sqlite: sqlite.execute(_HELD, (*key, time.time())).fetchall())
        return dict(rows or ())

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _changed(self, sqlite: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> int:
        sqlite.execute("PRAGMA synchronous = NORMAL")
        return sqlite.execute(statement, values).rowcount
