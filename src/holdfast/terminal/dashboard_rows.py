"""What the view of all boards consists of, row by row: sessions in their order, and what is folded away. No drawing.

A session's plans stand together, the main agent's first. Sessions are ordered as in `pace`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..plan import Plan, Status, Todo
from ..plan.pace import MAIN, Pace, Rank, began, pace, rank
from ..stores import Key, StoredPlan
from ..stores.leases import Lease

MOST_FINISHED = 50
"""How many finished sessions have rows of their own."""

MANY = 12
"""From how many sessions on, those that wait are folded, too, unless somebody unfolds them."""

MANY_RUNNING = 10
"""From how many sessions that run on, these are folded, too: each is one line, with what it is doing."""


Claims = Mapping[Key, Mapping[str, Lease]]
"""The leases on the todos of each board."""

NO_CLAIMS: Claims = {}


class RowTarget(NamedTuple):
    """A row by what it shows: a todo of a board, or without one the board's own row."""

    key: Key
    todo: str | None = None


class DashboardRow(NamedTuple):
    """One row: a board's own, or with `todo` one of its todos. `depth` is 1 for the plans under a session's first."""

    key: Key
    plan: Plan
    pace: Pace
    depth: int = 0
    is_folded: bool = False
    todo: Todo | None = None
    leases: Mapping[str, Lease] = {}

    @property
    def target(self) -> RowTarget:
        """What it shows."""
        return RowTarget(self.key, None if self.todo is None else self.todo.id)

    @property
    def is_running(self) -> bool:
        """Whether it shows the todo that an agent is working on now."""
        return self.pace is Pace.RUNNING and self.todo is not None and self.todo.status is Status.IN_PROGRESS


class SessionGroup(NamedTuple):
    """A session: a row for each of its boards, the main agent's first, and the pace of the liveliest."""

    boards: tuple[DashboardRow, ...]
    pace: Pace


def groups(kept: Iterable[StoredPlan], now: float, claims: Claims = NO_CLAIMS) -> list[SessionGroup]:
    """The sessions in the order to show them, those that wait for approval first, without archived ones.

    A main agent's plan without todos has its row, so that it can be brought back; a subagent's has none.
    """
    sessions: dict[str, list[DashboardRow]] = {}
    for key, plan in kept:
        has_row = plan.todos or (plan.revision and key.agent == MAIN)
        if has_row and not plan.is_archived:
            row = DashboardRow(key, plan, pace(plan, now), leases=claims.get(key, {}))
            sessions.setdefault(key.session, []).append(row)
    return sorted(map(_group, sessions.values()), key=lambda group: (not _awaits_approval(group), _rank(group)))


def rows(groups: Sequence[SessionGroup], folds: Mapping[Key, bool]) -> list[DashboardRow]:
    """The rows of the sessions, less what is folded away: what `folds` says, else what is finished.

    Where there are many sessions, those that wait are folded, too; where many run, all of them.
    """
    shown: list[DashboardRow] = []
    finished = 0
    last: int = Pace.RUNNING if len(groups) >= MANY else Pace.WAITING
    if sum(group.pace is Pace.RUNNING for group in groups) >= MANY_RUNNING:
        last = Pace.RUNNING - 1
    for group in groups:
        finished += group.pace is Pace.FINISHED
        if finished > MOST_FINISHED:
            break  # they come last
        shown += _unfolded(group, folds, last)
    return shown


def find_row(rows: Sequence[DashboardRow], target: RowTarget | None) -> int | None:
    """The index of the row that shows a target; its board's row for a todo that is gone; None if that is gone, too."""
    if target is None:
        return None
    targets = [row.target for row in rows]
    found = (targets.index(sought) for sought in (target, RowTarget(target.key)) if sought in targets)
    return next(found, None)


def move_cursor(rows: Sequence[DashboardRow], cursor: RowTarget | None, by: int) -> RowTarget | None:
    """The target so many rows further on; without a cursor, what is running, else the first row."""
    if not rows:
        return None
    at = find_row(rows, cursor)
    if at is None:
        return rows[first_running(rows) or 0].target
    return rows[min(max(at + by, 0), len(rows) - 1)].target


def first_running(rows: Sequence[DashboardRow]) -> int | None:
    """The index of the first todo that an agent is working on."""
    return next((at for at, row in enumerate(rows) if row.is_running), None)


def matching(groups: Sequence[SessionGroup], sought: str) -> list[SessionGroup]:
    """The sessions that have a text in their names, their places or their todos, in any case."""
    folded = sought.casefold()
    return [group for group in groups if any(folded in text.casefold() for text in _texts(group))]


def next_session(rows: Sequence[DashboardRow], cursor: RowTarget | None) -> RowTarget | None:
    """The first row of the session below; from the last one, that of the first."""
    heads = [at for at, row in enumerate(rows) if row.todo is None and row.depth == 0]
    at = find_row(rows, cursor)
    below = next((head for head in heads if at is not None and head > at), heads[0] if heads else None)
    return None if below is None else rows[below].target


def _texts(group: SessionGroup) -> Iterator[str]:
    for row in group.boards:
        about = row.plan.about
        yield from (*row.key, row.plan.summary, about.name, about.title, about.client, about.folder, about.branch)
        yield from (todo.content for todo in row.plan.todos)


def _unfolded(group: SessionGroup, folds: Mapping[Key, bool], last: int) -> list[DashboardRow]:
    lead, *others = group.boards
    lead = lead._replace(is_folded=folds.get(lead.key, group.pace > last and not _awaits_approval(group)))
    if lead.is_folded:
        return [lead]
    shown = [lead, *_todos(lead)]
    for board in others:
        board = board._replace(is_folded=folds.get(board.key, board.pace is Pace.FINISHED))
        shown += [board] if board.is_folded else [board, *_todos(board)]
    return shown


def _todos(board: DashboardRow) -> list[DashboardRow]:
    return [board._replace(todo=todo) for todo in board.plan.todos]


def _group(boards: list[DashboardRow]) -> SessionGroup:
    lead, *others = sorted(boards, key=lambda board: (board.key.agent != MAIN, began(board.plan), board.key.agent))
    return SessionGroup((lead, *(other._replace(depth=1) for other in others)), min(board.pace for board in boards))


def _awaits_approval(group: SessionGroup) -> bool:
    return any(row.plan.awaits_approval for row in group.boards)


def _rank(group: SessionGroup) -> Rank:
    plans = [board.plan for board in group.boards]
    latest = max(plan.updated_at for plan in plans)
    return rank(group.pace, min(map(began, plans)), latest, group.boards[0].key.session)
