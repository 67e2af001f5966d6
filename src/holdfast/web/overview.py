"""What all agents are doing, in short and in order: kept in memory, and updated with every change.

An answer costs what it shows. Of a store with very many sessions, those that were changed or asked for last are known.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from math import inf
from typing import NamedTuple

from ..plan import Plan
from ..plan.pace import MAIN, QUIET_AFTER, Pace, Rank, pace_of, rank
from ..stores import Key, StoredPlan
from ..stores.follow import MOST_KNOWN
from ..transfer.data import JSON
from .forms import Summary, summary
from .ids import cursor

MOST_BOARDS = 20
"""How many boards of one session are shown; the rest is counted."""


FIRST = -1e15
"""The time of a session that waits for a person's approval: it comes before the others of its pace."""


class Sort(StrEnum):
    """An order of sessions: by pace as everywhere else, or whatever their pace is by last change or by name."""

    PACE = "pace"
    CHANGED = "changed"
    NAME = "name"


class Query(NamedTuple):
    """Which sessions to list: one by its name, or those of a pace, with a text, after a position, up to a limit."""

    pace: Pace | None = None
    search: str = ""
    after: Rank | None = None
    limit: int = 50
    session: str | None = None
    sort: Sort = Sort.PACE


class Overview:
    """Sessions that have or had todos, in the order to show them. Times are passed in.

    `has_older` says whether the store has sessions that are not known here.
    """

    def __init__(self, has_older: bool = False) -> None:
        self.has_older = has_older
        self._boards = 0
        self._sessions: dict[str, dict[str, Summary]] = {}
        self._ranks: dict[str, dict[Sort, Rank]] = {}
        self._orders: dict[Sort, list[Rank]] = {sort: [] for sort in Sort}

    @classmethod
    def of(cls, plans: Iterable[StoredPlan], now: float, has_older: bool = False) -> "Overview":
        """An overview of these boards: the same as if it had learned of one after the other, and much faster."""
        overview = cls(has_older)
        for key, plan in plans:
            overview._keep(key, plan)
        overview._rank_all(now)
        return overview

    def know_older(self, plans: Iterable[StoredPlan], now: float) -> None:
        """Learn of boards that were changed before the known ones; those that are known already stay as they are."""
        known, self._sessions, self._boards = self._sessions, {}, 0
        for key, plan in plans:
            if key.agent not in known.get(key.session, {}):
                self._keep(key, plan)
        for session, boards in known.items():
            self._sessions[session] = {**self._sessions.pop(session, {}), **boards}
            self._boards += len(boards)
        self._rank_all(now)

    def know(self, key: Key, plan: Plan, now: float) -> None:
        """Learn a board's plan as it is now. If there are too many boards, the session heard of first is forgotten."""
        self._keep(key, plan)
        self._rank_again(key.session, now)
        while self._boards > MOST_KNOWN and len(self._sessions) > 1:
            self._forget(next(iter(self._sessions)), now)

    def know_unless_known(self, key: Key, plan: Plan, now: float) -> None:
        """Learn a board's plan that may be out of date by now."""
        if key.agent not in self._sessions.get(key.session, {}):
            self.know(key, plan, now)

    def knows(self, session: str) -> bool:
        """Whether anything is known of a session."""
        return session in self._sessions

    def settle(self, now: float) -> None:
        """Move agents that were quiet for long to those that wait."""
        for ranked in self._orders[Sort.PACE][: self._start_of(Pace.WAITING)]:
            if self._pace(ranked.session, now) is not Pace.RUNNING:
                self._rank_again(ranked.session, now)

    def page(self, query: Query, now: float) -> JSON:
        """The sessions that a query asks for, how many there are of each pace, and where to go on."""
        self.settle(now)
        matching = list(islice(self._matching(query), query.limit + 1))
        page = matching[: query.limit]
        return {
            "sessions": [self.session(ranked.session) for ranked in page],
            "counts": self.counts(),
            "has_older": self.has_older,
            "next": cursor(page[-1]) if len(matching) > query.limit else None,
            "quiet_after": QUIET_AFTER,
        }

    def counts(self) -> dict[str, int]:
        """How many sessions there are of each pace."""
        return {pace.name.lower(): self._start_of(pace + 1) - self._start_of(pace) for pace in Pace}

    def session(self, name: str) -> JSON | None:
        """One session as of its last change: its boards as a tree, the main agent's first; None if there is none."""
        if name not in self._sessions:
            return None
        ordered = sorted(self._listed(name), key=_rank_in_session)
        parents = _parents(board.key.agent for board in ordered)
        return {
            "session": name,
            "pace": Pace(self._ranks[name][Sort.PACE].pace).name.lower(),
            "boards": [board.form | {"parent": parents[board.key.agent]} for board in ordered[:MOST_BOARDS]],
            "left_out": len(ordered[MOST_BOARDS:]),
        }

    def _keep(self, key: Key, plan: Plan) -> None:
        boards = self._sessions.pop(key.session, {})
        self._boards -= len(boards)
        if plan.todos or plan.next_id > 1:  # a plan that was emptied can still be found, and brought back
            boards[key.agent] = summary(key, plan)
        else:
            boards.pop(key.agent, None)
        if boards:
            self._sessions[key.session] = boards  # at the end: those heard of first come first
        self._boards += len(boards)

    def _forget(self, session: str, now: float) -> None:
        self._boards -= len(self._sessions.pop(session))
        self._rank_again(session, now)
        self.has_older = True

    def _matching(self, query: Query) -> Iterator[Rank]:
        if query.session is not None:
            return iter([self._ranks[query.session][query.sort]] if query.session in self._ranks else [])
        return self._searched(query)

    def _searched(self, query: Query) -> Iterator[Rank]:
        order, start, end = self._orders[query.sort], 0, None
        if query.pace is not None and query.sort is Sort.PACE:
            start, end = self._start_of(query.pace), self._start_of(query.pace + 1)
        if query.after is not None:
            start = max(start, bisect_right(order, query.after))
        sought = query.search.casefold()
        for ranked in islice(order, start, end if end is None else max(start, end)):
            if query.pace is not None and self._ranks[ranked.session][Sort.PACE].pace != query.pace:
                continue
            if not sought or any(sought in board.text for board in self._sessions[ranked.session].values()):
                yield ranked

    def _start_of(self, pace: int) -> int:
        """Where the sessions of a pace, or of a later one, start in the order by pace."""
        return bisect_left(self._orders[Sort.PACE], Rank(pace, -inf, ""))

    def _rank_all(self, now: float) -> None:
        self._ranks = {session: self._rank(session, now) for session in self._sessions}
        self._orders = {sort: sorted(ranks[sort] for ranks in self._ranks.values()) for sort in Sort}

    def _rank_again(self, session: str, now: float) -> None:
        old, new = self._ranks.pop(session, {}), self._rank(session, now)
        if new:
            self._ranks[session] = new
        for sort, order in self._orders.items():
            if old.get(sort) == new.get(sort):
                continue
            if old:
                del order[bisect_left(order, old[sort])]
            if new:
                insort(order, new[sort])

    def _rank(self, session: str, now: float) -> dict[Sort, Rank]:
        """Where a session stands in each order; nowhere if there is no such session."""
        if session not in self._sessions:
            return {}
        boards = self._listed(session)
        began_at = min(board.began_at for board in boards)
        updated_at = max(board.updated_at for board in boards)
        by_pace = rank(self._pace(session, now), began_at, updated_at, session)
        if any(board.awaits_approval for board in boards):
            by_pace = by_pace._replace(time=FIRST)
        return {
            Sort.PACE: by_pace,
            Sort.CHANGED: Rank(0, -updated_at, session),
            Sort.NAME: Rank(0, 0.0, session),
        }

    def _pace(self, session: str, now: float) -> Pace:
        boards = self._listed(session)
        return min(pace_of(board.is_finished, board.is_started, now - board.updated_at) for board in boards)

    def _listed(self, session: str) -> list[Summary]:
        """The boards of a session that have todos; all of them if none has."""
        boards = self._sessions[session].values()
        return [board for board in boards if not board.is_empty] or list(boards)


def _rank_in_session(board: Summary) -> tuple[bool, float, str]:
    return board.key.agent != MAIN, board.began_at, board.key.agent


def _parents(agents: Iterable[str]) -> dict[str, str | None]:
    """The parent of each agent: `a` for `a/b` if there is one, else the main agent."""
    names = list(agents)
    root = MAIN if MAIN in names else None
    return {name: _parent(name, names, None if name == MAIN else root) for name in names}


def _parent(name: str, names: list[str], root: str | None) -> str | None:
    above = name.rpartition("/")[0]
    while above and above not in names:
        above = above.rpartition("/")[0]
    return above or root
