"""What all agents are doing, in short and in order: kept in memory, and updated with every change.

A board costs a few hundred bytes here, however long its history is, and an answer costs what it shows.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf
from typing import NamedTuple

from ..plan import Plan
from ..plan.pace import MAIN, QUIET_AFTER, Pace, Rank, pace_of, rank
from ..stores import Key
from ..transfer.data import JSON
from .forms import Summary, summary
from .ids import cursor

MOST_BOARDS = 20
"""How many boards of one session are shown; the rest is counted."""


class Query(NamedTuple):
    """Which sessions to list: one by its name, or those of a pace, with a text, after a position, up to a limit."""

    pace: Pace | None = None
    search: str = ""
    after: Rank | None = None
    limit: int = 50
    session: str | None = None


class Overview:
    """Every session with todos, in the order to show them. Times are passed in."""

    def __init__(self) -> None:
        self._sessions: dict[str, dict[str, Summary]] = {}
        self._ranks: dict[str, Rank] = {}
        self._order: list[Rank] = []

    def know(self, key: Key, plan: Plan, now: float) -> None:
        """Learn a board's plan as it is now."""
        boards = self._sessions.setdefault(key.session, {})
        if plan.todos:
            boards[key.agent] = summary(key, plan)
        else:
            boards.pop(key.agent, None)
        if not boards:
            del self._sessions[key.session]
        self._rank_again(key.session, now)

    def settle(self, now: float) -> None:
        """Move agents that were quiet for long to those that wait."""
        for ranked in self._order[: self._start_of(Pace.WAITING)]:
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
            "next": cursor(page[-1]) if len(matching) > query.limit else None,
            "quiet_after": QUIET_AFTER,
        }

    def counts(self) -> dict[str, int]:
        """How many sessions there are of each pace."""
        return {pace.name.lower(): self._start_of(pace + 1) - self._start_of(pace) for pace in Pace}

    def session(self, name: str) -> JSON | None:
        """One session as of its last change: its boards as a tree, the main agent's first; None if there is none."""
        boards = self._sessions.get(name)
        if boards is None:
            return None
        ordered = sorted(boards.values(), key=_rank_in_session)
        parents = _parents(board.key.agent for board in ordered)
        return {
            "session": name,
            "pace": Pace(self._ranks[name].pace).name.lower(),
            "boards": [board.form | {"parent": parents[board.key.agent]} for board in ordered[:MOST_BOARDS]],
            "left_out": len(ordered[MOST_BOARDS:]),
        }

    def _matching(self, query: Query) -> Iterator[Rank]:
        if query.session is not None:
            return iter([self._ranks[query.session]] if query.session in self._ranks else [])
        return self._searched(query)

    def _searched(self, query: Query) -> Iterator[Rank]:
        start = 0 if query.pace is None else self._start_of(query.pace)
        if query.after is not None:
            start = max(start, bisect_right(self._order, query.after))
        sought = query.search.casefold()
        for ranked in islice(self._order, start, None):
            if query.pace is not None and ranked.pace != query.pace:
                return
            if not sought or any(sought in board.text for board in self._sessions[ranked.session].values()):
                yield ranked

    def _start_of(self, pace: int) -> int:
        """Where the sessions of a pace, or of a later one, start in the order."""
        return bisect_left(self._order, Rank(pace, -inf, ""))

    def _rank_again(self, session: str, now: float) -> None:
        old, new = self._ranks.pop(session, None), self._rank(session, now)
        if new is not None:
            self._ranks[session] = new
        if old == new:
            return
        if old is not None:
            del self._order[bisect_left(self._order, old)]
        if new is not None:
            insort(self._order, new)

    def _rank(self, session: str, now: float) -> Rank | None:
        boards = self._sessions.get(session)
        if boards is None:
            return None
        began_at = min(board.began_at for board in boards.values())
        updated_at = max(board.updated_at for board in boards.values())
        return rank(self._pace(session, now), began_at, updated_at, session)

    def _pace(self, session: str, now: float) -> Pace:
        boards = self._sessions[session].values()
        return min(pace_of(board.is_finished, board.is_started, now - board.updated_at) for board in boards)


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
