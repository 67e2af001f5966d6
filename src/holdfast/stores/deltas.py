"""Changes that are kept as deltas, each naming the one before it on its board: read back from a plan, or forward."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from ..errors import DamagedRecord
from ..plan import Author, Change, Plan
from . import codec
from .store import EMPTY, Key, Record

MOST_FOLLOWED = 1_000
"""How many boards' plans a watcher remembers; another one is found by a walk back from its plan."""


class Row(NamedTuple):
    """A change as a store has it. `previous` is the sequence of the one before it on its board, 0 for the first."""

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


Reading = Callable[[Key, int], AbstractContextManager[None]]
"""Around the reading of a board's record, at a sequence: makes a ValueError in it a DamagedRecord that says both."""


def backward(
    key: Key, sequence: int, plan: str, page: Callable[[int], list[Row]], reading: Reading
) -> Iterator[Record]:
    """A board's changes from the newest on. `page` gives some rows of its chain, from a sequence on backward."""
    with reading(key, sequence):
        after = codec.plan_from_json(plan)
    while rows := page(sequence):
        for row in rows:
            with reading(key, row.sequence):
                before = codec.backward(after, row.delta)
            yield row.record(key, before, after)
            after, sequence = before, row.previous


class Followed:
    """The boards that a watcher has met, each with its plan as of the last change that it saw."""

    def __init__(self, history: Callable[[Key], Iterator[Record]], reading: Reading) -> None:
        self._history = history
        self._reading = reading
        self._plans: dict[int, tuple[int, Plan]] = {}

    def record(self, row: Row, key: Key) -> Record | None:
        """The record of a row; none if its change was pruned before it could be read. Raises DamagedRecord."""
        sequence, before = self._plans.pop(row.board, (0, EMPTY))
        if row.previous == sequence:
            with self._reading(key, row.sequence):
                record = row.record(key, before, codec.forward(before, row.delta))
        else:
            found = self._past(row, key)
            if found is None:
                return None
            record = found
        self._remember(row, record.change.after)
        return record

    def _past(self, row: Row, key: Key) -> Record | None:
        """The record of a row by a walk back from its board's plan."""
        try:
            found = next((record for record in self._history(key) if record.sequence <= row.sequence), None)
        except DamagedRecord as error:  # maybe in a later change, but it is this one that cannot be told
            raise DamagedRecord(str(error), error.key, row.sequence) from error
        return found if found is not None and found.sequence == row.sequence else None

    def _remember(self, row: Row, plan: Plan) -> None:
        self._plans[row.board] = (row.sequence, plan)
        if len(self._plans) > MOST_FOLLOWED:
            del self._plans[next(iter(self._plans))]  # the one whose last change is the longest ago
