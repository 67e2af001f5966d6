"""How a change gets into the store: a step from the plan as it is now, tried again if somebody else wrote first."""

from collections.abc import Callable
from typing import NamedTuple

from ..dialects import Dialect
from ..errors import StaleRevision, StoreError
from ..plan import Author, Change, Plan
from ..plan.fault import Fault, Refusal
from ..plan.step import Step
from ..stores import Key, Store
from ..stores.store import CachesPlans

MOST_TRIES = 100
"""How often a step is tried while others write first, before Holdfast gives up."""

CONFLICT = "conflict"
"""The code of the fault that the plan is not at the revision that the caller expected."""


class ChangeRequest(NamedTuple):
    """A change that somebody asks for: the step, who asks and how, and the dialect to answer in.

    `payload` and `tool` are the model's call, as the answer may need them. With `is_look`, it asks for the plan only.
    """

    step: Step
    by: Author
    action: str
    dialect: Dialect
    payload: object = None
    tool: str = ""
    is_look: bool = False
    expected_revision: int | None = None


class Committed(NamedTuple):
    """A change that is safe in its store, and what the model must read of it."""

    change: Change
    notes: tuple[str, ...]
    is_update: bool


class Commits:
    """The changes of one board, on their way into its store. Each carries the board's settings."""

    def __init__(self, store: Store, key: Key, clock: Callable[[], float], settings: str) -> None:
        self._store = store
        self._key = key
        self._clock = clock
        self._settings = settings
        self._cached_plan = store.cached_plan if isinstance(store, CachesPlans) else _no_cached_plan

    def make(self, request: ChangeRequest) -> Committed | Refusal:
        """Apply a step to the plan as it is now. Raises StoreError if the result cannot be kept.

        The first try starts from the plan in memory. It counts only if the store accepts it: that proves that the
        memory was not out of date.
        """
        cached = self._cached_plan(self._key)
        if cached is not None:
            result = self._try(request, cached)
            if isinstance(result, Committed) and result.change.after.revision != cached.revision:
                return result
        for _ in range(MOST_TRIES):
            result = self._try(request, self._store.load(self._key))
            if result is not None:
                return result
        raise StoreError(f"others wrote first, {MOST_TRIES} times in a row; try again")

    def _try(self, request: ChangeRequest, before: Plan) -> Committed | Refusal | None:
        """The result of a step; None if somebody else wrote first."""
        expected = request.expected_revision
        if expected is not None and before.revision != expected:
            return Refusal((_conflict(before.revision, expected),))
        result = request.step(before, self._clock())
        if isinstance(result, Refusal):
            return result
        after, notes, is_update, undoes = result
        if after.revision != before.revision and after.settings != self._settings:
            after = after._replace(settings=self._settings)
        change = Change(before, after, request.by, request.action, undoes)
        if after.revision != before.revision:
            try:
                self._store.commit(self._key, change)
            except StaleRevision:
                return None
        return Committed(change, notes, is_update)


def _conflict(revision: int, expected: int) -> Fault:
    message = f"somebody changed the plan: it is at revision {revision}, not at {expected}"
    return Fault("", message, CONFLICT, field="", limit=expected, received=str(revision))


def _no_cached_plan(key: Key) -> Plan | None:
    """For a store that keeps no plans in memory."""
    return None
