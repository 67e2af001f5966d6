"""Changes stored as deltas, each with the sequence of the one before it: read backward from a plan, or forward."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from ..errors import DamagedRecord
from ..plan import Author, Change, Plan
from . import codec
from .store import EMPTY, Key, Record

MOST_FOLLOWED = 1_000
"""How many boards' plans a watcher remembers. Any other is found by going back from the board's current plan."""


class ChangeRow(NamedTuple):
    """A change as a row of a store. `previous` is the sequence of the one before it on its board, 0 for the first."""

    sequence: int
    board: int
    previous: int
    made_by: Author
    action: str
    undoes: int
    delta: str
    session: str = ""
    agent: str = ""

    def record(self, key: Key, before: Plan, after: Plan) -> Record:
        """The change with its plans."""
        return Record(self.sequence, key, Change(before, after, self.made_by, self.action, self.undoes))


DamageGuard = Callable[[Key, int], AbstractContextManager[None]]
"""A context for reading a board's record at a sequence. It turns a ValueError into a DamagedRecord that names both."""


def backward(
    key: Key, sequence: int, plan: str, page: Callable[[int], list[ChangeRow]], guard: DamageGuard
) -> Iterator[Record]:
    """A board's changes, the newest first. `page` returns some rows of its chain, from a sequence backward.

    A plan that its changes do not lead to was changed past Holdfast: its record counts as damaged.
    """
    with guard(key, sequence):
        after = codec.plan_from_json(plan)
    while rows := page(sequence):
        for row in rows:
            with guard(key, row.sequence):
                before = codec.backward(after, row.delta)
                _check_leads_to(row, before, after)
            yield row.record(key, before, after)
            after, sequence = before, row.previous


def _check_leads_to(row: ChangeRow, before: Plan, after: Plan) -> None:
    if codec.forward(before, row.delta) != after:
        raise ValueError("the history does not lead to the plan")
    if row.previous >= row.sequence or (row.previous == 0 and before.todos):
        raise ValueError("the history does not begin with an empty plan")


class WatchedPlans:
    """The boards that a watcher has seen, each with its plan as of the last change that was seen."""

    def __init__(self, history: Callable[[Key], Iterator[Record]], guard: DamageGuard) -> None:
        self._history = history
        self._guard = guard
        self._plans: dict[int, tuple[int, Plan]] = {}

    def record(self, row: ChangeRow, key: Key) -> Record | None:
        """The record of a row; `None` if its change was pruned before it could be read. Raises DamagedRecord."""
        sequence, before = self._plans.pop(row.board, (0, EMPTY))
        if row.previous == sequence:
            with self._guard(key, row.sequence):
                record = row.record(key, before, codec.forward(before, row.delta))
        else:
            found = self._walk_back(row, key)
            if found is None:
                return None
            record = found
        self._remember(row, record.change.after)
        return record

    def _walk_back(self, row: ChangeRow, key: Key) -> Record | None:
        """The record of a row, found by going back from its board's current plan."""
        try:
            found = next((record for record in self._history(key) if record.sequence <= row.sequence), None)
        except DamagedRecord as error:  # maybe in a later change, but this is the one that cannot be shown
            raise DamagedRecord(str(error), error.key, row.sequence) from error
        return found if found is not None and found.sequence == row.sequence else None

    def _remember(self, row: ChangeRow, plan: Plan) -> None:
        self._plans[row.board] = (row.sequence, plan)
        if len(self._plans) > MOST_FOLLOWED:
            del self._plans[next(iter(self._plans))]  # the one that was changed longest ago
