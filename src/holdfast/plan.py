"""A plan and its todos, and what a write wishes of them: frozen values.

Everything in Holdfast may import this module; it imports nothing of Holdfast. The values are named tuples: as frozen as
dataclasses, a third of the cost to make, and free to import.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class Status(StrEnum):
    """Where a todo stands. Members equal their names: `Status.PENDING == "pending"`."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    BLOCKED = "blocked"

    __hash__ = str.__hash__  # Enum's own is written in Python, and every write looks statuses up


DONE = frozenset({Status.COMPLETED, Status.CANCELLED})

PENDING, IN_PROGRESS, COMPLETED = Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED
"""For where every write comes by: to look a member up in its class takes ten times as long."""

PRIORITIES = ("high", "medium", "low")


class Details(NamedTuple):
    """What only some dialects can say of a todo, and every plan keeps.

    `blocked_by` are the ids of todos that come first, `owner` is the agent that works on it, `metadata` a JSON object
    as text.
    """

    description: str = ""
    priority: str = ""
    blocked_by: tuple[str, ...] = ()
    owner: str = ""
    metadata: str = ""


class DetailsWish(NamedTuple):
    """Details as a writer asks for them. `None` leaves a field as it is."""

    description: str | None = None
    priority: str | None = None
    blocked_by: tuple[str, ...] | None = None
    owner: str | None = None
    metadata: str | None = None

    def over(self, details: Details) -> Details:
        """The details with what is asked for."""
        return details._replace(**{field: new for field, new in self._asdict().items() if new is not None})


NO_DETAILS = Details()


class Todo(NamedTuple):
    """One step of a plan."""

    id: str
    content: str
    status: Status = Status.PENDING
    active_form: str = ""
    created_at: float = 0.0
    started_at: float | None = None
    finished_at: float | None = None
    evidence: str = ""
    details: Details = NO_DETAILS

    @property
    def is_open(self) -> bool:
        """Whether there is still something to do, or to wait for."""
        return self.status not in DONE

    @property
    def label(self) -> str:
        """What to show while it is being worked on: its active form, else its content."""
        return self.active_form or self.content


class Wish(NamedTuple):
    """One todo as a writer asks for it. `None` leaves a field as it is, or as new todos have it."""

    id: str | None = None
    content: str | None = None
    status: Status | None = None
    active_form: str | None = None
    evidence: str | None = None
    details: DetailsWish | None = None


class Draft(NamedTuple):
    """A write as it was asked for: the whole list, or with `merge`, where todos are named by id, what changes.

    `removed` are the ids of todos that a merge takes off the plan.
    """

    wishes: Sequence[Wish] = ()
    summary: str | None = None
    merge: bool = False
    removed: tuple[str, ...] = ()


class Edit(NamedTuple):
    """What a person did to one todo: none before is an added one, none after a removed one.

    `position` is where a moved or added todo was put.
    """

    before: Todo | None
    after: Todo | None
    position: int | None = None

    @property
    def id(self) -> str:
        """The id of the todo that was edited."""
        todo = self.after or self.before
        assert todo is not None, "an edit has a todo before or after"
        return todo.id


class Plan(NamedTuple):
    """The todos of one agent, in order, and what they are for.

    `revision` counts every change of a board; `number` counts its plans. `edits` are the changes by people that the
    model has not been told of, and `seen` the ids in the order that it knows, while there are some.
    """

    todos: tuple[Todo, ...] = ()
    summary: str = ""
    revision: int = 0
    updated_at: float = 0.0
    number: int = 1
    next_id: int = 1
    edits: tuple[Edit, ...] = ()
    seen: tuple[str, ...] = ()

    @property
    def current(self) -> Todo | None:
        """The todo in progress, the first one if there are several."""
        return next((todo for todo in self.todos if todo.status is IN_PROGRESS), None)

    @property
    def next(self) -> Todo | None:
        """What to do now: the todo in progress, else the first pending one that need not wait for another."""
        pending = None
        for todo in self.todos:
            if todo.status is IN_PROGRESS:
                return todo
            if pending is None and todo.status is PENDING and self.is_free(todo):
                pending = todo
        return pending

    @property
    def open(self) -> tuple[Todo, ...]:
        """The todos that are neither completed nor cancelled."""
        return tuple([todo for todo in self.todos if todo.status not in DONE])

    @property
    def done(self) -> tuple[Todo, ...]:
        """The todos that are completed or cancelled."""
        return tuple([todo for todo in self.todos if todo.status in DONE])

    @property
    def is_finished(self) -> bool:
        """Whether there were todos and none is open."""
        return bool(self.todos) and not self.open

    def is_free(self, todo: Todo) -> bool:
        """Whether a todo waits for no other: whatever blocks it is done, cancelled or gone."""
        return not (todo.details.blocked_by and self.blockers(todo))

    def blockers(self, todo: Todo) -> tuple[Todo, ...]:
        """The open todos that a todo waits for."""
        return tuple([other for other in self.todos if other.id in todo.details.blocked_by and other.is_open])

    def get(self, id: str) -> Todo | None:
        """The todo with this id."""
        return next((todo for todo in self.todos if todo.id == id), None)

    def counts(self) -> dict[Status, int]:
        """How many todos have each status, every status named."""
        counts = dict.fromkeys(Status, 0)
        for todo in self.todos:
            counts[todo.status] += 1
        return counts


class Difference(NamedTuple):
    """One todo before and after a change: none before is a new one, none after one that was taken out."""

    before: Todo | None
    after: Todo | None


class Change(NamedTuple):
    """One step in the life of a plan: `by` is "model", "person" or "host", `action` the verb that made it.

    `undoes` is the revision that an undo took back, 0 for every other action.
    """

    before: Plan
    after: Plan
    by: str = "model"
    action: str = "write"
    undoes: int = 0

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every todo that was added, changed or taken out. The todos of a closed plan stay in it: none is taken out."""
        return differences(self.before.todos if self.before.number == self.after.number else (), self.after.todos)

    @property
    def is_progress(self) -> bool:
        """Whether a todo came, went or changed its status."""
        return any(old is None or new is None or old.status is not new.status for old, new in self.differences)


def differences(before: Sequence[Todo], after: Sequence[Todo]) -> tuple[Difference, ...]:
    """What became of each todo between two lists, in the order of the new one, lost todos last."""
    if len(before) == len(after):
        pairs = [pair for pair in zip(before, after, strict=True) if pair[0] is not pair[1]]
        if all([old.id == new.id for old, new in pairs]):  # noqa: C419 a list is twice as fast
            return tuple([Difference(old, new) for old, new in pairs if old != new])
    old = {todo.id: todo for todo in before}
    changed = [Difference(old.pop(todo.id, None), todo) for todo in after]
    return tuple(
        [pair for pair in changed if pair.before != pair.after] + [Difference(todo, None) for todo in old.values()]
    )
