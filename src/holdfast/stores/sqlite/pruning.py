"""Deleting old changes of an SQLite file, in steps so short that no writer waits long."""

import sqlite3
import time
from collections.abc import Iterator

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
