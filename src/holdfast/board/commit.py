"""How a change gets into the store: a step from the plan as it is now, tried again if somebody else wrote first."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..dialects import Dialect, Outcome
from ..errors import StaleRevision, StoreError
from ..plan import NO_DETAILS, Author, Change, Plan, Todo
from ..plan.about import NOTHING_KNOWN
from ..plan.checks import CheckResults, due_checks
from ..plan.fault import Fault, Refusal
from ..plan.step import Step
from ..stores import Key, Store
from ..stores.store import CachesPlans, Deletes

if TYPE_CHECKING:
    from .verification import ChecksDue, Verifier

_new = tuple.__new__  # half the cost of calling a named tuple's class, and every write makes several

MOST_TRIES = 100
"""How often a step is tried while others write first, before Holdfast gives up."""

CONFLICT = "conflict"
"""The code of the fault that the plan is not at the revision that the caller expected."""


DELETE = "delete"
"""The action that leaves nothing of a plan, not even its history."""

CHECKED_ACTIONS = frozenset({"write", "update", "edit", "finish", "prove"})
"""The actions that may complete a todo anew. Others bring back what was: an undo proves nothing, and loses no proof."""


NO_RESULTS: CheckResults = {}
"""No check was run yet."""


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
    results: CheckResults = NO_RESULTS
    rounds: int = 0
    proves: str = ""

    @property
    def verifier(self) -> "Verifier":
        """How its checks are decided. What a person marks as done counts as claimed where nobody can run a check."""
        from .verification import Verifier

        rules, form = self.dialect.rules, self.dialect.form
        needs_proof = bool(self.proves) or (self.by != "person" and rules.proof == "required")
        return Verifier(self.results, self.by, needs_proof, form.list_field)


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

    def make(self, request: ChangeRequest) -> "Outcome | Refusal | ChecksDue":
        """Apply a step to the plan as it is now: the change is safe, or refused, or waits for checks.

        Raises StoreError if the result cannot be kept.

        The first try starts from the plan in memory. It counts only if the store accepts it: that proves that the
        memory was not out of date.
        """
        cached = None if self._cached_plan is None else self._cached_plan(self._key)
        if cached is not None:
            result = self._try(request, cached)
            if isinstance(result, Outcome) and result.plan.revision != cached.revision:
                return result
        for _ in range(MOST_TRIES):
            result = self._try(request, self._store.load(self._key))
            if result is not None:
                return result
        raise StoreError(f"others wrote first, {MOST_TRIES} times in a row; try again")

    def _try(self, request: ChangeRequest, before: Plan) -> "Outcome | Refusal | ChecksDue | None":
        """The result of a step; None if somebody else wrote first. A todo with a check is not completed without it."""
        step, by, action, _, payload, tool, is_look, expected, _, _, _ = request
        if expected is not None and before.revision != expected:
            return Refusal((_conflict(before.revision, expected),))
        now = self._clock()
        result = step(before, now)
        if isinstance(result, Refusal):
            return result
        after, notes, is_update, undoes, completed = result
        if (completed is None or _has_check(completed)) and (todos := _due(request, before, after, completed)):
            from .verification import Verified  # not before there is a check: most todos have none

            verified = request.verifier.verify(after, todos, now)
            if not isinstance(verified, Verified):
                return verified
            after, notes = verified.plan, (*notes, *verified.notes)
        is_new = after.revision != before.revision
        if is_new and (after.settings != self._settings or self.about is not NOTHING_KNOWN):
            after = after._replace(settings=self._settings, about=self.about.over(after.about))
        change = _new(Change, (before, after, by, action, undoes))
        if is_new:
            try:
                (self._delete if action == DELETE else self._store.commit)(self._key, change)
            except StaleRevision:
                return None
        return _new(Outcome, (after, (), change, payload, notes, (), 0.0, tool, is_look, is_update))

    @property
    def _delete(self) -> Callable[[Key, Change], None]:
        if isinstance(self._store, Deletes):
            return self._store.delete
        raise StoreError(f"{type(self._store).__name__} cannot delete plans; it can archive them")


def _has_check(todos: Sequence[Todo]) -> bool:
    for todo in todos:  # noqa: SIM110 a generator costs more than the loop
        if todo[8] is not NO_DETAILS and todo.check:
            return True
    return False


def _due(request: ChangeRequest, before: Plan, after: Plan, completed: Sequence[Todo] | None) -> list[Todo]:
    """The todos whose checks decide upon a change. `completed` are those that it completes, if the step knows them."""
    if request.action not in CHECKED_ACTIONS:
        return []
    if request.proves:
        return [todo for todo in after.todos if todo.id == request.proves]
    return [] if after.todos is before.todos else due_checks(before, after, completed)


def _conflict(revision: int, expected: int) -> Fault:
    message = f"somebody changed the plan: it is at revision {revision}, not at {expected}"
    return Fault("", message, CONFLICT, field="", limit=expected, received=str(revision))
