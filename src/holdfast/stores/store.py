"""The contract of a store: a few verbs, with the same promises for every store."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from ..plan import Change, Plan

if TYPE_CHECKING:
    from concurrent.futures import Executor  # slow to load, and for async hosts only

EMPTY = Plan()
"""A board's plan before its first write."""


class Key(NamedTuple):
    """Whose plan it is: one agent's, in one session."""

    session: str
    agent: str


class StoredPlan(NamedTuple):
    """A board in a store: its key, and its plan as it is now."""

    key: Key
    plan: Plan


class Record(NamedTuple):
    """One change in a store. `sequence` counts over all boards of the store, and only grows."""

    sequence: int
    key: Key
    change: Change


class Store(Protocol):
    """Keeps plans, each with all its changes.

    A commit that has returned is as safe as the store can make it. A commit that raised has stored nothing.
    Every method may be called from any thread.
    """

    def load(self, key: Key) -> Plan:
        """The plan as it is now; an empty one at revision 0 before the first write.

        Raises DamagedRecord if this board's record cannot be read, StoreError if the store cannot.
        """
        ...

    def commit(self, key: Key, change: Change) -> None:
        """Store a change, and make its plan the current one.

        Raises StaleRevision if the plan is not at the revision that the change starts from, StoreError if the change
        cannot be stored.
        """
        ...

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first. Raises DamagedRecord where one cannot be read."""
        ...

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """Boards with their plans, the one changed last first: all of them, or the first `limit`. Only those are read.

        A damaged one is left out, with a warning in the log `holdfast`; `damage.sessions_with_damage` has it too.
        """
        ...

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after the sequence `since`, as it comes, from any process; without `since`, from now on.

        Ends when `timeout` seconds pass with nothing new; without `timeout` it waits for ever. Raises DamagedRecord
        where a change cannot be read; to go on, watch since its sequence, as `damage.follow` does.
        """
        ...

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals, such as rejected writes. The last ones may be lost in a crash."""
        ...

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        ...

    def close(self) -> None:
        """Close files and connections. A closed store cannot be used again."""
        ...


@runtime_checkable
class CommitsMany(Protocol):
    """What a store can do in addition: store many changes at the cost of a few."""

    def commit_many(self, key: Key, changes: Iterable[Change]) -> None:
        """Store changes that follow each other. Raises what `commit` raises; then the first ones may be stored."""
        ...


@runtime_checkable
class CachesPlans(Protocol):
    """What a store can do in addition: give a plan at no cost, maybe a stale one, as the next commit will show."""

    def cached_plan(self, key: Key) -> Plan | None:
        """The plan as this store last read or wrote it, without a look at what is there now; `None` if it never did.

        It may be out of date: a commit that starts from it then raises StaleRevision.
        """
        ...


@runtime_checkable
class Prunes(Protocol):
    """What a store can do in addition: delete old history, and archived plans long ago."""

    def prune(self, older_than: float | None = None, keep: int | None = None, dry_run: bool = False) -> int:
        """Delete changes older than `older_than` seconds, or all but the newest `keep` of each board. Returns how many.

        With both, only changes that are too old and beyond the number. With `dry_run` they are only counted. Every plan
        stays.
        """
        ...

    def delete_archived(self, older_than: float, dry_run: bool = False) -> int:
        """Delete plans that were archived `older_than` seconds ago, with all that is kept of them. Returns how many."""
        ...


@runtime_checkable
class Deletes(Protocol):
    """What a store can do in addition: delete a board with its history."""

    def delete(self, key: Key, change: Change) -> None:
        """Store the last change of a board, and delete every one before it, with all that was kept for the board.

        The change leads to `transitions.delete`. Watchers are told of it, as a change from an empty plan. The board is
        in no list until somebody writes to it again. Raises what `commit` raises.
        """
        ...


@runtime_checkable
class HasThreads(Protocol):
    """What a store has in addition: threads for async hosts, as many as it can serve at once."""

    @property
    def threads(self) -> "Executor":
        """Where calls of this store wait, instead of in the threads that a host's event loop has for everything."""
        ...


@runtime_checkable
class KnowsPosition(Protocol):
    """What a store can do in addition: say where a follower starts, without a look at any plan."""

    def position(self) -> int:
        """A sequence that a follower may start after: whatever is read from now on has every change up to it."""
        ...


def in_use_by_this_thread(what: str) -> str:
    """What a signal handler is told that has interrupted the work of its own thread, and would wait for itself."""
    return f"{what} is in use by this thread: a signal handler must leave the plan to it"
