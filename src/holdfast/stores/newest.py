"""Finding boards without reading every plan: by their last change, by name, by a text in them."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, runtime_checkable

from .damage import PlanOrDamage, board_with_damage, sessions_with_damage
from .store import Key, Store, StoredPlan

FIRST = 20
"""How many boards are read at first by a caller that looks for one of them."""

LONGEST_SOUGHT = 200
"""How many characters of a text are sought in a database."""


@runtime_checkable
class FindsBoards(Protocol):
    """What a store can do in addition: find boards at the cost of those."""

    def keys_starting(self, start: str) -> list[Key]:
        """Whose boards there are in sessions whose names start so, the one changed last first. No plan is read."""
        ...

    def boards_with_text(self, text: str, limit: int) -> list[PlanOrDamage]:
        """At most `limit` boards with a text in their names or their plans, in any case, the one changed last first.

        Some may only seem to have it: what counts, the caller looks at.
        """
        ...

    def boards_unchanged_since(self, time: float, archived: bool) -> Iterator[PlanOrDamage]:
        """Boards whose last change was before a time, in any order; archived ones only if `archived`.

        They are read page by page, and only those. Some may only seem to be old: what counts, the caller looks at.
        """
        ...


def boards_by_age(store: Store, archived: bool = True) -> Iterator[PlanOrDamage]:
    """Every board, the one changed last first, the damaged ones too. Who stops early has read only a few."""
    given: set[Key] = set()
    most = FIRST
    while True:
        boards = sessions_with_damage(store, most, archived)
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
    if isinstance(store, FindsBoards):
        return store.keys_starting(start)
    return [key for board in sessions_with_damage(store) if (key := Key(*board.key)).session.startswith(start)]


def boards_of(store: Store, session: str) -> list[PlanOrDamage]:
    """The boards of a session, the one changed last first, the damaged ones too."""
    return [board_with_damage(store, key) for key in keys_starting(store, session) if key.session == session]


def boards_with_text(store: Store, text: str, limit: int) -> list[PlanOrDamage]:
    """Boards that may have a text in their names or plans, the one changed last first, at most `limit` of them."""
    return store.boards_with_text(text, limit) if isinstance(store, FindsBoards) else sessions_with_damage(store)


def boards_unchanged_since(store: Store, time: float, archived: bool) -> Iterator[StoredPlan]:
    """Boards that nobody changed since a time, in any order; archived ones only if `archived`."""
    boards: Iterable[PlanOrDamage]
    if isinstance(store, FindsBoards):
        boards = store.boards_unchanged_since(time, archived)
    else:
        boards = sessions_with_damage(store, None, archived)
    for board in boards:
        if isinstance(board, StoredPlan) and board.plan.updated_at < time:
            yield board


def like_pattern(text: str, escape: Callable[[str], str] = str) -> str:
    """The pattern by which LIKE finds a text in lower case, with `~` as its escape character.

    `escape` writes a character as it is kept. A letter beyond ASCII stands for anything: databases differ in its case.
    """
    return f"%{''.join(_like_part(each, escape) for each in text[:LONGEST_SOUGHT])}%"


def in_json(character: str) -> str:
    """A character as it is in the JSON of a plan."""
    return json.dumps(character)[1:-1]


def _like_part(character: str, escape: Callable[[str], str]) -> str:
    if character.lower() != character.upper():
        return character.lower() if character.isascii() else "%"
    return "".join(f"~{each}" if each in "~%_" else each for each in escape(character))
