"""Moving up: every plan of one store into another, board by board, verified, and gone on with after a kill."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import StoreError
from ..stores import Key, Store
from ..stores.damage import survey, whole
from .history import History, named, put, taken


class Moved(NamedTuple):
    """A board that is in both stores now: how many changes it has, how many of them came just now, their checksum."""

    key: Key
    changes: int
    new: int
    checksum: str


def migrate(source: Store, target: Store) -> Iterator[Moved]:
    """Move every board with its history and its totals, the one changed last at the end; each is told when verified.

    What is there already stays, so that a migration that was killed goes on where it ended, and one that is run again
    brings what was written since. Nothing in the source is changed. Raises UsageError if the target has a board with
    another history, StoreError if one of the stores fails or a board did not arrive as it was.
    """
    for key, plan in reversed(whole(survey(source))):
        history = taken(source, key, plan)
        new = put(target, history)
        _move_totals(source, target, key)
        yield Moved(key, len(history.changes), new, _verified(target, history))


def checksum_of(moved: list[Moved]) -> str:
    """One checksum for all boards, in whatever order they came."""
    return hashlib.sha256("\n".join(sorted(one.checksum for one in moved)).encode()).hexdigest()


def _verified(target: Store, history: History) -> str:
    """The checksum of a history that was read again from where it was put. Raises StoreError if it is another."""
    there = taken(target, history.key, target.load(history.key)).changes
    first = next((at for at, change in enumerate(there) if change.before == history.start), len(there))
    arrived = history._replace(changes=there[first : first + len(history.changes)])
    if (len(arrived.changes), arrived.checksum) != (len(history.changes), history.checksum):
        raise StoreError(f"{named(history.key)} did not arrive as it was sent: run the migration again")
    return history.checksum


def _move_totals(source: Store, target: Store, key: Key) -> None:
    """Bring the totals of the target up to those of the source; run twice, it adds nothing."""
    there = target.tallies(key)
    more = {name: total - there.get(name, 0) for name, total in source.tallies(key).items()}
    if any(count > 0 for count in more.values()):
        target.tally(key, {name: count for name, count in more.items() if count > 0})
