"""A store in which one board can be changed only from the revision that somebody saw."""

from collections.abc import Iterator, Mapping

from ..errors import StaleRevision, StoreError
from ..plan import Change, Plan
from ..stores import Kept, Key, Record, Store


class AtRevision:
    """A store, but a change that starts from another revision than this one is refused, not worked out again."""

    def __init__(self, store: Store, revision: int) -> None:
        self._store = store
        self._revision = revision

    def load(self, key: Key) -> Plan:
        """The plan as it is now."""
        return self._store.load(key)

    def commit(self, key: Key, change: Change) -> None:
        """Keep a change. Raises StoreError if the plan has moved on."""
        if change.before.revision != self._revision:
            raise StoreError(f"the plan is at revision {change.before.revision}, not at {self._revision}")
        try:
            self._store.commit(key, change)
        except StaleRevision as error:
            raise StoreError(str(error)) from error

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first."""
        return self._store.history(key)

    def sessions(self) -> list[Kept]:
        """Every board with its plan."""
        return self._store.sessions()

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change as it comes."""
        return self._store.watch(since, timeout)

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals."""
        self._store.tally(key, counts)

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        return self._store.tallies(key)

    def close(self) -> None:
        """Nothing: the store is somebody else's."""
