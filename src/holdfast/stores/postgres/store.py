"""The store itself: what the contract asks for, in SQL."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from psycopg import Rollback

from ...errors import StaleRevision, UsageError
from ...plan import Change, Plan
from .. import codec
from ..damage import Found, found, warned
from ..deltas import Followed, Row, backward
from ..store import EMPTY, Kept, Key, Record
from . import leases
from .changes import Follower
from .connection import Connection
from .migrations import channel
from .names import digest, from_text, to_text
from .notifications import MARK, Listener
from .place import Place
from .trouble import IN_DOUBT, reading

CONNECTIONS = 8
"""How many connections a store opens at most, beside one for each watcher."""

PATIENCE = 10.0
"""For how many seconds a lost connection is tried again, a lock or a free connection is waited for."""

MOST_KNOWN = 256
"""How many plans are remembered, to spare sending and reading them again."""

BATCH = 500
"""How many changes are kept in one transaction when many come at once."""


class Figures(NamedTuple):
    """How much there is: boards and changes of the namespace, bytes and layout of the schema."""

    boards: int
    changes: int
    size: int
    layout: int


class PostgresStore:
    """Keeps plans in a PostgreSQL database, in one namespace of one schema; both are made at the first use.

    `namespace` and `schema` may also be said in the address. Threads share `connections`, and a process may fork. Every
    method raises StoreError, which says what to do, if the database cannot be used: one that does not answer is waited
    for `patience` seconds, at most about twice that.
    """

    def __init__(
        self,
        address: str,
        namespace: str | None = None,
        schema: str | None = None,
        connections: int = CONNECTIONS,
        patience: float = PATIENCE,
    ) -> None:
        self._place = Place(address, namespace, schema, connections, patience)
        self.namespace = self._place.namespace
        self._plans: dict[Key, Plan] = {}

    def load(self, key: Key) -> Plan:
        """The plan as it is now; an empty one if there was never a write."""
        known = self._plans.get(key, EMPTY)
        row = self._place.one(self._place.sql.load, {"key": digest(*key), "known": known.revision})
        if row is None:
            return EMPTY
        return known if row[0] is None else self._remember(key, self._read(key, row[0]))

    def commit(self, key: Key, change: Change) -> None:
        """Keep a change: when this returns, it is committed. Raises StaleRevision if the plan has moved on."""
        self.commit_all(key, (change,))

    def commit_all(self, key: Key, changes: Iterable[Change]) -> None:
        """Keep changes that follow one upon the other, many in one transaction; of each such batch all or none.

        Raises StaleRevision if the plan has moved on.
        """
        place, given = self._place, list(changes)
        board = {
            "namespace": place.number,
            "key": digest(*key),
            "session": to_text(key.session),
            "agent": to_text(key.agent),
        }
        for start in range(0, len(given), BATCH):
            rows = [{**board, **_values(change)} for change in given[start : start + BATCH]]
            if not place.run(partial(self._kept, rows), doubt=IN_DOUBT):
                raise StaleRevision(f"the plan is no longer at revision {rows[0]['before']}: read it again")
            self._remember(key, given[start + len(rows) - 1].after)

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first."""
        head = self._place.one(self._place.sql.head, {"key": digest(*key)})
        return iter(()) if head is None else backward(key, head[0], head[1], self._back_from, reading)

    def sessions(self) -> list[Kept]:
        """Every board with its plan, the one changed last first. One that is damaged is left out, with a warning."""
        return warned(self.survey())

    def survey(self) -> list[Found]:
        """Every board, the one changed last first, the damaged ones too."""
        rows = self._place.all(self._place.sql.boards, {})
        return [found(Key(from_text(row[0]), from_text(row[1])), row[2], row[3], reading) for row in rows]

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after `since`, as it comes, from any machine. Ends when the store is closed."""
        place = self._place
        mark = {"namespace": place.number, "seconds": MARK}
        newest = place.one(place.sql.newest, {}) if since is None else (since,)
        listener = Listener(
            place.pool,
            f"{channel(place.schema)}{place.number}",
            lambda connection: connection.execute(place.sql.watched, mark),
        )
        follower = Follower(self._after, Followed(self.history, reading), listener, lambda: place.pool.is_closed)
        return follower.follow(0 if newest is None else newest[0], timeout)

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals. They are not synced: a crash of the server may take the last ones."""
        place = self._place
        board = {"namespace": place.number, "key": digest(*key)}
        rows = [{**board, "name": name, "count": count} for name, count in sorted(counts.items())]
        place.run(lambda connection: _each(connection, place.sql.tally, rows), once=True)

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        return dict(self._place.all(self._place.sql.tallies, {"key": digest(*key)}))

    def hold(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a lease, or renew one's own; whether one has it now. The clock is the server's."""
        return leases.hold(self._place, key, what, holder, seconds)

    def let_go(self, key: Key, what: str, holder: str) -> None:
        """Give one's lease back."""
        leases.let_go(self._place, key, what, holder)

    def held(self, key: Key) -> Mapping[str, str]:
        """What is held on a board now, and by whom."""
        return leases.held(self._place, key)

    def prune(self, older_than: float | None = None, keep: int | None = None) -> int:
        """Forget changes older than so many seconds, or all but the newest `keep` of each board; how many went.

        With both, only what is too old and beyond the number goes. The plans stay, and so does each one's last change.
        It takes the right to delete changes. Raises UsageError if neither is given.
        """
        from .pruning import prune

        if older_than is None and keep is None:
            raise UsageError("prune(): say older_than=seconds, or keep=changes")
        return prune(self._place, older_than, keep)

    def figures(self) -> Figures:
        """How much there is."""
        row = self._place.one(self._place.sql.figures, {"schema": self._place.schema})
        assert row is not None, "counts are always answered"
        return Figures(*row)

    def close(self) -> None:
        """Let go of the connections. A closed store is not used again."""
        self._place.pool.close()

    def _kept(self, rows: list[dict[str, Any]], connection: Connection) -> bool:
        """Keep changes, all or none; whether they are kept, now or before the answer to the last try was lost."""
        if len(rows) == 1:
            answer = connection.execute(self._place.sql.keep, rows[0]).fetchone()
            return answer is not None and answer[0] is not None
        with connection.transaction() as transaction, connection.cursor() as cursor:
            cursor.executemany(self._place.sql.keep, rows, returning=True)
            answers = [result.fetchone() for result in cursor.results()]
            if any(answer is None or answer[0] is None for answer in answers):
                raise Rollback(transaction)
            return True
        return False

    def _back_from(self, sequence: int) -> list[Row]:
        return [Row(*row) for row in self._place.all(self._place.sql.backward, {"sequence": sequence})]

    def _after(self, sequence: int) -> list[Row]:
        return [Row(*row) for row in self._place.all(self._place.sql.forward, {"sequence": sequence})]

    def _read(self, key: Key, plan: str) -> Plan:
        with reading(key, 0):
            return codec.plan_from_json(plan)

    def _remember(self, key: Key, plan: Plan) -> Plan:
        if len(self._plans) >= MOST_KNOWN:
            self._plans.clear()
        self._plans[key] = plan
        return plan


def _values(change: Change) -> dict[str, Any]:
    """A change as a row. The token is its own: whoever tries again after a lost answer knows it by that."""
    before, after, by, action, undoes = change
    return {
        "before": before.revision,
        "after": after.revision,
        "number": after.number,
        "at": after.updated_at,
        "by": by,
        "action": action,
        "undoes": undoes,
        "plan": codec.plan_to_json(after),
        "delta": codec.delta_to_json(before, after),
        "token": uuid.uuid4(),
    }


def _each(connection: Connection, statement: bytes, rows: list[dict[str, Any]]) -> None:
    with connection.transaction():
        for row in rows:
            connection.execute(statement, row)
