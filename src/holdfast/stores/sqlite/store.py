"""The store itself: what the contract asks for, in SQL."""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...errors import StaleRevision, UsageError
from ...plan import Change, Plan
from .. import codec
from ..store import EMPTY, Kept, Key, Record
from .connection import Connection
from .leases import SQLiteLeases
from .trouble import Reading

if TYPE_CHECKING:
    from ..damage import Found

BUSY_WAIT = 5.0
"""How many seconds to wait for another process to finish its write."""

MOST_KNOWN = 64
"""How many plans are remembered, to spare reading them again."""

_BOARD = "session = ? AND agent = ?"
_LOAD = f"SELECT plan FROM boards WHERE {_BOARD}"
_NEW_BOARD = "INSERT OR IGNORE INTO boards (session, agent, revision, sequence, plan) VALUES (?, ?, 0, 0, '')"
_NEW_CHANGE = f"""
    INSERT INTO changes (board, previous, revision, number, at, made_by, action, undoes, delta)
    SELECT id, sequence, ?, ?, ?, ?, ?, ?, ? FROM boards WHERE {_BOARD} AND revision = ?
"""
_TALLY = """
    INSERT INTO tallies (session, agent, name, total) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET total = total + excluded.total
"""
_NEW_PLAN = f"UPDATE boards SET revision = ?, sequence = last_insert_rowid(), plan = ? WHERE {_BOARD}"


