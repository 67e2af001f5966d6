"""Every plan of one store into another, board by board, verified. It can be continued after it was killed."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import StoreError
from ..stores import Key, Store
from ..stores.damage import readable_or_raise, sessions_with_damage
from .history import History, board_label, read_history, write_history


class MigratedBoard(NamedTuple):
    """A board that is in both stores now: how many changes it has, how many of them are new, their checksum."""

    key: Key
    changes: int
    new: int
    checksum: str


def migrate(source: Store, target: Store) -> Iterator[MigratedBoard]:
    """Copy every board with its history and its totals, the one changed last at the end. Yields each when verified.

    Boards that are already there stay. So a migration that was killed continues where it ended, and one that is run
    again copies what was written since. What was deleted in the target stays deleted. The source is not changed. Raises
    UsageError if the target has a board with another history, StoreError if one of the stores fails or a board did not
    arrive as it was.
    """
    for key, plan in reversed(readable_or_raise(sessions_with_damage(source))):
        if target.load(key).is_deleted:
            continue
        history = read_history(source, key, plan)
        new = write_history(target, history)
        _copy_totals(source, target, key)
        yield MigratedBoard(key, len(history.changes), new, _verify(target, history))


def checksum_of(boards: list[MigratedBoard]) -> str:
    """One checksum for all boards, independent of their order."""
    return hashlib.sha256("\n".join(sorted(board.checksum for board in boards)).encode()).hexdigest()


def _verify(target: Store, history: History) -> str:
    """The checksum of a history, compared with what the target has now. Raises StoreError if they differ."""
    there = read_history(target, history.key, target.load(history.key)).changes
    first = next((at for at, change in enumerate(there) if change.before == history.start), len(there))
    arrived = history._replace(changes=there[first : first + len(history.changes)])
    if (len(arrived.changes), arrived.checksum) != (len(history.changes), history.checksum):
        raise StoreError(f"{board_label(history.key)} did not arrive as it was sent: run the migration again")
    return history.checksum


def _copy_totals(source: Store, target: Store, key: Key) -> None:
    """Raise the totals of the target to those of the source; a second run adds nothing."""
    there = target.tallies(key)
    more = {name: total - there.get(name, 0) for name, total in source.tallies(key).items()}
    if any(count > 0 for count in more.values()):
        target.tally(key, {name: count for name, count in more.items() if count > 0})
