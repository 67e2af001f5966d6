"""The todos of one agent, in order, and the one definition each of open, done, current and finished."""

from typing import NamedTuple

from .about import NOTHING_KNOWN, About
from .todo import DONE, IN_PROGRESS, PENDING, Status, Todo

_EVERY_STATUS = tuple(Status)


class Edit(NamedTuple):
    """What a person did to one todo. `before` is None if it was added, `after` is None if it was removed.

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
    model has not been told of, and `seen` the ids in the order that it knows, while there are some. `settings` is how
    its board is set up, as JSON: see `board.settings`. `about` is what people know its session by.
    """

    todos: tuple[Todo, ...] = ()
    summary: str = ""
    revision: int = 0
    updated_at: float = 0.0
    number: int = 1
    next_id: int = 1
    edits: tuple[Edit, ...] = ()
    seen: tuple[str, ...] = ()
    settings: str = ""
    about: About = NOTHING_KNOWN

    @property
    def title(self) -> str:
        """What to call it beside its session: the name that the session has, else what the plan is for."""
        return self.about.label or self.summary

    @property
    def is_archived(self) -> bool:
        """Whether a person has put it away, and nobody has changed it since."""
        return self.about.archived_at >= self.updated_at > 0

    @property
    def is_deleted(self) -> bool:
        """Whether a person has deleted what was here, and nobody has written since."""
        return self.about.deleted_at >= self.updated_at > 0

    @property
    def awaits_approval(self) -> bool:
        """Whether a person has to approve it before the work begins."""
        return self.about.review == "waiting"

    @property
    def current(self) -> Todo | None:
        """The todo in progress, the first one if there are several."""
        return next((todo for todo in self.todos if todo.status is IN_PROGRESS), None)

    @property
    def next(self) -> Todo | None:
        """What to do now: the todo in progress, else the first pending one that need not wait for another."""
        pending = None
        for todo in self.todos:
            status = todo[2]
            if status is IN_PROGRESS:
                return todo
            if status is PENDING and pending is None and self.is_free(todo):
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
    def has_open(self) -> bool:
        """Whether a todo is open. It looks from the end: mostly the last todo is enough to know."""
        for todo in reversed(self.todos):  # noqa: SIM110 a generator costs more than the loop
            if todo[2] not in DONE:
                return True
        return False

    @property
    def is_finished(self) -> bool:
        """Whether there were todos and none is open."""
        return bool(self.todos) and not self.has_open

    @property
    def contents(self) -> tuple[str, ...]:
        """The texts of all todos."""
        return tuple([todo.content for todo in self.todos])

    def is_free(self, todo: Todo) -> bool:
        """Whether a todo waits for no other: whatever blocks it is done, cancelled or gone."""
        return not (todo.details.blocked_by and self.blockers(todo))

    def blockers(self, todo: Todo) -> tuple[Todo, ...]:
        """The open todos that a todo waits for."""
        waits_for = frozenset(todo.details.blocked_by)
        return tuple([other for other in self.todos if other.id in waits_for and other.is_open])

    def get(self, id: str) -> Todo | None:
        """The todo with this id."""
        for todo in self.todos:  # a generator costs more than the loop
            if todo[0] == id:
                return todo
        return None

    def counts(self) -> dict[Status, int]:
        """How many todos have each status, every status named."""
        statuses = [todo[2] for todo in self.todos]
        return {status: statuses.count(status) for status in _EVERY_STATUS}
