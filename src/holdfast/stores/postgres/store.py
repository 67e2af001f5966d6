"""The contract of a store, in SQL of PostgreSQL."""

import logging
import os
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import psycopg
from psycopg import Rollback

from ...errors import StaleRevision, StoreError, UsageError
from ...plan import Change, Plan
from .. import codec
from ..damage import PlanOrDamage, read_stored_plan, readable_or_warn
from ..deltas import ChangeRow, WatchedPlans, backward
from ..leases import Lease
from ..newest import in_json, like_pattern
from ..store import EMPTY, Key, Record, StoredPlan
from .changes import Position, WatchedRow, follow, position_of
from .connection import DatabaseConnection
from .layout import INDEXED_START
from .migrations import channel
from .names import digest, from_text, to_text
from .namespace import Namespace
from .notifications import MARK, NotificationListener
from .statements import FIRST_PAGE, PAGE, PAGE_OF_UNSETTLED
from .trouble import IN_DOUBT, damage_guard

_log = logging.getLogger("holdfast")

CONNECTIONS = 8
"""How many connections a store opens at most, and one more for each watcher."""

PATIENCE = 10.0
"""For how many seconds to try a lost connection again, or to wait for a lock or a free connection."""

MOST_CACHED = 256
"""How many plans are cached."""

LOOKED_THROUGH = (10, 100, 1_000)
"""How many changes are looked through for each board that is asked for, of those changed last: at first, then more."""

MOST_LOOKED_THROUGH = 100_000
"""How many changes are looked through at most."""

BATCH = 500
"""How many changes are stored in one transaction when many come at once."""


class StoreFigures(NamedTuple):
    """The boards of the namespace, the number of its newest change, the bytes and the layout of the schema."""

    boards: int
    changes: int
    size: int
    layout: int


