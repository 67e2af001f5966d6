"""What the history of a board adds up to: how long todos took, how many plans and writes there were, what it cost."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..plan import Plan, Status, Todo
from ..stores import Key, Record, Store

TOKENS = "tokens."


class Took(NamedTuple):
    """One todo of one plan, as it was last seen."""

    key: Key
    number: int
    todo: Todo
    is_current: bool = False

    def seconds(self, now: float) -> float | None:
        """How long it was worked on, up to now if it still is; None if it was not started, or not finished."""
        started_at, finished_at = self.todo.started_at, self.todo.finished_at
        if finished_at is None and self.is_current and self.todo.status is Status.IN_PROGRESS:
            finished_at = now
        return None if started_at is None or finished_at is None else max(finished_at - started_at, 0.0)


class Figures(NamedTuple):
    """What a board, or several, have done. `todos` begin with the oldest plan."""

    todos: tuple[Took, ...] = ()
    plans: int = 0
    finished: int = 0
    writes: int = 0
    edits: int = 0
    rejected: int = 0
    tokens: tuple[tuple[str, int], ...] = ()


def total(several: Sequence[Figures]) -> Figures:
    """What several boards have done together."""
    tokens: dict[str, int] = {}
    for what, count in [pair for one in several for pair in one.tokens]:
        tokens[what] = tokens.get(what, 0) + count
    return Figures(
        tuple(took for one in several for took in one.todos),
        sum(one.plans for one in several),
        sum(one.finished for one in several),
        sum(one.writes for one in several),
        sum(one.edits for one in several),
        sum(one.rejected for one in several),
        tuple(tokens.items()),
    )


def figures(store: Store, key: Key) -> Figures:
    """The figures of one board. Raises StoreError if it cannot be read."""
    plans: dict[int, Plan] = {}
    todos: dict[tuple[int, str], Todo] = {}
    by = {"model": 0, "person": 0}
    for record in store.history(key):
        _collect(record, plans, todos)
        by[record.change.by] = by.get(record.change.by, 0) + 1
    tallies = store.tallies(key)
    now = {(plan.number, todo.id) for plan in [store.load(key)] for todo in plan.todos}
    return Figures(
        tuple(Took(key, place[0], todos[place], place in now) for place in sorted(todos, key=_in_order)),
        len(plans),
        sum(plan.is_finished for plan in plans.values()),
        by["model"],
        by["person"],
        tallies.get("rejected", 0),
        tuple(_tokens(tallies.items())),
    )


def _collect(record: Record, plans: dict[int, Plan], todos: dict[tuple[int, str], Todo]) -> None:
    """Collect the plans and todos of a record as they were last: records come newest first, so the first one counts."""
    before, after = record.change.before, record.change.after
    for plan in (after, before):
        if plan.todos:
            plans.setdefault(plan.number, plan)
    for old, new in record.change.differences:
        todo = new or old
        if todo is not None:
            todos.setdefault((after.number, todo.id), todo)


def _in_order(place: tuple[int, str]) -> tuple[int, int, str]:
    number, id = place
    return number, len(id), id


def _tokens(tallies: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """What tokens were spent on, the most first."""
    spent = [(what.removeprefix(TOKENS), count) for what, count in tallies if what.startswith(TOKENS)]
    return sorted(spent, key=lambda pair: (-pair[1], pair[0]))
