"""Deleting a board of an SQLite file: its history and its texts go, and its numbers stay."""

import sqlite3
from collections.abc import Callable

from ...errors import StaleRevision
from ...plan import Change
from .. import codec
from ..store import EMPTY, Key

_BOARD = "session = ? AND agent = ?"
_HEAD = f"SELECT id, sequence FROM boards WHERE {_BOARD} AND revision = ?"
_LAST_CHANGE = """
    INSERT INTO changes (board, previous, revision, number, at, made_by, action, undoes, delta)
    VALUES (?, 0, ?, ?, ?, ?, ?, 0, ?)
"""
_FORGET_CHANGES = """
    WITH RECURSIVE chain (sequence, previous) AS (
        SELECT sequence, previous FROM changes WHERE sequence = ?
        UNION ALL
        SELECT c.sequence, c.previous FROM chain JOIN changes AS c
        ON c.sequence = chain.previous AND c.sequence < chain.sequence
    )
    DELETE FROM changes WHERE sequence IN (SELECT sequence FROM chain)
"""
_KEPT_BESIDE = ("tallies", "leases", "journals", "damaged", "boards")


def delete(sqlite: sqlite3.Connection, begin: Callable[[sqlite3.Connection], None], key: Key, change: Change) -> None:
    """Store the last change of a board, and delete all else of it. Raises StaleRevision if the plan has moved on."""
    sqlite.execute("PRAGMA secure_delete = ON")
    try:
        with sqlite:
            begin(sqlite)
            _replace(sqlite, key, change)
        sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log has the old texts, too
    finally:
        sqlite.execute("PRAGMA secure_delete = OFF")


def _replace(sqlite: sqlite3.Connection, key: Key, change: Change) -> None:
    head = sqlite.execute(_HEAD, (*key, change.before.revision)).fetchone()
    if head is None:
        raise StaleRevision(f"the plan is no longer at revision {change.before.revision}: read it again")
    board, newest = head
    after, delta = change.after, codec.delta_to_json(EMPTY, change.after)
    row = (board, after.revision, after.number, after.updated_at, change.by, change.action, delta)
    sequence = sqlite.execute(_LAST_CHANGE, row).lastrowid
    forget_board(sqlite, key, newest)
    left = (board, *key, after.revision, sequence, codec.plan_to_json(after))
    sqlite.execute("INSERT INTO deleted_boards VALUES (?, ?, ?, ?, ?, ?)", left)


def forget_board(sqlite: sqlite3.Connection, key: Key, newest: int) -> None:
    """Delete the changes of a board, from the newest back, and all that was kept for it."""
    sqlite.execute(_FORGET_CHANGES, (newest,))
    for table in _KEPT_BESIDE:
        sqlite.execute(f"DELETE FROM {table} WHERE {_BOARD}", key)
