"""What hooks remember from one process to the next: a few running totals of a board, in its store."""

from typing import NamedTuple

from ...stores.store import Key, Store

PREFIX = "hook."


class Counts(NamedTuple):
    """A board's totals, as hooks keep them."""

    work: int = 0
    """Other tools used since the last plan write."""
    failed: int = 0
    """Failed calls of other tools in a row, since the last plan write."""
    unseen: int = 0
    """1 when the model can no longer see its plan."""
    held: int = 0
    """How often the stop gate has held the model in a row, with no todo changing its status."""
    held_at: int = 0
    """The revision of the plan when it was last held."""
    holds: int = 0
    """How often it was held since the last message of the user."""
    waiting: int = 0
    """1 when the model was told that its plan waits for a person, and not yet that it was approved."""


def load(store: Store, key: Key) -> Counts:
    """The totals as they are now."""
    totals = store.tallies(key)
    return Counts(*(totals.get(PREFIX + field, 0) for field in Counts._fields))


def save(store: Store, key: Key, before: Counts, after: Counts) -> None:
    """Change the totals by the difference. What other processes add at the same time stays."""
    changes = {PREFIX + field: after[at] - before[at] for at, field in enumerate(Counts._fields)}
    changes = {name: change for name, change in changes.items() if change}
    if changes:
        store.tally(key, changes)
