"""Reading the changes in a plan file: one board's, back from its plan; every board's, forward as they come."""

import time
from collections.abc import Iterator
from functools import partial

from ...errors import StoreError
from ..chains import Followed, Row, backward
from ..store import Key, Record
from .connection import Connection
from .trouble import Reading

POLL = 0.03
"""How many seconds pass between two looks for changes by others."""

PAGE = 200
"""How many changes are read at a time."""

_COLUMNS = "c.sequence, c.board, c.previous, c.made_by, c.action, c.undoes, c.delta"
_HEAD = "SELECT sequence, plan FROM boards WHERE session = ? AND agent = ?"
_NEWEST = "SELECT max(sequence) FROM changes"
_BACKWARD = f"""
    WITH RECURSIVE chain AS (
        SELECT {_COLUMNS} FROM changes AS c WHERE c.sequence = ?
        UNION ALL
        SELECT {_COLUMNS} FROM chain JOIN changes AS c ON c.sequence = chain.previous
    )
    SELECT * FROM chain LIMIT {PAGE}
"""
_FORWARD = f"""
    SELECT {_COLUMNS}, boards.session, boards.agent
    FROM changes AS c JOIN boards ON boards.id = c.board
    WHERE c.sequence > ? ORDER BY c.sequence LIMIT {PAGE}
"""


def history(connection: Connection, key: Key) -> Iterator[Record]:
    """Every change of a board, the newest first. Raises StoreError."""
    head = connection.run(lambda sqlite: sqlite.execute(_HEAD, key).fetchone())
    if head is None:
        return iter(())
    sequence, plan = head
    return backward(key, sequence, plan, partial(_back_from, connection), partial(Reading, connection.path))


def newest(connection: Connection) -> int:
    """The sequence of the last change in the file."""
    return connection.run(lambda sqlite: sqlite.execute(_NEWEST).fetchone()[0]) or 0


def follow(connection: Connection, at: int, timeout: float | None) -> Iterator[Record]:
    """Each change after the sequence `at`, as it comes, until `timeout` seconds pass without one. Raises StoreError."""
    followed = Followed(partial(history, connection), partial(Reading, connection.path))
    quiet_since = time.monotonic()
    while not connection.is_closed:
        rows = _after(connection, at)
        for row in rows:
            at = row.sequence
            record = followed.record(row, Key(row.session, row.agent))
            if record is not None:
                yield record
        now = time.monotonic()
        if rows:
            quiet_since = now
        elif timeout is not None and now - quiet_since >= timeout:
            return
        else:
            time.sleep(POLL if timeout is None else min(POLL, timeout))


def _back_from(connection: Connection, sequence: int) -> list[Row]:
    rows = connection.run(lambda sqlite: sqlite.execute(_BACKWARD, (sequence,)).fetchall())
    return [Row(*row) for row in rows or ()]


def _after(connection: Connection, at: int) -> list[Row]:
    try:
        rows = connection.run(lambda sqlite: sqlite.execute(_FORWARD, (at,)).fetchall())
    except StoreError:
        if connection.is_closed:  # while we waited for our turn: the watch is over
            return []
        raise
    return [Row(*row) for row in rows or ()]
