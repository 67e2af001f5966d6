"""How a change gets into the store: a step upon the plan as it is, and again if somebody else wrote first."""

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
"""How often a step is tried while others write first, before it is given up."""

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
    notes: tuple[str, ...] = ()
    is_update: bool = False


class Commits:
    """The changes of one board, on their way into its store. Each carries the board's settings."""

    def __init__(self, store: Store, key: Key, clock: Callable[[], float], settings: str) -> None:
        self._store = store
        self._key = key
        self._clock = clock
        self._settings = settings
        self._recall = store.cached_plan if isinstance(store, CachesPlans) else _forgetful

    def make(self, request: ChangeRequest) -> Committed | Refusal:
        """Apply a step to the plan as it is now. Raises StoreError if the result cannot be kept.

        The first try is made upon the plan as it is remembered. It counts only if it is kept: that proves that the
        memory was not out of date.
        """
        remembered = self._recall(self._key)
        if remembered is not None:
            made = self._try(request, remembered)
            if isinstance(made, Committed) and made.change.after.revision != remembered.revision:
                return made
        for _ in range(MOST_TRIES):
            made = self._try(request, self._store.load(self._key))
            if made is not None:
                return made
        raise StoreError(f"others wrote first, {MOST_TRIES} times in a row; try again")

    def _try(self, request: ChangeRequest, before: Plan) -> Committed | Refusal | None:
        """What a step came to; None if somebody else wrote first."""
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


def _forgetful(key: Key) -> Plan | None:
    """What a store recalls that remembers nothing."""
    return None
