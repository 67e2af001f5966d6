"""The contract of a store, in SQL of SQLite."""

import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...errors import StaleRevision, UsageError
from ...plan import Change, Plan
from .. import codec, trust
from ..store import EMPTY, Key, Record, StoredPlan
from .connection import FileConnection
from .trouble import FileDamageGuard

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..damage import PlanOrDamage
    from ..leases import Lease
    from .changes import BoardRow

BUSY_WAIT = 5.0
"""How many seconds to wait for another process to finish its write."""

MOST_CACHED = 64
"""How many plans are cached."""

_BOARD = "session = ? AND agent = ?"
_LOAD = f"SELECT plan FROM boards WHERE {_BOARD}"
_LOAD_DELETED = f"SELECT plan FROM deleted_boards WHERE {_BOARD}"
_NEW_BOARD = """
    INSERT OR IGNORE INTO boards
    SELECT 1 + max(ifnull((SELECT max(id) FROM boards), 0), ifnull((SELECT max(id) FROM deleted_boards), 0)),
        ?, ?, 0, 0, ''
    WHERE NOT EXISTS (SELECT 1 FROM deleted_boards WHERE session = ? AND agent = ?)
"""
_NEW_CHANGE = f"""
    INSERT INTO changes (board, previous, revision, number, at, made_by, action, undoes, delta)
    SELECT id, sequence, ?, ?, ?, ?, ?, ?, ? FROM boards WHERE {_BOARD} AND revision = ?
"""
_TALLY = """
    INSERT INTO tallies (session, agent, name, total) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET total = total + excluded.total
"""
_KEEP_WORK = "INSERT INTO journals VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET work = excluded.work"
_KEPT_WORK = f"SELECT work FROM journals WHERE {_BOARD}"
_ACQUIRE_LEASE = """
    INSERT INTO leases VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE holder = excluded.holder OR expires_at <= ?
"""
_RELEASE_LEASE = f"DELETE FROM leases WHERE {_BOARD} AND what = ? AND holder = ?"
_ACTIVE_LEASES = f"SELECT what, holder, expires_at FROM leases WHERE {_BOARD} AND expires_at > ?"
_WITH_TEXT = """
    SELECT session, agent, sequence, plan FROM boards
    WHERE plan LIKE ? ESCAPE '~' OR session LIKE ? ESCAPE '~' OR agent LIKE ? ESCAPE '~'
    ORDER BY sequence DESC LIMIT ?
"""
_NEW_PLAN = f"UPDATE boards SET revision = ?, sequence = last_insert_rowid(), plan = ? WHERE {_BOARD}"


