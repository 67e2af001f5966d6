"""Reading the changes in a plan file: of one board, backward from its plan; of all boards, forward as they come."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, repeat
from typing import NamedTuple

from ...errors import StoreError, StoreReplaced
from ..deltas import ChangeRow, WatchedPlans, backward
from ..store import Key, Record
from .connection import File, FileConnection
from .trouble import FileDamageGuard

POLL = 0.03
"""How many seconds to wait between two looks for changes by other processes."""

PAGE = 200
"""How many changes are read at a time."""

PAGE_OF_BOARDS = 2_000
"""How many boards are looked at in one statement when old ones are sought."""

FIRST_PAGE = 20
"""How many changes of one board are read at first: mostly only the newest are asked for."""

MOST_LOOKED_THROUGH = 100_000
"""How many changes are looked through at most for the boards that were changed last."""

ARCHIVE = "archive"
"""The last action on an archived board."""

BoardRow = tuple[str, str, int, str]
"""Session, agent, the sequence of the newest change, and the plan."""

_COLUMNS = "c.sequence, c.board, c.previous, c.made_by, c.action, c.undoes, c.delta"
_HEAD = """
    SELECT sequence, plan FROM boards WHERE session = ? AND agent = ?
    UNION ALL
    SELECT sequence, plan FROM deleted_boards WHERE session = ? AND agent = ?
"""
_NEWEST = "SELECT max(sequence) FROM changes"
_HAS_MORE = "SELECT 1 FROM boards LIMIT 1 OFFSET ?"
# In the order of the inner list, which `CROSS JOIN` keeps outermost: it ends with the last board that is asked for.
_NEWEST_BOARDS = f"""
    SELECT b.session, b.agent, b.sequence, b.plan
    FROM (SELECT board, sequence, action FROM changes ORDER BY sequence DESC LIMIT ?) AS c
    CROSS JOIN boards AS b ON b.id = c.board AND b.sequence = c.sequence
    WHERE ? OR c.action <> '{ARCHIVE}' LIMIT ?
"""
# Sorted by number alone: only the plans that are asked for are read.
_ALL_BY_AGE = f"""
    SELECT session, agent, sequence, plan FROM boards WHERE id IN (
        SELECT id FROM boards
        WHERE ? OR coalesce((SELECT action FROM changes WHERE changes.sequence = boards.sequence), '') <> '{ARCHIVE}'
        ORDER BY sequence DESC LIMIT ?
    ) ORDER BY sequence DESC
"""
_END_OF_PAGE = "SELECT max(id) FROM (SELECT id FROM boards WHERE id > ? ORDER BY id LIMIT ?)"
_UNCHANGED_SINCE = f"""
    SELECT b.session, b.agent, b.sequence, b.plan FROM boards AS b LEFT JOIN changes AS c ON c.sequence = b.sequence
    WHERE b.id > ? AND b.id <= ? AND coalesce(c.at, 0) < ? AND (? OR coalesce(c.action, '') <> '{ARCHIVE}')
"""
_BACKWARD = f"""
    WITH RECURSIVE chain AS (
        SELECT {_COLUMNS} FROM changes AS c WHERE c.sequence = ?
        UNION ALL
        SELECT {_COLUMNS} FROM chain JOIN changes AS c ON c.sequence = chain.previous AND c.sequence < chain.sequence
    )
    SELECT * FROM chain LIMIT ?
"""
_FORWARD = f"""
    SELECT {_COLUMNS}, coalesce(b.session, d.session), coalesce(b.agent, d.agent)
    FROM changes AS c LEFT JOIN boards AS b ON b.id = c.board LEFT JOIN deleted_boards AS d ON d.id = c.board
    WHERE c.sequence > ? AND (b.id IS NOT NULL OR d.id IS NOT NULL) ORDER BY c.sequence LIMIT {PAGE}
