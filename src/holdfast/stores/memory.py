"""Plans in memory, for as long as the process lives."""

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from threading import Condition, RLock
from typing import TYPE_CHECKING

from ..errors import StaleRevision, StoreError
from ..plan import Change, Plan
from .store import EMPTY, Key, Record, StoredPlan, in_use_by_this_thread

if TYPE_CHECKING:
    from .leases import Lease

_new = tuple.__new__


class MemoryStore:
    """Keeps plans for one process. Boards that share it share its plans."""

    def __init__(self) -> None:
        self._plans: dict[Key, Plan] = {}
        self._records: list[Record | None] = []  # None in place of one that was deleted
        self._tallies: dict[Key, dict[str, int]] = {}
        self._work: dict[Key, str] = {}
        self._leases: dict[tuple[Key, str], tuple[str, float]] = {}
        self._lock = RLock()  # a signal handler that interrupts its own thread must not wait for it
        self._is_at_work = False
        self._changed = Condition(self._lock)
        self._watchers = 0

    def load(self, key: Key) -> Plan:
        """The plan as it is now."""
        return self._plans.get(key, EMPTY)

    def commit(self, key: Key, change: Change) -> None:
        """Store a change. Raises StaleRevision if the plan has moved on."""
        with self._lock:
            if self._is_at_work:  # only a signal handler comes so far while its own thread is at work
                raise StoreError(in_use_by_this_thread("the store"))
            try:
                self._is_at_work = True
                now_at, records = self._plans.get(key, EMPTY).revision, self._records
                if now_at != change.before.revision:
                    raise StaleRevision(
                        f"the plan is at revision {now_at}, not at {change.before.revision}: read it again"
                    )
                self._plans.pop(key, None)  # they are kept in the order of their last change
                self._plans[key] = change.after
                records.append(_new(Record, (len(records) + 1, key, change)))
                if self._watchers:
                    self._changed.notify_all()
            finally:
                self._is_at_work = False

    def delete(self, key: Key, change: Change) -> None:
        """Store the last change of a board, and forget all before it. Raises StaleRevision if the plan has moved on."""
        last = change._replace(before=EMPTY)
        self.commit(key, change)
        with self._lock:
            ours = next(at for at, record in enumerate(self._records) if record is not None and record.change is change)
            self._records[ours] = Record(ours + 1, key, last)
            for at, record in enumerate(self._records[:ours]):
                if record is not None and record.key == key:
                    self._records[at] = None
            self._leases = {lease: held for lease, held in self._leases.items() if lease[0] != key}
            self._tallies.pop(key, None)
            self._work.pop(key, None)

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first."""
        return (record for record in reversed(self._records[:]) if record is not None and record.key == key)

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """Boards with their plans, the one changed last first: all of them, or the first `limit`."""
        with self._lock:
            there = (item for item in reversed(self._plans.items()) if not item[1].is_deleted)
            return [StoredPlan(*item) for item in islice(there, limit)]

    def position(self) -> int:
        """The sequence of the newest change: a follower starts after it."""
        return len(self._records)

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after `since`, as it comes."""
        at = len(self._records) if since is None else since
        return self._follow(at, timeout)

    def _follow(self, at: int, timeout: float | None) -> Iterator[Record]:
        while True:
            with self._lock:
                self._watchers += 1
                came = len(self._records) > at or self._changed.wait(timeout)
                self._watchers -= 1
                new = self._records[at:]
            if not came:
                return
            at += len(new)
            yield from (record for record in new if record is not None)

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals."""
        with self._lock:
            totals = self._tallies.setdefault(key, {})
            for what, count in counts.items():
                totals[what] = totals.get(what, 0) + count

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        with self._lock:
            return dict(self._tallies.get(key, {}))

    def keep_work(self, key: Key, work: str) -> None:
        """Keep what was done for a board's current todo."""
        self._work[key] = work

    def kept_work(self, key: Key) -> str:
        """What was kept for a board."""
        return self._work.get(key, "")

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a free or expired lease, or renew your own. Returns whether `holder` has it now."""
        now = time.monotonic()
        with self._lock:
            its_holder, until = self._leases.get((key, what), (holder, now))
            if its_holder != holder and until > now:
                return False
            self._leases[key, what] = (holder, now + seconds)
            return True

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give your lease back."""
        with self._lock:
            if self._leases.get((key, what), ("", 0.0))[0] == holder:
                del self._leases[key, what]

    def active_leases(self, key: Key) -> "Mapping[str, Lease]":
        """The leases on a board that have not expired, by what they are on."""
        from .leases import Lease

        now = time.monotonic()
        with self._lock:
            leases = list(self._leases.items())
        return {
            what: Lease(holder, until - now)
            for (board, what), (holder, until) in leases
            if board == key and until > now
        }

    def close(self) -> None:
        """There is nothing to close."""