class SQLiteStore:
    """Keeps plans in an SQLite file, which is created at the first write.

    Threads and processes may share the file, and a process may fork. Whoever finds the file locked waits at most
    `busy_wait` seconds. Every method raises StoreError, which says what to do, if the file cannot be used.
    """

    def __init__(self, path: str | os.PathLike[str], busy_wait: float = BUSY_WAIT) -> None:
        name = os.fspath(path)
        if name in ("", ":memory:"):
            raise UsageError(f"SQLiteStore({name!r}): it needs a file; to keep plans in memory, use MemoryStore")
        try:
            self.path = trust.resolve(name)
        except ValueError as error:
            raise UsageError(f"SQLiteStore({name!r}): no file can have this name: {error}") from error
        self._connection = FileConnection(self.path, busy_wait)
        self._lease_connection = FileConnection(self.path, busy_wait)  # it does not sync: see `_change_lease`
        self._plans: dict[Key, Plan] = {}
        self._plans_as_of: tuple[sqlite3.Connection | None, int] = (None, 0)

    def load(self, key: Key) -> Plan:
        """The plan as it is now; an empty one before the first write."""
        plan = self._connection.run(lambda sqlite: self._load(sqlite, key))
        return EMPTY if plan is None else plan

    def cached_plan(self, key: Key) -> Plan | None:
        """The plan as it was last read or written here; `None` if it never was."""
        return self._plans.get(key)

    def commit(self, key: Key, change: Change) -> None:
        """Store a change: when this returns, it is on the disk. Raises StaleRevision if the plan has moved on."""
        plan, delta = codec.plan_to_json(change.after), codec.delta_to_json(change.before, change.after)
        self._connection.run(lambda sqlite: self._commit(sqlite, key, change, plan, delta), create_file=True)

    def commit_many(self, key: Key, changes: Iterable[Change]) -> None:
        """Store changes that follow each other, all or none. Raises StaleRevision."""
        rows = [
            (change, codec.plan_to_json(change.after), codec.delta_to_json(change.before, change.after))
            for change in changes
        ]
        self._connection.run(lambda sqlite: self._commit_many(sqlite, key, rows), create_file=bool(rows))

    def delete(self, key: Key, change: Change) -> None:
        """Store the last change of a board, and delete all before it. Raises StaleRevision if the plan has moved on.

        What is deleted is overwritten in the file.
        """
        from .deletion import delete

        self._connection.run(lambda sqlite: delete(sqlite, self._connection.begin, key, change))
        self._plans.clear()

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board that was not pruned, the newest first."""
        from .changes import history

        return history(self._connection, key)

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """Boards with their plans, the one changed last first: all of them, or so many.

        One that is damaged is left out, with a warning.
        """
        from ..damage import readable_or_warn

        return list(readable_or_warn(self.sessions_with_damage(limit)))

    def sessions_with_damage(self, limit: int | None = None, archived: bool = True) -> "list[PlanOrDamage]":
        """Boards, the one changed last first, the damaged ones too: all of them, or so many.

        Without `archived`, archived ones are left out.
        """
        from .changes import boards_by_age

        return self._boards(lambda sqlite: boards_by_age(sqlite, limit, archived))

    def keys_starting(self, start: str) -> list[Key]:
        """Whose boards there are in sessions whose names start so, the one changed last first. No plan is read."""
        ask = "SELECT session, agent FROM boards WHERE session >= ? AND session < ? ORDER BY sequence DESC"
        bounds = (start, start + chr(sys.maxunicode))
        rows = self._connection.run(lambda sqlite: sqlite.execute(ask, bounds).fetchall()) or []
        return [Key(*row) for row in rows]

    def boards_with_text(self, text: str, limit: int) -> "list[PlanOrDamage]":
        """Boards that may have a text in their names or plans, the one changed last first, so many of them."""
        from ..newest import in_json, like_pattern

        name = "" if "\0" in text else like_pattern(text)  # SQLite compares no further than a NUL
        values = (like_pattern(text, in_json), name, name, limit)
        return self._boards(lambda sqlite: sqlite.execute(_WITH_TEXT, values).fetchall())

    def boards_unchanged_since(self, time: float, archived: bool) -> "Iterator[PlanOrDamage]":
        """Boards whose last change was before a time, in any order; archived ones only if `archived`."""
        from .changes import boards_unchanged_since

        for rows in boards_unchanged_since(self._connection, time, archived):
            yield from self._stored_plans(rows)

    def position(self) -> int:
        """The sequence of the newest change: a follower starts after it."""
        from .changes import newest

        return newest(self._connection)

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after `since`, as it comes, from this process or another. Ends when the store is closed."""
        from .changes import follow, newest

        at = newest(self._connection) if since is None else since
        return follow(self._connection, at, timeout, self._connection.file if at else None)

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals. They are not synced: a power loss may lose the last ones."""
        rows = [(*key, name, count) for name, count in counts.items()]
        self._connection.run(lambda sqlite: self._write_unsynced(sqlite, _TALLY, rows), create_file=True)

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        ask = f"SELECT name, total FROM tallies WHERE {_BOARD}"
        return dict(self._connection.run(lambda sqlite: sqlite.execute(ask, key).fetchall()) or ())

    def keep_work(self, key: Key, work: str) -> None:
        """Keep what was done for a board's current todo. It is not synced, like the totals."""
        self._connection.run(lambda sqlite: self._write_unsynced(sqlite, _KEEP_WORK, [(*key, work)]), create_file=True)

    def kept_work(self, key: Key) -> str:
        """What was kept for a board."""
        row = self._connection.run(lambda sqlite: sqlite.execute(_KEPT_WORK, key).fetchone())
        return "" if row is None else str(row[0])

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a free or expired lease, or renew your own. Returns whether `holder` has it now."""

        def take(sqlite: sqlite3.Connection) -> int:
            now = time.time()  # not before: others may have kept us waiting
            return self._change_lease(sqlite, _ACQUIRE_LEASE, (*key, what, holder, now + seconds, now))

        return self._lease_connection.run(take, create_file=True) == 1

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give your lease back."""
        self._lease_connection.run(lambda sqlite: self._change_lease(sqlite, _RELEASE_LEASE, (*key, what, holder)))

    def active_leases(self, key: Key) -> "Mapping[str, Lease]":
        """The leases on a board that have not expired, by what they are on."""
        from ..leases import Lease

        now = time.time()
        rows = self._lease_connection.run(lambda sqlite: sqlite.execute(_ACTIVE_LEASES, (*key, now)).fetchall())
        return {what: Lease(holder, until - now) for what, holder, until in rows or ()}

    def prune(self, older_than: float | None = None, keep: int | None = None, dry_run: bool = False) -> int:
        """Delete changes older than so many seconds, or all but the newest `keep` of each board. Returns how many.

        With both, only changes that are too old and beyond the number. With `dry_run` they are only counted. Every plan
        stays, with its last change. Raises UsageError if neither is given.
        """
        from .pruning import prune

        if older_than is None and keep is None:
            raise UsageError("prune(): give older_than=seconds or keep=changes")
        return self._connection.run(lambda sqlite: sum(prune(sqlite, older_than, keep, dry_run))) or 0

    def delete_archived(self, older_than: float, dry_run: bool = False) -> int:
        """Delete archived plans so many seconds ago, with all that is kept of them. Returns how many.

        The file's newest change stays, whatever it is. With `dry_run` they are only counted.
        """
        from .pruning import delete_archived

        count = self._connection.run(lambda sqlite: delete_archived(sqlite, older_than, dry_run)) or 0
        self._plans.clear()
        return count

    def quarantine(self, key: Key) -> None:
        """Remove a board with a damaged record; the record is moved to the table `damaged`."""
        self._connection.run(lambda sqlite: self._quarantine(sqlite, key))

    def close(self) -> None:
        """Close the file. A closed store cannot be used again."""
        self._lease_connection.close()
        self._connection.close()

    def _load(self, sqlite: sqlite3.Connection, key: Key) -> Plan:
        as_of = (sqlite, sqlite.execute("PRAGMA data_version").fetchone()[0])
        if as_of != self._plans_as_of:  # another process wrote
            self._plans.clear()
            self._plans_as_of = as_of
        plan = self._plans.get(key)
        if plan is None:
            row = sqlite.execute(_LOAD, key).fetchone() or sqlite.execute(_LOAD_DELETED, key).fetchone()
            plan = EMPTY if row is None else self._read(key, row[0])
            self._remember(key, plan)
        return plan

    def _boards(self, ask: "Callable[[sqlite3.Connection], list[BoardRow]]") -> "list[PlanOrDamage]":
        return self._stored_plans(self._connection.run(ask) or [])

    def _stored_plans(self, rows: "list[BoardRow]") -> "list[PlanOrDamage]":
        from ..damage import read_stored_plan

        guard = partial(FileDamageGuard, self.path)
        return [read_stored_plan(Key(session, agent), sequence, plan, guard) for session, agent, sequence, plan in rows]

    def _remember(self, key: Key, plan: Plan) -> None:
        if len(self._plans) >= MOST_CACHED:
            self._plans.clear()
        self._plans[key] = plan

    def _commit(self, sqlite: sqlite3.Connection, key: Key, change: Change, plan: str, delta: str) -> None:
        self._check_same_file(sqlite, key, change)
        with sqlite:
            self._connection.begin(sqlite)
            _insert(sqlite, key, change, plan, delta)
        self._remember(key, change.after)

    def _check_same_file(self, sqlite: sqlite3.Connection, key: Key, change: Change) -> None:
        """A plan from a file that is no longer there may have the same revision as the plan in the new file."""
        if self._plans_as_of[0] is not sqlite:
            known = self._plans.get(key)
            self._plans.clear()
            self._plans_as_of = (sqlite, 0)
            if known is not None and known is change.before:
                raise StaleRevision(f"{self.path} is another file than the plan was read from: read it again")

    def _commit_many(self, sqlite: sqlite3.Connection, key: Key, rows: Sequence[tuple[Change, str, str]]) -> None:
        with sqlite:
            self._connection.begin(sqlite)
            for row in rows:
                _insert(sqlite, key, *row)
        for change, _, _ in rows[-1:]:
            self._remember(key, change.after)

    def _quarantine(self, sqlite: sqlite3.Connection, key: Key) -> None:
        with sqlite:
            self._connection.begin(sqlite)
            keep = "INSERT INTO damaged SELECT session, agent, revision, sequence, plan, ? FROM boards"
            sqlite.execute(f"{keep} WHERE {_BOARD}", (time.time(), *key))
            sqlite.execute(f"DELETE FROM boards WHERE {_BOARD}", key)
        self._plans.clear()

    def _write_unsynced(self, sqlite: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Run a statement for each row without waiting for the disk: it survives a kill, but maybe no power loss."""
        sqlite.execute("PRAGMA synchronous = NORMAL")
        try:
            with sqlite:
                self._connection.begin(sqlite)
                sqlite.executemany(statement, rows)
        finally:
            sqlite.execute("PRAGMA synchronous = FULL")

    def _change_lease(self, sqlite: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> int:
        """How many leases a statement changed. They are not synced: after a power loss their holders are gone, too."""
        sqlite.execute("PRAGMA synchronous = NORMAL")
        with sqlite:
            self._lease_connection.begin(sqlite)
            return sqlite.execute(statement, values).rowcount

    def _read(self, key: Key, plan: str) -> Plan:
        with FileDamageGuard(self.path, key, 0):
            return codec.plan_from_json(plan)


def _insert(sqlite: sqlite3.Connection, key: Key, change: Change, plan: str, delta: str) -> None:
    before, after, how = change.before, change.after, (change.by, change.action, change.undoes)
    if before.revision == 0:
        sqlite.execute(_NEW_BOARD, (*key, *key))
    values = (after.revision, after.number, after.updated_at, *how, delta, *key, before.revision)
    if sqlite.execute(_NEW_CHANGE, values).rowcount == 0 and not (
        _revive(sqlite, key) and sqlite.execute(_NEW_CHANGE, values).rowcount
    ):
        raise StaleRevision(f"the plan is no longer at revision {before.revision}: read it again")
    sqlite.execute(_NEW_PLAN, (after.revision, plan, *key))


def _revive(sqlite: sqlite3.Connection, key: Key) -> bool:
    """Bring a deleted board back for a write, with nothing in it. Returns whether there was one."""
    is_deleted = sqlite.execute(f"INSERT INTO boards SELECT * FROM deleted_boards WHERE {_BOARD}", key).rowcount > 0
    if is_deleted:
        sqlite.execute(f"DELETE FROM deleted_boards WHERE {_BOARD}", key)
    return is_deleted
