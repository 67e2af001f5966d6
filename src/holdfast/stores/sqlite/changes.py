"""Reading the changes in a plan file: one board's, back from its plan; every board's, forward as they come."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import StoreError
from ...plan import Change, Plan
from .. import codec
from ..store import Key, Record
from .connection import Connection
from .trouble import Reading

POLL = 0.03
"""How many seconds pass between two looks for changes by others."""

PAGE = 200
"""How many changes are read at a time."""

MOST_FOLLOWED = 1_000
"""How many boards' plans a watcher remembers; another one is found by a walk back from its plan."""

_EMPTY = Plan()

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


class _Row(NamedTuple):
    """A change as the file has it."""

    sequence: int
    board: int
    previous: int
    made_by: str
    action: str
    undoes: int
    delta: str
    session: str = ""
    agent: str = ""

    def record(self, key: Key, before: Plan, after: Plan) -> Record:
        return Record(self.sequence, key, Change(before, after, self.made_by, self.action, self.undoes))


def history(connection: Connection, key: Key) -> Iterator[Record]:
    """Every change of a board, the newest first. Raises StoreError."""
    head = connection.run(lambda sqlite: sqlite.execute(_HEAD, key).fetchone())
    return iter(()) if head is None else _backward(connection, key, *head)


def newest(connection: Connection) -> int:
    """The sequence of the last change in the file."""
    return connection.run(lambda sqlite: sqlite.execute(_NEWEST).fetchone()[0]) or 0


def follow(connection: Connection, at: int, timeout: float | None) -> Iterator[Record]:
    """Each change after the sequence `at`, as it comes, until `timeout` seconds pass without one. Raises StoreError."""
    boards = _Boards(connection)
    quiet_since = time.monotonic()
    while not connection.is_closed:
        rows = _after(connection, at)
        for row in rows:
            at = row.sequence
            record = boards.record(row)
            if record is not None:
                yield record
        now = time.monotonic()
        if rows:
            quiet_since = now
        elif timeout is not None and now - quiet_since >= timeout:
            return
        else:
            time.sleep(POLL if timeout is None else min(POLL, timeout))


class _Boards:
    """The boards that a watcher has met, each with its plan as of the last change that it saw."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._plans: dict[int, tuple[int, Plan]] = {}

    def record(self, row: _Row) -> Record | None:
        """The record of a row; none if its change was pruned before it could be read."""
        key = Key(row.session, row.agent)
        sequence, before = self._plans.pop(row.board, (0, _EMPTY))
        if row.previous == sequence:
            with Reading(self._connection.path, key):
                record = row.record(key, before, codec.forward(before, row.delta))
        else:
            past = history(self._connection, key)
            found = next((record for record in past if record.sequence <= row.sequence), None)
            if found is None or found.sequence < row.sequence:
                return None
            record = found
        self._remember(row, record.change.after)
        return record

    def _remember(self, row: _Row, plan: Plan) -> None:
        self._plans[row.board] = (row.sequence, plan)
        if len(self._plans) > MOST_FOLLOWED:
            del self._plans[next(iter(self._plans))]  # the one whose last change is the longest ago


def _backward(connection: Connection, key: Key, sequence: int, plan: str) -> Iterator[Record]:
    with Reading(connection.path, key):
        after = codec.plan_from_json(plan)
    while rows := _back_from(connection, sequence):
        for row in rows:
            with Reading(connection.path, key):
                before = codec.backward(after, row.delta)
            yield row.record(key, before, after)
            after, sequence = before, row.previous


def _back_from(connection: Connection, sequence: int) -> list[_Row]:
    rows = connection.run(lambda sqlite: sqlite.execute(_BACKWARD, (sequence,)).fetchall())
    return [_Row(*row) for row in rows or ()]


def _after(connection: Connection, at: int) -> list[_Row]:
    try:
        rows = connection.run(lambda sqlite: sqlite.execute(_FORWARD, (at,)).fetchall())
    except StoreError:
        if connection.is_closed:  # while we waited for our turn: the watch is over
            return []
        raise
    return [_Row(*row) for row in rows or ()]
