"""How a change gets into the store: a step upon the plan as it is, and again if somebody else came first."""

from collections.abc import Callable

from ..errors import StaleRevision, StoreError
from ..plan import Change, Plan
from ..plan.rules import Fault
from ..stores import Key, Store
from ..stores.store import Recalls
from .person_steps import Step

Made = tuple[Change, tuple[str, ...]]
"""A change that was made, and what the model must read of it."""

TRIES = 100
"""How often a step is tried against others that come first, before it is given up."""


class Commits:
    """The changes of one board, on their way into its store."""

    def __init__(self, store: Store, key: Key, clock: Callable[[], float]) -> None:
        self._store = store
        self._key = key
        self._clock = clock
        self._recall = store.recall if isinstance(store, Recalls) else _nothing

    def make(self, step: Step, by: str, action: str, undoes: int = 0) -> Made | list[Fault]:
        """Apply a step to the plan as it is now. Raises StoreError if it cannot be kept.

        The first try is made upon the plan as it is remembered, and counts only if it is kept: that proves it was not
        out of date.
        """
        how = (by, action, undoes)
        if (remembered := self._recall(self._key)) is not None:
            made = self._tried(remembered, step, how)
            if made is not None and not isinstance(made, list) and made[0].after.revision != remembered.revision:
                return made
        for _ in range(TRIES):
            made = self._tried(self._store.load(self._key), step, how)
            if made is not None:
                return made
        raise StoreError(f"others wrote first, {TRIES} times in a row; try again")

    def _tried(self, before: Plan, step: Step, how: tuple[str, str, int]) -> Made | list[Fault] | None:
        """What a step came to; none if somebody else came first."""
        result = step(before, self._clock())
        if isinstance(result, list):
            return result
        after, notes = result
        change = Change(before, after, *how)
        if after.revision != before.revision:
            try:
                self._store.commit(self._key, change)
            except StaleRevision:
                return None
        return change, notes


def _nothing(key: Key) -> Plan | None:
    """What a store recalls that does not."""
    return None
