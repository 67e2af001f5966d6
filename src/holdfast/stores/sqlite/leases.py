"""Leases in a plan file, for the processes of one machine, by its clock."""

import sqlite3
import time
from collections.abc import Mapping

from ..store import Key
from .connection import FileConnection

_ACQUIRE = """
    INSERT INTO leases VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE holder = excluded.holder OR expires_at <= ?
"""
_RELEASE = "DELETE FROM leases WHERE session = ? AND agent = ? AND what = ? AND holder = ?"
_HOLDERS = "SELECT what, holder FROM leases WHERE session = ? AND agent = ? AND expires_at > ?"


class SQLiteLeases:
    """Keeps leases in the plan file at a path, over a connection of its own.

    Unlike plans, they are not synced: after a power loss their holders are gone too. Every method raises StoreError if
    the file cannot be used.
    """

    def __init__(self, path: str, busy_wait: float) -> None:
        self._connection = FileConnection(path, busy_wait)

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a free or expired lease, or renew your own. Returns whether `holder` has it now."""

        def take(sqlite: sqlite3.Connection) -> int:
            now = time.time()
            return self._execute(sqlite, _ACQUIRE, (*key, what, holder, now + seconds, now))

        return self._connection.run(take, create_file=True) == 1

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give your lease back."""
        self._connection.run(lambda sqlite: self._execute(sqlite, _RELEASE, (*key, what, holder)))

    def lease_holders(self, key: Key) -> Mapping[str, str]:
        """The leases on a board that have not expired: what, and who holds it."""
        rows = self._connection.run(lambda sqlite: sqlite.execute(_HOLDERS, (*key, time.time())).fetchall())
        return dict(rows or ())

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _execute(self, sqlite: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> int:
        sqlite.execute("PRAGMA synchronous = NORMAL")
        return sqlite.execute(statement, values).rowcount
