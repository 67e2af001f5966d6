"""The boards that were changed last, and the names of boards: what lists begin with, without reading every plan."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from .damage import PlanOrDamage, sessions_with_damage
from .store import Key, Store

FIRST = 20
"""How many boards are read at first by who looks for one of them."""


@runtime_checkable
class ListsNewest(Protocol):
    """What a store can do in addition: list some of its boards at the cost of those."""

    def newest_with_damage(self, most: int) -> list[PlanOrDamage]:
        """The boards that were changed last, so many of them, the newest first, the damaged ones too."""
        ...

    def board_with_damage(self, key: Key) -> PlanOrDamage:
        """One board with its plan, or why it cannot be read."""
        ...

    def keys_starting(self, start: str) -> list[Key]:
        """Whose boards there are in sessions whose names start so, the one changed last first. No plan is read."""
        ...

    def count_boards(self) -> int:
        """How many boards there are."""
        ...


def newest_with_damage(store: Store, most: int) -> list[PlanOrDamage]:
    """The boards that were changed last, so many of them, the newest first, the damaged ones too."""
    return store.newest_with_damage(most) if isinstance(store, ListsNewest) else sessions_with_damage(store)[:most]


def boards_by_age(store: Store) -> Iterator[PlanOrDamage]:
    """Every board, the one changed last first, the damaged ones too. Who stops early has read only a few."""
    given: set[Key] = set()
    most = FIRST
    while True:
        boards = newest_with_damage(store, most)
        for board in boards:
            key = Key(*board.key)
            if key not in given:
                given.add(key)
                yield board
        if len(boards) < most:
            return
        most *= 10


def keys_starting(store: Store, start: str) -> list[Key]:
    """Whose boards there are in sessions whose names start so, the one changed last first."""
    if isinstance(store, ListsNewest):
        return store.keys_starting(start)
    return [key for board in sessions_with_damage(store) if (key := Key(*board.key)).session.startswith(start)]


def count_boards(store: Store) -> int:
    """How many boards there are, the damaged ones too."""
    return store.count_boards() if isinstance(store, ListsNewest) else len(sessions_with_damage(store))
