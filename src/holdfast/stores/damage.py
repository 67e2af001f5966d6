"""Reading a store with damaged records: they do not hide the others, and are never left out silently."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, runtime_checkable

from ..errors import DamagedRecord
from . import codec
from .deltas import DamageGuard
from .store import Key, Record, Store, StoredPlan

PlanOrDamage = StoredPlan | DamagedRecord
"""A board with its plan, or the error that says why it cannot be read."""


@runtime_checkable
class ReportsDamage(Protocol):
    """What a store can do in addition if its records can be damaged."""

    def sessions_with_damage(self, limit: int | None = None, archived: bool = True) -> list[PlanOrDamage]:
        """Boards, the one changed last first, the damaged ones too: all of them, or the first `limit`.

        Without `archived`, archived ones are left out.
        """
        ...


def sessions_with_damage(store: Store, limit: int | None = None, archived: bool = True) -> list[PlanOrDamage]:
    """Boards of a store, the one changed last first, the damaged ones too: all of them, or the first `limit`."""
    if isinstance(store, ReportsDamage):
        return store.sessions_with_damage(limit, archived)
    if archived:
        return list(store.sessions(limit))
    return list(islice((board for board in store.sessions() if not board.plan.is_archived), limit))


def board_with_damage(store: Store, key: Key) -> PlanOrDamage:
    """One board with its plan, or why it cannot be read."""
    try:
        return StoredPlan(key, store.load(key))
    except DamagedRecord as error:
        return error


def read_stored_plan(key: Key, sequence: int, plan: str, guard: DamageGuard) -> PlanOrDamage:
    """A board from the sequence of its newest change and the text of its plan."""
    try:
        with guard(key, sequence):
            return StoredPlan(key, codec.plan_from_json(plan))
    except DamagedRecord as error:
        return error


def readable(boards: Sequence[PlanOrDamage]) -> list[StoredPlan]:
    """The boards that can be read, for callers that report the others themselves."""
    return [board for board in boards if isinstance(board, StoredPlan)]


def damaged_records(boards: Sequence[PlanOrDamage]) -> list[DamagedRecord]:
    """The errors of the boards that cannot be read."""
    return [board for board in boards if isinstance(board, DamagedRecord)]


def readable_or_raise(boards: Sequence[PlanOrDamage]) -> list[StoredPlan]:
    """All boards. Raises DamagedRecord if one cannot be read."""
    for error in damaged_records(boards):
        raise error
    return readable(boards)


def readable_or_warn(boards: Iterable[PlanOrDamage]) -> Iterator[StoredPlan]:
    """The boards that can be read. For each of the others there is a warning in the log."""
    for board in boards:
        if isinstance(board, StoredPlan):
            yield board
        else:
            import logging  # slow to import, and rarely needed

            logging.getLogger("holdfast").warning("holdfast: %s", board)


def follow(store: Store, since: int, timeout: float | None = None) -> Iterator[Record | DamagedRecord]:
    """Each change from `store.watch`; for one that cannot be read, the error instead."""
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