class SQLiteStore:
    """Keeps plans in an SQLite file, which is made at the first write.

    Threads and processes may share the file, and a process may fork; who finds it locked waits `busy_wait` seconds at
    most. Every method raises StoreError, which says what to do, if the file cannot be used.
    """

    def __init__(self, path: str | os.PathLike[str], busy_wait: float = BUSY_WAIT) -> None:
        name = os.fspath(path)
        if name in ("", ":memory:"):
            raise UsageError(f"SQLiteStore({name!r}): it needs a file; to keep plans in memory, use MemoryStore")
        try:
            self.path = os.path.realpath(name)
        except ValueError as error:
            raise UsageError(f"SQLiteStore({name!r}): no file can have this name: {error}") from error
        self._connection = Connection(self.path, busy_wait)
        self._leases = SQLiteLeases(self.path, busy_wait)
        self._plans: dict[Key, Plan] = {}
        self._plans_as_of: tuple[sqlite3.Connection | None, int] = (None, 0)

    def load(self, key: Key) -> Plan:
        """The plan as it is now; an empty one if there was never a write."""
        plan = self._connection.run(lambda sqlite: self._loaded(sqlite, key))
        return EMPTY if plan is None else plan

    def recall(self, key: Key) -> Plan | None:
        """The plan as it was last read or kept here; none if it never was."""
        return self._plans.get(key)

    def commit(self, key: Key, change: Change) -> None:
        """Keep a change: when this returns, it is on the disk. Raises StaleRevision if the plan has moved on."""
        plan, delta = codec.plan_to_json(change.after), codec.delta_to_json(change.before, change.after)
        self._connection.run(lambda sqlite: self._keep(sqlite, key, change, plan, delta), create_file=True)

    def commit_all(self, key: Key, changes: Iterable[Change]) -> None:
        """Keep several changes, one upon the other, all or none. Raises StaleRevision."""
        rows = [
            (change, codec.plan_to_json(change.after), codec.delta_to_json(change.before, change.after))
            for change in changes
        ]
        self._connection.run(lambda sqlite: self._keep_all(sqlite, key, rows), create_file=bool(rows))

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board that was not pruned, the newest first."""
        from .changes import history

        return history(self._connection, key)

    def sessions(self) -> list[Kept]:
        """Every board with its plan, the one changed last first. One that is damaged is left out, with a warning."""
        from ..damage import warned

        return warned(self.survey())

    def survey(self) -> "list[Found]":
        """Every board, the one changed last first, the damaged ones too."""
        from ..damage import found

        ask = "SELECT session, agent, sequence, plan FROM boards ORDER BY sequence DESC"
        rows = self._connection.run(lambda sqlite: sqlite.execute(ask).fetchall()) or []
        reading = partial(Reading, self.path)
        return [found(Key(session, agent), sequence, plan, reading) for session, agent, sequence, plan in rows]

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after `since`, as it comes, from this process or another. Ends when the store is closed."""
        from .changes import follow, newest

        at = newest(self._connection) if since is None else since
        return follow(self._connection, at, timeout, self._connection.file if at else None)

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals. They are not synced: a loss of power may take the last ones."""
        self._connection.run(lambda sqlite: self._add_up(sqlite, key, counts), create_file=True)

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        ask = f"SELECT name, total FROM tallies WHERE {_BOARD}"
        return dict(self._connection.run(lambda sqlite: sqlite.execute(ask, key).fetchall()) or ())

    def hold(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a lease, or renew one's own; whether one has it now."""
        return self._leases.hold(key, what, holder, seconds)

    def let_go(self, key: Key, what: str, holder: str) -> None:
        """Give one's lease back."""
        self._leases.let_go(key, what, holder)

    def held(self, key: Key) -> Mapping[str, str]:
        """What is held on a board now, and by whom."""
        return self._leases.held(key)

    def prune(self, older_than: float | None = None, keep: int | None = None) -> int:
        """Forget changes older than so many seconds, or all but the newest `keep` of each board; how many went.

        With both, only what is too old and beyond the number goes. The plans stay, and so does each one's last change.
        Raises UsageError if neither is given.
        """
        from .pruning import prune

        if older_than is None and keep is None:
            raise UsageError("prune(): say older_than=seconds, or keep=changes")
        return self._connection.run(lambda sqlite: sum(prune(sqlite, older_than, keep))) or 0

    def set_aside(self, key: Key) -> None:
        """Take a board whose record is damaged out of use; the record is kept in the table `damaged`."""
        self._connection.run(lambda sqlite: self._put_aside(sqlite, key))

    def close(self) -> None:
        """Let go of the file. A closed store is not used again."""
        self._leases.close()
        self._connection.close()

    def _loaded(self, sqlite: sqlite3.Connection, key: Key) -> Plan:
        as_of = (sqlite, sqlite.execute("PRAGMA data_version").fetchone()[0])
        if as_of != self._plans_as_of:  # somebody else wrote
            self._plans.clear()
            self._plans_as_of = as_of
        plan = self._plans.get(key)
        if plan is None:
            row = sqlite.execute(_LOAD, key).fetchone()
            plan = EMPTY if row is None else self._read(key, row[0])
            self._remember(key, plan)
        return plan

    def _remember(self, key: Key, plan: Plan) -> None:
        if len(self._plans) >= MOST_KNOWN:
            self._plans.clear()
        self._plans[key] = plan

    def _keep(self, sqlite: sqlite3.Connection, key: Key, change: Change, plan: str, delta: str) -> None:
        self._refuse_another_files(sqlite, key, change)
        with sqlite:
            sqlite.execute("BEGIN IMMEDIATE")
            _insert(sqlite, key, change, plan, delta)
        self._remember(key, change.after)

    def _refuse_another_files(self, sqlite: sqlite3.Connection, key: Key, change: Change) -> None:
        """A plan that was read from a file which is no longer there may have the revision of the one that is."""
        if self._plans_as_of[0] is not sqlite:
            known = self._plans.get(key)
            self._plans.clear()
            self._plans_as_of = (sqlite, 0)
            if known is not None and known is change.before:
                raise StaleRevision(f"{self.path} is another file than the plan was read from: read it again")

    def _keep_all(self, sqlite: sqlite3.Connection, key: Key, rows: Sequence[tuple[Change, str, str]]) -> None:
        with sqlite:
            sqlite.execute("BEGIN IMMEDIATE")
            for row in rows:
                _insert(sqlite, key, *row)
        for change, _, _ in rows[-1:]:
            self._remember(key, change.after)

    def _add_up(self, sqlite: sqlite3.Connection, key: Key, counts: Mapping[str, int]) -> None:
        sqlite.execute("PRAGMA synchronous = NORMAL")
        try:
            with sqlite:
                sqlite.execute("BEGIN IMMEDIATE")
                sqlite.executemany(_TALLY, [(*key, name, count) for name, count in counts.items()])
        finally:
            sqlite.execute("PRAGMA synchronous = FULL")

    def _put_aside(self, sqlite: sqlite3.Connection, key: Key) -> None:
        with sqlite:
            sqlite.execute("BEGIN IMMEDIATE")
            keep = "INSERT INTO damaged SELECT session, agent, revision, sequence, plan, ? FROM boards"
            sqlite.execute(f"{keep} WHERE {_BOARD}", (time.time(), *key))
            sqlite.execute(f"DELETE FROM boards WHERE {_BOARD}", key)
        self._plans.clear()

    def _read(self, key: Key, plan: str) -> Plan:
        with Reading(self.path, key, 0):
            return codec.plan_from_json(plan)


def _insert(sqlite: sqlite3.Connection, key: Key, change: Change, plan: str, delta: str) -> None:
    before, after, *how = change
    if before.revision == 0:
        sqlite.execute(_NEW_BOARD, key)
    values = (after.revision, after.number, after.updated_at, *how, delta, *key, before.revision)
    if sqlite.execute(_NEW_CHANGE, values).rowcount == 0:
        raise StaleRevision(f"the plan is no longer at revision {before.revision}: read it again")
    sqlite.execute(_NEW_PLAN, (after.revision, plan, *key))
