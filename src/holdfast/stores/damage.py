"""Reading a store in which some record may be damaged: it hides no other, and is never left out in silence."""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from ..errors import DamagedRecord
from . import codec
from .deltas import Reading
from .store import Kept, Key, Record, Store

Found = Kept | DamagedRecord
"""A board as it was found: with its plan, or with the error that says why it cannot be read."""


@runtime_checkable
class Surveys(Protocol):
    """What a store may have beside, if a record in it can be damaged."""

    def survey(self) -> list[Found]:
        """Every board, the one changed last first, the damaged ones too."""
        ...


def survey(store: Store) -> list[Found]:
    """Every board of a store, the one changed last first, the damaged ones too."""
    return store.survey() if isinstance(store, Surveys) else list(store.sessions())


def found(key: Key, sequence: int, plan: str, reading: Reading) -> Found:
    """A board as it is kept, by its newest change and the text of its plan."""
    try:
        with reading(key, sequence):
            return Kept(key, codec.plan_from_json(plan))
    except DamagedRecord as error:
        return error


def sound(boards: Sequence[Found]) -> list[Kept]:
    """The boards that can be read, for who tells of the others."""
    return [board for board in boards if isinstance(board, Kept)]


def damaged(boards: Sequence[Found]) -> list[DamagedRecord]:
    """Why each of the others cannot be read."""
    return [board for board in boards if isinstance(board, DamagedRecord)]


def whole(boards: Sequence[Found]) -> list[Kept]:
    """Every board, for who needs all of them. Raises DamagedRecord if one cannot be read."""
    for error in damaged(boards):
        raise error
    return sound(boards)


def warned(boards: Sequence[Found]) -> list[Kept]:
    """The boards that can be read; each of the others is a warning in the log."""
    for error in damaged(boards):
        import logging  # slow to load, and seldom needed

        logging.getLogger("holdfast").warning("holdfast: %s", error)
    return sound(boards)


def follow(store: Store, since: int, timeout: float | None = None) -> Iterator[Record | DamagedRecord]:
    """Each change as `store.watch` has it; in the place of one that cannot be read, the error that says so."""
    while True:
        try:
            for record in store.watch(since, timeout):
                since = record.sequence
                yield record
            return
        except DamagedRecord as error:
            if error.sequence <= since:
                raise
            since = error.sequence
            yield error
