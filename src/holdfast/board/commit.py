"""How a change gets into the store: a step from the plan as it is now, tried again if somebody else wrote first."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..dialects import Dialect
from ..errors import StaleRevision, StoreError, UsageError
from ..plan import Author, Change, Plan, Todo
from ..plan.about import NOTHING_KNOWN
from ..plan.checks import CheckResult, due_checks
from ..plan.fault import Fault, Refusal
from ..plan.step import Step
from ..stores import Key, Store
from ..stores.store import CachesPlans, Deletes
from .verification import ChecksDue, Verified, Verifier

_new = tuple.__new__  # half the cost of calling a named tuple's class, and every write makes several

MOST_TRIES = 100
"""How often a step is tried while others write first, before Holdfast gives up."""

CONFLICT = "conflict"
"""The code of the fault that the plan is not at the revision that the caller expected."""


DELETE = "delete"
"""The action that leaves nothing of a plan, not even its history."""

CHECKED_ACTIONS = frozenset({"write", "update", "edit", "finish", "prove"})
"""The actions that may complete a todo anew. Others bring back what was: an undo proves nothing, and loses no proof."""


class ChangeRequest(NamedTuple):
    """A change that somebody asks for: the step, who asks and how, and the dialect to answer in.

    `payload` and `tool` are the model's call, as the answer may need them. With `is_look`, it asks for the plan only.
    `results` are the checks that were run for it so far, in so many `rounds`; `proves` is the id of a todo whose check
    alone it is about.
    """

    step: Step
    by: Author
    action: str
    dialect: Dialect
    payload: object = None
    tool: str = ""
    is_look: bool = False
    expected_revision: int | None = None
    results: Mapping[str, CheckResult | None] = {}
    rounds: int = 0
    proves: str = ""

    @property
    def verifier(self) -> Verifier:
        """How its checks are decided. What a person marks as done counts as claimed where nobody can run a check."""
        rules, form = self.dialect.rules, self.dialect.form
        needs_proof = bool(self.proves) or (self.by != "person" and rules.proof == "required")
        return Verifier(self.results, self.by, needs_proof, form.list_field)


class Committed(NamedTuple):
    """A change that is safe in its store, and what the model must read of it."""

    change: Change
    notes: tuple[str, ...]
    is_update: bool


class Commits:
    """The changes of one board, on their way into its store. Each carries the board's settings.

    `about` is what the host knows of the session: it goes with the next change.
    """

    def __init__(self, store: Store, key: Key, clock: Callable[[], float], settings: str) -> None:
        self._store = store
        self._key = key
        self._clock = clock
        self._settings = settings
        self.about = NOTHING_KNOWN
        self._cached_plan = store.cached_plan if isinstance(store, CachesPlans) else None

    def make(self, request: ChangeRequest) -> Committed | Refusal | ChecksDue:
        """Apply a step to the plan as it is now. Raises StoreError if the result cannot be kept.

        The first try starts from the plan in memory. It counts only if the store accepts it: that proves that the
        memory was not out of date.
        """
        cached = None if self._cached_plan is None else self._cached_plan(self._key)
        if cached is not None:
            result = self._try(request, cached)
            if isinstance(result, Committed) and result.change.after.revision != cached.revision:
                return result
        for _ in range(MOST_TRIES):
            result = self._try(request, self._store.load(self._key))
            if result is not None:
                return result
        raise StoreError(f"others wrote first, {MOST_TRIES} times in a row; try again")

    def _try(self, request: ChangeRequest, before: Plan) -> Committed | Refusal | ChecksDue | None:
        """The result of a step; None if somebody else wrote first. A todo with a check is not completed without it."""
        expected = request.expected_revision
        if expected is not None and before.revision != expected:
            return Refusal((_conflict(before.revision, expected),))
        now = self._clock()
        result = request.step(before, now)
        if isinstance(result, Refusal):
            return result
        after, notes, is_update, undoes, completed = result
        may_be_due = completed is None or len(completed) > 0
        if may_be_due and request.action in CHECKED_ACTIONS and (todos := _due(request, before, after, completed)):
            verified = request.verifier.verify(after, todos, now)
            if not isinstance(verified, Verified):
                return verified
            after, notes = verified.plan, (*notes, *verified.notes)
        is_new = after.revision != before.revision
        if is_new and (after.settings != self._settings or self.about is not NOTHING_KNOWN):
            after = after._replace(settings=self._settings, about=self.about.over(after.about))
        change = _new(Change, (before, after, request.by, request.action, undoes))
        if is_new:
            try:
                (self._delete if request.action == DELETE else self._store.commit)(self._key, change)
            except StaleRevision:
                return None
        return _new(Committed, (change, notes, is_update))

    @property
    def _delete(self) -> Callable[[Key, Change], None]:
        if isinstance(self._store, Deletes):
            return self._store.delete
        raise UsageError(f"{type(self._store).__name__} cannot delete plans; it can archive them")


def _due(request: ChangeRequest, before: Plan, after: Plan, completed: Sequence[Todo] | None) -> list[Todo]:
    """The todos whose checks decide upon a change. `completed` are those that it completes, if the step knows them."""
    if request.proves:
        return [todo for todo in after.todos if todo.id == request.proves]
    return [] if after.todos is before.todos else due_checks(before, after, completed)


def _conflict(revision: int, expected: int) -> Fault:
    message = f"somebody changed the plan: it is at revision {revision}, not at {expected}"
    return Fault("", message, CONFLICT, field="", limit=expected, received=str(revision))
