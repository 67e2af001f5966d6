"""What a person should know of: a plan that is finished, waits for approval or has stalled, a todo that is blocked."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..errors import DamagedRecord
from ..plan import Plan, Status, Todo
from ..plan.pace import MAIN
from ..stores import Key, Record, Store, StoredPlan
from ..text import brief, counted

KINDS = ("waiting", "blocked", "finished", "stalled")
LONGEST_TEXT = 200


class PlanEvent(NamedTuple):
    """One thing to notify people of, once. `number` identifies it among its kind, for every process that notices it."""

    kind: str
    number: str
    key: Key
    title: str
    text: str
    at: float
    plan: Plan
    todo: Todo | None = None

    @property
    def id(self) -> str:
        """An id for the receiver."""
        return f"{self.kind}:{self.key.session}/{self.key.agent}:{self.number}"

    def data(self) -> dict[str, object]:
        """For programs."""
        todo, about = self.todo, self.plan.about
        return {
            "event": self.kind,
            "id": self.id,
            **self.key._asdict(),
            "title": self.title,
            "text": self.text,
            "at": self.at,
            "client": about.client,
            "folder": about.folder,
            "branch": about.branch,
            "done": len(self.plan.done),
            "total": len(self.plan.todos),
            "todo": None if todo is None else {"id": todo.id, "content": todo.content, "reason": todo.details.reason},
        }


def events_of(record: Record) -> Iterator[PlanEvent]:
    """What people should know of a change."""
    key, before, after = record.key, record.change.before, record.change.after
    if after.awaits_approval and not before.awaits_approval:
        yield _waiting(key, after)
    if after.todos and after.is_finished and not (before.todos and before.is_finished):
        yield _finished(key, after)
    for todo in _newly_blocked(record):
        yield _blocked(key, after, todo, after.revision)


def events_due(store: Store, boards: Iterable[StoredPlan]) -> Iterator[PlanEvent]:
    """What needs a person as things are now: plans that wait for approval, and blocked todos."""
    for key, plan in boards:
        if plan.is_archived:
            continue
        if plan.awaits_approval:
            yield _waiting(key, plan)
        for todo in plan.todos:
            if todo.status is Status.BLOCKED:
                yield _blocked(key, plan, todo, _blocked_at(store, key, plan, todo))


def events_stalled(boards: Iterable[StoredPlan], now: float, stalled_after: float) -> Iterator[PlanEvent]:
    """The agents that work on something, and were not heard of for so many seconds."""
    for key, plan in boards:
        is_waiting = plan.is_archived or plan.awaits_approval
        if plan.current is not None and not is_waiting and now - plan.updated_at >= stalled_after:
            yield _stalled(key, plan, plan.current)


def _newly_blocked(record: Record) -> list[Todo]:
    pairs = record.change.differences
    was = {pair.before.id: pair.before.status for pair in pairs if pair.before is not None}
    todos = [pair.after for pair in pairs if pair.after is not None]
    return [todo for todo in todos if todo.status is Status.BLOCKED and was.get(todo.id) is not Status.BLOCKED]


def _blocked_at(store: Store, key: Key, plan: Plan, todo: Todo) -> int:
    """The revision at which a todo was blocked: so it is the same event as when the change was heard."""
    try:
        for record in store.history(key):
            if any(other.id == todo.id for other in _newly_blocked(record)):
                return record.change.after.revision
    except DamagedRecord:
        pass  # it was blocked before what can still be read
    return plan.revision


def _waiting(key: Key, plan: Plan) -> PlanEvent:
    text = f"{counted(len(plan.todos), 'todo')} planned: look at them, then run `holdfast approve`"
    return _event("waiting", key, plan, "waits for your approval", text, plan.number)


def _finished(key: Key, plan: Plan) -> PlanEvent:
    done = sum(todo.status is Status.COMPLETED for todo in plan.todos)
    text = f"{done} of {counted(len(plan.todos), 'todo')} completed"
    return _event("finished", key, plan, "is finished", text, plan.revision)


def _blocked(key: Key, plan: Plan, todo: Todo, revision: int) -> PlanEvent:
    text = f"{todo.content}: {todo.details.reason}" if todo.details.reason else todo.content
    return _event("blocked", key, plan, "is blocked", text, f"{todo.id}-{revision}", todo)


def _stalled(key: Key, plan: Plan, todo: Todo) -> PlanEvent:
    text = f"nothing was heard since it began: {todo.label}"
    return _event("stalled", key, plan, "has stalled", text, plan.revision, todo)


def _event(
    kind: str, key: Key, plan: Plan, what: str, text: str, number: int | str, todo: Todo | None = None
) -> PlanEvent:
    name = key.session if key.agent == MAIN else f"{key.session}/{key.agent}"
    title = brief(f"{plan.about.label or name} {what}", LONGEST_TEXT)
    return PlanEvent(kind, str(number), key, title, brief(text, LONGEST_TEXT), plan.updated_at, plan, todo)