"""


def boards_by_age(sqlite: sqlite3.Connection, limit: int | None, archived: bool) -> list[BoardRow]:
    """The boards that were changed last, so many of them, or all; archived ones only if `archived`.

    They are found from the newest changes backward. If those are of too few boards, all boards are compared.
    """
    if limit is not None and sqlite.execute(_HAS_MORE, (limit,)).fetchone() is not None:
        rows = sqlite.execute(_NEWEST_BOARDS, (MOST_LOOKED_THROUGH, archived, limit)).fetchall()
        if len(rows) == limit:
            return rows
    return sqlite.execute(_ALL_BY_AGE, (archived, -1 if limit is None else limit)).fetchall()


def boards_unchanged_since(connection: FileConnection, time: float, archived: bool) -> Iterator[list[BoardRow]]:
    """The boards whose last change was before a time, page by page; archived ones only if `archived`."""
    start = 0
    while (end := connection.run(partial(_end_of_page, start))) is not None:
        yield connection.run(partial(_unchanged, (start, end, time, archived))) or []
        start = end


def _end_of_page(start: int, sqlite: sqlite3.Connection) -> int | None:
    end: int | None = sqlite.execute(_END_OF_PAGE, (start, PAGE_OF_BOARDS)).fetchone()[0]
    return end


def _unchanged(asked: tuple[int, int, float, bool], sqlite: sqlite3.Connection) -> list[BoardRow]:
    return sqlite.execute(_UNCHANGED_SINCE, asked).fetchall()


def history(connection: FileConnection, key: Key) -> Iterator[Record]:
    """Every change of a board, the newest first. Raises StoreError."""
    head = connection.run(lambda sqlite: sqlite.execute(_HEAD, (*key, *key)).fetchone())
    if head is None:
        return iter(())
    sequence, plan = head
    return backward(key, sequence, plan, _pages(connection), partial(FileDamageGuard, connection.path))


def newest(connection: FileConnection) -> int:
    """The sequence of the last change in the file."""
    return connection.run(lambda sqlite: sqlite.execute(_NEWEST).fetchone()[0]) or 0


def follow(connection: FileConnection, at: int, timeout: float | None, file: File | None = None) -> Iterator[Record]:
    """Each change after the sequence `at` of a file, as it comes, until `timeout` seconds pass without one.

    Raises StoreReplaced if it is another file now, or one that has not come as far as `at`; StoreError for the rest.
    """
    watched = WatchedPlans(partial(history, connection), partial(FileDamageGuard, connection.path))
    quiet_since = time.monotonic()
    while not connection.is_closed:
        look = _look_after(connection, at)
        if look is not None and (file not in (None, look.file) or look.newest < at):
            raise StoreReplaced(f"{connection.path} is another file than the one that was followed")
        file = file if look is None else look.file
        rows = [] if look is None else look.rows
        for row in rows:
            at = row.sequence
            record = watched.record(row, Key(row.session, row.agent))
            if record is not None:
                yield record
        now = time.monotonic()
        if rows:
            quiet_since = now
        elif timeout is not None and now - quiet_since >= timeout:
            return
        else:
            time.sleep(POLL if timeout is None else min(POLL, timeout))


def _pages(connection: FileConnection) -> Callable[[int], list[ChangeRow]]:
    """Reads a board's chain page by page, from a sequence backward. The first page is a short one."""
    sizes = chain([FIRST_PAGE], repeat(PAGE))

    def page(sequence: int) -> list[ChangeRow]:
        asked = (sequence, next(sizes))
        rows = connection.run(lambda sqlite: sqlite.execute(_BACKWARD, asked).fetchall())
        return [ChangeRow(*row) for row in rows or ()]

    return page


class _Look(NamedTuple):
    """What one look into a file showed: new changes, the sequence of the newest of all, and which file it was."""

    rows: list[ChangeRow]
    newest: int
    file: File | None


def _look_after(connection: FileConnection, at: int) -> _Look | None:
    """The next changes after a sequence; `None` if there is no file, or the store was closed."""

    def read(sqlite: sqlite3.Connection) -> _Look:
        rows = [ChangeRow(*row) for row in sqlite.execute(_FORWARD, (at,)).fetchall()]
        last = rows[-1].sequence if rows else sqlite.execute(_NEWEST).fetchone()[0] or 0
        return _Look(rows, last, connection.file)

    try:
        return connection.run(read)
    except StoreError:
        if connection.is_closed:  # closed while we waited for our turn: the watch is over
            return None
        raise
