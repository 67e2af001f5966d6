"""One step of a plan, and what a write wishes of it: frozen values.

The values are named tuples: as frozen as dataclasses, a third of the cost to make, and free to import.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from .work import ToolUse


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
"""For code that every write runs through: looking a member up in its class takes ten times as long."""

PRIORITIES = ("high", "medium", "low")


class Details(NamedTuple):
    """Fields of a todo that only some dialects have, and that every plan keeps.

    `blocked_by` are the ids of todos that come first, `owner` is the agent that works on it, `metadata` a JSON object
    as text, `check` what shows that it is done: see `checks`. `reason` says why it is blocked, and counts only while it
    is. `section` is the heading above it.
    """

    description: str = ""
    priority: str = ""
    blocked_by: tuple[str, ...] = ()
    owner: str = ""
    metadata: str = ""
    check: str = ""
    reason: str = ""
    section: str = ""


class DetailsWish(NamedTuple):
    """Details as a writer asks for them. `None` leaves a field as it is."""

    description: str | None = None
    priority: str | None = None
    blocked_by: tuple[str, ...] | None = None
    owner: str | None = None
    metadata: str | None = None
    check: str | None = None
    reason: str | None = None
    section: str | None = None

    def over(self, details: Details) -> Details:
        """The details with what is asked for, the same object if that changes nothing."""
        after = Details._make([old if new is None else new for new, old in zip(self, details, strict=True)])
        return details if after == details else after


NO_DETAILS = Details()


class Proof(NamedTuple):
    """A check that a todo passed when it was completed: what was checked, for which words, when, and for whom.

    It is kept as it was at that moment. A later edit of the todo, or of its check, does not change it.
    """

    check: str
    content: str
    output: str = ""
    at: float = 0.0
    by: str = "model"


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
    work: tuple[ToolUse, ...] = ()
    """The other tools that were used for it: see `plan.work`."""
    proof: Proof | None = None

    @property
    def check(self) -> str:
        """What shows that it is done; empty if it has no check."""
        return self.details.check

    @property
    def is_claimed(self) -> bool:
        """Whether it was completed although nothing has shown that it passes its check."""
        return self.status is COMPLETED and self.details.check != "" and self.proof is None

    @property
    def is_open(self) -> bool:
        """Whether there is still something to do, or to wait for."""
        return self.status not in DONE

    @property
    def label(self) -> str:
        """What to show while it is being worked on: its active form, else its content."""
        return self.active_form or self.content


def succeeded_keys(todos: Sequence[Todo], but: str) -> frozenset[str]:
    """The keys of the calls that have succeeded for other todos than one."""
    return frozenset(use.key for todo in todos if todo.id != but for use in todo.work if use.key and not use.failed)


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