class PostgresStore:
    """Keeps plans in a PostgreSQL database, in one namespace of one schema; both are created at the first use.

    `namespace` and `schema` may also be in the address. Threads share the connections, and a process may fork. Every
    method raises StoreError, which says what to do, if the database cannot be used. It waits `patience` seconds for a
    database that does not answer, at most about twice that.
    """

    def __init__(
        self,
        address: str,
        namespace: str | None = None,
        schema: str | None = None,
        connections: int = CONNECTIONS,
        patience: float = PATIENCE,
    ) -> None:
        self._namespace = Namespace(address, namespace, schema, connections, patience)
        self.namespace = self._namespace.name
        self._plans: dict[Key, Plan] = {}
        self._threads: tuple[int, ThreadPoolExecutor] | None = None

    def load(self, key: Key) -> Plan:
        """The plan as it is now; an empty one before the first write."""
        known = self._plans.get(key, EMPTY)
        row = self._namespace.one(self._namespace.sql.load, {"key": digest(*key), "known": known.revision})
        if row is None:
            return EMPTY
        return known if row[0] is None else self._remember(key, self._read(key, row[0]))

    def commit(self, key: Key, change: Change) -> None:
        """Store a change: when this returns, it is committed. Raises StaleRevision if the plan has moved on."""
        self.commit_many(key, (change,))

    def commit_many(self, key: Key, changes: Iterable[Change]) -> None:
        """Store changes that follow each other, in batches; each batch is one transaction.

        Raises StaleRevision if the plan has moved on.
        """
        namespace, given = self._namespace, list(changes)
        board = {
            "namespace": namespace.number,
            "key": digest(*key),
            "session": to_text(key.session),
            "agent": to_text(key.agent),
        }
        for start in range(0, len(given), BATCH):
            rows = [{**board, **_values(change)} for change in given[start : start + BATCH]]
            tries = (False, True) if rows[0]["before"] else (False,)
            if not any(namespace.pool.run(partial(self._try_commit, rows, again), doubt=IN_DOUBT) for again in tries):
                raise StaleRevision(f"the plan is no longer at revision {rows[0]['before']}: read it again")
            self._remember(key, given[start + len(rows) - 1].after)

    def delete(self, key: Key, change: Change) -> None:
        """Store the last change of a board, and delete all before it. Raises StaleRevision if the plan has moved on.

        It needs the rights of the tables' owner.
        """
        namespace = self._namespace
        values = {**_values(change._replace(before=EMPTY)), "before": change.before.revision, "key": digest(*key)}
        row = {**values, "namespace": namespace.number}

        def delete(connection: DatabaseConnection) -> bool:
            answer = connection.execute(namespace.sql.delete, row).fetchone()
            is_deleted = answer is not None and answer[0] is not None
            if is_deleted:
                self._tell_watchers(connection)
            return is_deleted

        if not namespace.pool.run(delete, doubt=IN_DOUBT):
            raise StaleRevision(f"the plan is no longer at revision {change.before.revision}: read it again")
        self._remember(key, change.after)

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first."""
        head = self._namespace.one(self._namespace.sql.head, {"key": digest(*key)})
        if head is None:
            return iter(())
        sequence, month, plan = head
        return backward(key, sequence, plan, self._pages_from(month), damage_guard)

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """Boards with their plans, the one changed last first: all of them, or the first `limit`.

        One that is damaged is left out, with a warning.
        """
        return list(readable_or_warn(self.sessions_with_damage(limit)))

    def sessions_with_damage(self, limit: int | None = None, archived: bool = True) -> list[PlanOrDamage]:
        """Boards, the one changed last first, the damaged ones too: all of them, or the first `limit`.

        Without `archived`, archived ones are left out.
        """
        asked = {"limit": limit, "archived": archived}
        rows = None if limit is None else self._newest_boards(limit, asked)
        if rows is None:
            rows = self._namespace.all(self._namespace.sql.boards, asked)
        return [_stored_plan(row) for row in rows]

    def _newest_boards(self, limit: int, asked: Mapping[str, object]) -> list[Any] | None:
        """The boards of the newest changes; None if those are of too few, and all boards are to be compared."""
        namespace = self._namespace
        for each in LOOKED_THROUGH:
            looked = min(each * (limit + 10), MOST_LOOKED_THROUGH)
            rows = namespace.all(namespace.sql.newest_boards, {**asked, "looked": looked})
            if len(rows) == limit:
                return rows
            if each == LOOKED_THROUGH[0] and namespace.one(namespace.sql.has_more, {"limit": limit}) is None:
                break
        return None

    def keys_starting(self, start: str) -> list[Key]:
        """Whose boards there are in sessions whose names start so, the one changed last first. No plan is read."""
        text = to_text(start)
        first = text[:INDEXED_START]
        asked = {"start": text, "first": first, "last": first + chr(sys.maxunicode)}
        rows = self._namespace.all(self._namespace.sql.sessions_starting, asked)
        return [Key(from_text(session), from_text(agent)) for session, agent in rows]

    def boards_with_text(self, text: str, limit: int) -> list[PlanOrDamage]:
        """Boards that may have a text in their names or plans, the one changed last first, at most `limit` of them."""
        asked = {"in_plan": like_pattern(text, in_json), "in_name": like_pattern(text, to_text), "limit": limit}
        return [_stored_plan(row) for row in self._namespace.all(self._namespace.sql.with_text, asked)]

    def boards_unchanged_since(self, time: float, archived: bool) -> Iterator[PlanOrDamage]:
        """Boards whose last change was before a time, in any order; archived ones only if `archived`."""
        sql = self._namespace.sql
        for statement in (sql.unchanged_since, sql.archived_unchanged_since) if archived else (sql.unchanged_since,):
            start = b""
            while rows := self._namespace.all(statement, {"start": start, "before": time}):
                start = rows[0][0]
                yield from [_stored_plan(row[1:]) for row in rows if row[1] is not None]

    def position(self) -> int:
        """A sequence that a follower may start after: whatever is read from now on has every change up to it."""
        return self._position().sequence

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after `since`, as it comes, from any machine. Ends when the store is closed."""
        namespace = self._namespace
        mark = {"namespace": namespace.number, "seconds": MARK}
        listener = NotificationListener(
            namespace.pool,
            f"{channel(namespace.schema)}{namespace.number}",
            lambda connection: connection.execute(namespace.sql.watched, mark),
        )
        return follow(
            self._position() if since is None else Position(since),
            timeout,
            self._rows_after,
            self._settle,
            WatchedPlans(self.history, damage_guard),
            listener,
            lambda: namespace.pool.is_closed,
        )

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals. They are not synced: a crash of the server may lose the last ones."""
        namespace = self._namespace
        board = {"namespace": namespace.number, "key": digest(*key)}
        rows = [{**board, "name": name, "count": count} for name, count in sorted(counts.items())]
        namespace.pool.run(lambda connection: _execute_each(connection, namespace.sql.tally, rows), once=True)

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        return dict(self._namespace.all(self._namespace.sql.tallies, {"key": digest(*key)}))

    def keep_work(self, key: Key, work: str) -> None:
        """Keep what was done for a board's current todo. It is not synced, like the totals."""
        self._namespace.one(self._namespace.sql.keep_work, {"key": digest(*key), "work": work})

    def kept_work(self, key: Key) -> str:
        """What was kept for a board."""
        row = self._namespace.one(self._namespace.sql.kept_work, {"key": digest(*key)})
        return "" if row is None else str(row[0])

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a free or expired lease, or renew your own, by the server's clock. Returns whether you have it now."""
        values = {"key": digest(*key), "what": to_text(what), "holder": to_text(holder), "seconds": float(seconds)}
        row = self._namespace.one(self._namespace.sql.acquire_lease, values)
        return row is not None and bool(row[0])

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give your lease back."""
        values = {"key": digest(*key), "what": to_text(what), "holder": to_text(holder)}
        self._namespace.one(self._namespace.sql.release_lease, values)

    def active_leases(self, key: Key) -> Mapping[str, Lease]:
        """The leases on a board that have not expired, by what they are on."""
        rows = self._namespace.all(self._namespace.sql.active_leases, {"key": digest(*key)})
        return {from_text(what): Lease(from_text(holder), seconds) for what, holder, seconds in rows}

    def prune(self, older_than: float | None = None, keep: int | None = None, dry_run: bool = False) -> int:
        """Delete changes older than `older_than` seconds, or all but the newest `keep` of each board. Returns how many.

        With both, only changes that are too old and beyond the number. With `dry_run` they are only counted. Every plan
        stays, with its last change. It needs the rights of the tables' owner. Raises UsageError if neither is given.
        """
        from .pruning import prune

        if older_than is None and keep is None:
            raise UsageError("prune(): give older_than=seconds or keep=changes")
        return prune(self._namespace, older_than, keep, dry_run)

    def delete_archived(self, older_than: float, dry_run: bool = False) -> int:
        """Delete plans that were archived `older_than` seconds ago, with all that is kept of them. Returns how many.

        It needs the rights of the tables' owner. With `dry_run` they are only counted.
        """
        from .pruning import delete_archived

        return delete_archived(self._namespace, older_than, dry_run)

    def drop_months(self, older_than: float, dry_run: bool = False) -> list[str]:
        """Drop the history of whole months that ended `older_than` seconds ago, of all namespaces. Returns their names.

        It takes no longer for many changes than for few. Every plan stays, those in use with their last change;
        archived ones may be left without history. With `dry_run` nothing is dropped.
        """
        from .pruning import drop_months

        return drop_months(self._namespace, older_than, dry_run)

    def figures(self) -> StoreFigures:
        """How many boards and changes there are, how many bytes they take, and the layout."""
        row = self._namespace.one(self._namespace.sql.figures, {"schema": self._namespace.schema})
        assert row is not None, "a count always has a row"
        return StoreFigures(*row)

    def close(self) -> None:
        """Close the connections. A closed store cannot be used again."""
        self._namespace.pool.close()
        if self._threads is not None:
            self._threads[1].shutdown(wait=False)

    @property
    def threads(self) -> ThreadPoolExecutor:
        """One thread for each connection: the boards of an async host that share this store wait for these alone."""
        if self._threads is None or self._threads[0] != os.getpid():  # a fork has no threads
            executor = ThreadPoolExecutor(self._namespace.pool.size, thread_name_prefix="holdfast store")
            self._threads = (os.getpid(), executor)
        return self._threads[1]

    def _try_commit(self, rows: list[dict[str, Any]], revive: bool, connection: DatabaseConnection) -> bool:
        """Store changes, all or none. Returns whether they are stored, now or by a try before whose answer was lost.

        With `revive`, they are of a board that was deleted, and comes back for them.
        """
        is_due: bool | None = False
        if len(rows) == 1 and not revive:
            is_due = self._keep(rows, connection)
        else:
            with connection.transaction() as transaction:
                if revive:
                    connection.execute(self._namespace.sql.revive, rows[0])
                is_due = self._keep(rows, connection)
                if is_due is None:
                    raise Rollback(transaction)
        if is_due:
            self._tell_watchers(connection)
        return is_due is not None

    def _keep(self, rows: list[dict[str, Any]], connection: DatabaseConnection) -> bool | None:
        """Store changes. Returns whether it is time to tell the watchers; None if one cannot be stored."""
        statement = self._namespace.sql.keep
        if len(rows) == 1:
            answers = [connection.execute(statement, rows[0]).fetchone()]
        else:
            with connection.cursor() as cursor:
                cursor.executemany(statement, rows, returning=True)
                answers = [result.fetchone() for result in cursor.results()]
        kept = [answer for answer in answers if answer is not None and answer[0] is not None]
        return any(answer[1] for answer in kept) if len(kept) == len(answers) else None

    def _tell_watchers(self, connection: DatabaseConnection) -> None:
        """Tell watchers of changes. A failure is no failure of the write: they find the changes a little later."""
        try:
            connection.execute(self._namespace.sql.tell, {"namespace": self._namespace.number})
        except psycopg.Error as error:
            _log.warning("holdfast: the changes are stored, but watchers could not be told: %s", error)

    def _pages_from(self, month: date) -> Callable[[int], list[ChangeRow]]:
        """Reads a board's chain page by page. The first one starts in a month, the next where the last one ended."""
        size = FIRST_PAGE

        def page(sequence: int) -> list[ChangeRow]:
            nonlocal month, size
            asked = {"sequence": sequence, "month": month, "page": size}
            rows = self._namespace.all(self._namespace.sql.backward, asked)
            month, size = (rows[-1][0] if rows else month), PAGE
            return [ChangeRow(*row[1:]) for row in rows]

        return page

    def _rows_after(self, sequence: int, month: date) -> list[WatchedRow]:
        rows = self._namespace.all(self._namespace.sql.forward, {"sequence": sequence, "month": month})
        return [WatchedRow.of(row) for row in rows]

    def _position(self) -> Position:
        return position_of(list(self._unsettled()))

    def _unsettled(self) -> Iterator[tuple[int, int | None]]:
        """Up to where everything is settled, beside each change after that, or beside None if there is no more."""
        after: int | None = None
        while True:
            rows = self._namespace.all(self._namespace.sql.unsettled, {"after": after})
            yield from rows
            if len(rows) < PAGE_OF_UNSETTLED:
                return
            after = rows[-1][1]

    def _settle(self) -> None:
        """Find out up to where every change is there or never will be. On a replica others have to do that."""
        with suppress(StoreError):
            self._namespace.one(self._namespace.sql.settle, {})

    def _read(self, key: Key, plan: str) -> Plan:
        with damage_guard(key, 0):
            return codec.plan_from_json(plan)

    def _remember(self, key: Key, plan: Plan) -> Plan:
        if len(self._plans) >= MOST_CACHED:
            self._plans.clear()
        self._plans[key] = plan
        return plan


def _stored_plan(row: tuple[str, str, int, str]) -> PlanOrDamage:
    session, agent, sequence, plan = row
    return read_stored_plan(Key(from_text(session), from_text(agent)), sequence, plan, damage_guard)


def _values(change: Change) -> dict[str, Any]:
    """A change as a row. Its token identifies it when the write is tried again after a lost answer."""
    before, after = change.before, change.after
    return {
        "before": before.revision,
        "after": after.revision,
        "number": after.number,
        "at": after.updated_at,
        "by": change.by,
        "action": change.action,
        "undoes": change.undoes,
        "plan": codec.plan_to_json(after),
        "delta": codec.delta_to_json(before, after),
        "token": uuid.uuid4(),
        "is_archived": after.is_archived,
    }


def _execute_each(connection: DatabaseConnection, statement: bytes, rows: list[dict[str, Any]]) -> None:
    with connection.transaction():
        for row in rows:
            connection.execute(statement, row)
