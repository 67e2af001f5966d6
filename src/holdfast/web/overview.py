"""What all agents are doing, in short and in order: kept in memory, and changed by every change that is heard of.

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
    """Which sessions are asked for: the one of a name, or of a pace, with a text in them, after a place, so many."""

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
        """Take in a board's plan as it is now."""
        boards = self._sessions.setdefault(key.session, {})
        if plan.todos:
            boards[key.agent] = summary(key, plan)
        else:
            boards.pop(key.agent, None)
        if not boards:
            del self._sessions[key.session]
        self._place(key.session, now)

    def settle(self, now: float) -> None:
        """Let agents that nobody has heard of for long stand with those that wait."""
        for _, _, session in self._order[: self._start_of(Pace.WAITING)]:
            if self._pace(session, now) is not Pace.RUNNING:
                self._place(session, now)

    def page(self, query: Query, now: float) -> JSON:
        """The sessions that are asked for, how many there are of each pace, and where to go on."""
        self.settle(now)
        found = list(islice(self._matching(query), query.limit + 1))
        shown = found[: query.limit]
        return {
            "sessions": [self.session(place[2]) for place in shown],
            "counts": self.counts(),
            "next": cursor(shown[-1]) if len(found) > query.limit else None,
            "quiet_after": QUIET_AFTER,
        }

    def counts(self) -> dict[str, int]:
        """How many sessions there are of each pace."""
        return {pace.name.lower(): self._start_of(pace + 1) - self._start_of(pace) for pace in Pace}

    def session(self, name: str) -> JSON | None:
        """One session as it was placed last: its boards in their tree, the main agent's first; none if it has gone."""
        boards = self._sessions.get(name)
        if boards is None:
            return None
        ordered = sorted(boards.values(), key=_rank_in_session)
        parents = _parents(board.key.agent for board in ordered)
        return {
            "session": name,
            "pace": Pace(self._ranks[name][0]).name.lower(),
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
        for place in islice(self._order, start, None):
            if query.pace is not None and place[0] != query.pace:
                return
            if not sought or any(sought in board.text for board in self._sessions[place[2]].values()):
                yield place

    def _start_of(self, pace: int) -> int:
        """Where the sessions of a pace, or of a later one, begin in the order."""
        return bisect_left(self._order, (pace, -inf, ""))

    def _place(self, session: str, now: float) -> None:
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
    """Under which agent each one stands: `a/b` under `a` if that is there, all others under the main one."""
    names = list(agents)
    root = MAIN if MAIN in names else None
    return {name: _parent(name, names, None if name == MAIN else root) for name in names}


def _parent(name: str, names: list[str], root: str | None) -> str | None:
    above = name.rpartition("/")[0]
    while above and above not in names:
        above = above.rpartition("/")[0]
    return above or root
