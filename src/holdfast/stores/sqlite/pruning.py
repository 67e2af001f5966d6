"""Deleting old changes and plans of an SQLite file, in steps so short that no writer waits long."""

import sqlite3
import time
from collections.abc import Iterator

from ..store import Key
from .changes import ARCHIVE
from .deletion import forget_board

STEP = 5_000
"""How many changes are looked at in one transaction."""

_LAST_TO_GO = """
    CREATE TEMP TABLE last_to_go AS
    SELECT board, max(sequence) AS sequence
    FROM (
        SELECT board, sequence, at, row_number() OVER (PARTITION BY board ORDER BY sequence DESC) AS place FROM changes
    )
    WHERE place > ? AND at < ?
    GROUP BY board
"""
_FORGET = """
    DELETE FROM changes
    WHERE sequence > ? AND sequence <= ?
    AND sequence <= (SELECT last_to_go.sequence FROM last_to_go WHERE last_to_go.board = changes.board)
"""
_COUNT = "SELECT count(*) FROM changes JOIN last_to_go USING (board) WHERE changes.sequence <= last_to_go.sequence"
# The newest change of the file stays whatever it is: its sequence must not be given again.
_ARCHIVED = f"""
    SELECT 'boards', b.id, b.sequence, session, agent FROM boards AS b JOIN changes AS c ON c.sequence = b.sequence
    WHERE action = '{ARCHIVE}' AND at < :before AND b.sequence < (SELECT max(sequence) FROM changes)
    UNION ALL
    SELECT 'deleted_boards', d.id, d.sequence, session, agent
    FROM deleted_boards AS d JOIN changes AS c ON c.sequence = d.sequence
    WHERE at < :before AND d.sequence < (SELECT max(sequence) FROM changes)
"""


def delete_archived(connection: sqlite3.Connection, older_than: float, dry_run: bool) -> int:
    """Delete archived plans so many seconds ago, one by one; returns how many.

    What is left of plans that were deleted before that time goes, too.
    """
    found = connection.execute(_ARCHIVED, {"before": time.time() - older_than}).fetchall()
    return sum([row[0] == "boards" for row in found if dry_run or _delete_board(connection, *row)])


def _delete_board(connection: sqlite3.Connection, table: str, board: int, sequence: int, *key: str) -> bool:
    """Delete all that is kept of a board, unless somebody changed it meanwhile; returns whether it was deleted."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute(f"SELECT sequence FROM {table} WHERE id = ?", (board,)).fetchone() != (sequence,):
            return False
        forget_board(connection, Key(*key), sequence)
        connection.execute("DELETE FROM deleted_boards WHERE id = ?", (board,))
    return True


def prune(connection: sqlite3.Connection, older_than: float | None, keep: int | None, dry_run: bool) -> Iterator[int]:
    """Delete changes, step by step; each step yields how many it deleted. With `dry_run` they are only counted.

    On each board a change is deleted together with all before it, so that the rest is still a history without a gap.
    The newest one always stays.
    """
    before = float("inf") if older_than is None else time.time() - older_than
    connection.execute("DROP TABLE IF EXISTS temp.last_to_go")
    connection.execute(_LAST_TO_GO, (max(keep or 0, 1), before))
    connection.execute("CREATE UNIQUE INDEX temp.of_board ON last_to_go (board)")
    if dry_run:
        yield connection.execute(_COUNT).fetchone()[0]
        return
    newest = connection.execute("SELECT max(sequence) FROM last_to_go").fetchone()[0] or 0
    for start in range(0, newest, STEP):
        yield connection.execute(_FORGET, (start, start + STEP)).rowcount
