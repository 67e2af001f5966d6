"""The contract of a store: few verbs, the same promises whatever is behind them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from ..plan import Change, Plan

EMPTY = Plan()
"""A board's plan before its first write."""


class Key(NamedTuple):
    """Whose plan it is: one agent's, in one session."""

    session: str
    agent: str


class Kept(NamedTuple):
    """A board as the store knows it: whose it is, and its plan as it is now."""

    key: Key
    plan: Plan


class Record(NamedTuple):
    """One change as the store keeps it. `sequence` counts over all boards of the store, and only grows."""

    sequence: int
    key: Key
    change: Change


class Store(Protocol):
    """Keeps plans, every one with all its changes.

    A commit that has returned is as safe as the store can make it, and a commit that raised left nothing behind.
    Every method may be called from any thread.
    """

    def load(self, key: Key) -> Plan:
        """The plan as it is now; an empty one at revision 0 if there was never a write.

        Raises StoreError if it cannot be read: DamagedRecord if that is for this board's own record.
        """
        ...

    def commit(self, key: Key, change: Change) -> None:
        """Keep a change, and make its plan the current one.

        Raises StaleRevision if the plan is not at the revision that the change starts from, StoreError if it cannot
        be kept.
        """
        ...

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first. Raises DamagedRecord where one cannot be read."""
        ...

    def sessions(self) -> list[Kept]:
        """Every board with its plan, the one changed last first.

        One whose record is damaged is left out, with a warning in the log `holdfast`; `damage.survey` has it, too.
        """
        ...

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after the sequence `since`, as it comes, from wherever it was made; without it, from now on.

        Ends when `timeout` seconds pass with nothing new; without it, it waits for ever. Raises DamagedRecord where a
        change cannot be read; a watch since its sequence goes on after it, as `damage.follow` does.
        """
        ...

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals, such as rejected writes. They are not promises: a kill may lose the last."""
        ...

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        ...

    def close(self) -> None:
        """Let go of files and connections. A closed store is not used again."""
        ...


@runtime_checkable
class KeepsMany(Protocol):
    """What a store may have beside: a way to keep many changes at the cost of a few."""

    def commit_all(self, key: Key, changes: Iterable[Change]) -> None:
        """Keep changes that follow one upon the other, the first ones if it raises what `commit` raises."""
        ...


@runtime_checkable
class Recalls(Protocol):
    """What a store may have beside: a plan at no cost, for one who is about to commit and so finds out if it is old."""

    def recall(self, key: Key) -> Plan | None:
        """The plan as this store last read or kept it, without a look at what is there now; none if it never did.

        It may be out of date: a commit upon it then raises StaleRevision.
        """
        ...
