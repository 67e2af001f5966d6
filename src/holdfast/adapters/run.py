"""What the adapters have in common: a driver for every run, and where in a request it says what.

An adapter translates its framework's hooks into a few calls:

    run = runs.get(session, agent)            # whose plan it is
    notes = run.request(messages, calls)      # before each request: texts, and the message that each of them follows
    reply = run.write(payload, call)          # the plan's own tool
    run.board.worked(name, failed)            # any other tool
    text = run.hold(words)                    # the model would end: what to say to it, or nothing
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from os import PathLike
from threading import Lock
from typing import NamedTuple, ParamSpec, TypeVar
from uuid import uuid4

from .. import dialects
from ..attention import Attention, policy_of
from ..board import Board
from ..dialects import Dialect, Outcome, Reply
from ..reminders import Policy
from ..rules import Fault, Rules
from ..stores import MemoryStore, Store, open_store

P = ParamSpec("P")
T = TypeVar("T")

SECOND_WRITE = "one plan write a turn: the first one counts, this one was not read"
MOST_RUNS = 1000
"""How many drivers are remembered. A run that was forgotten goes on from its store, its plan restated."""


class Note(NamedTuple):
    """A text for the model, and the message that it follows. It stands in requests, never in the history."""

    after: int
    text: str


class _Pin(NamedTuple):
    """News, and where it was first said. Once the model has written a newer list, it may get lost."""

    message: object
    note: Note
    is_needed: bool = True


class Run:
    """One agent's plan in one run, as an adapter drives it."""

    def __init__(self, board: Board, policy: Policy) -> None:
        self.board = board
        # frameworks run the calls of a turn side by side: of several writes, chance would pick the one that stays
        self.attention = Attention(board, policy._replace(one_write=True))
        self._pins: list[_Pin] = []
        self._last_write = ""
        self._is_claimed = False

    def request(self, messages: Sequence[object], calls: Container[str]) -> list[Note]:
        """What the next request says beside its messages; `calls` are the ids of all tool calls among them.

        News stays where it was first said while the message before it is there, so that a request begins as the one
        before it did. When neither the last write nor the news since then is there, the plan is out of sight.
        """
        self._is_claimed = False
        found = [_found(pin, messages) for pin in self._pins]
        is_lost = any(place is None and pin.is_needed for pin, place in zip(self._pins, found, strict=True))
        if is_lost or (self._last_write and self._last_write not in calls):
            self.attention.note(sees_plan=False)
        self._pins = [pin for pin in found if pin is not None]
        was_seen = self.attention.turn.sees_plan
        tail = self.attention.tail()
        notes = [pin.note for pin in self._pins]
        if not tail:
            return notes
        note = Note(len(messages) - 1, tail)
        if self.attention.is_news:
            self._pins.append(_Pin(messages[-1] if messages else None, note))
            if not was_seen:  # the plan was restated: this stands for the write now
                self._last_write = ""
        return [*notes, note]

    def write(self, payload: object, call: str = "") -> Reply:
        """Take the model's write, by the call of this id; a second one in the same turn is refused."""
        return self._written(payload, call) if self._claim() else self._refused(payload)

    async def write_aside(self, payload: object, call: str = "") -> Reply:
        """The same without holding up the event loop. Which write is the first is decided before it waits."""
        if self._claim():
            return await self.aside(self._written, payload, call)
        return await self.aside(self._refused, payload)

    def hold(self, words: str) -> str:
        """What to say to a model that would end with these words; empty to let it go."""
        self.attention.note(asked_user=words.rstrip().endswith("?"))
        return self.attention.hold()

    async def aside(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something with the plan without holding up the event loop: in a thread, where the store is durable."""
        if isinstance(self.board.store, MemoryStore):
            return act(*args, **kwargs)
        return await asyncio.to_thread(act, *args, **kwargs)

    def _claim(self) -> bool:
        is_first, self._is_claimed = not self._is_claimed, True
        return is_first

    def _written(self, payload: object, call: str) -> Reply:
        reply = self.board.write(payload)
        if reply.ok:
            self._last_write = call
            self._pins = [pin._replace(is_needed=False) for pin in self._pins]
        else:
            self._is_claimed = False
        return reply

    def _refused(self, payload: object) -> Reply:
        dialect = self.board.dialect
        return dialect.reply(
            Outcome(self.board.plan, dialect.told([Fault("", SECOND_WRITE, "second_write")]), None, payload)
        )


class Runs:
    """All runs of one adapter.

    `store` is a Store, the path of an SQLite file, or none to keep each plan in memory with its run. `dialect` is a
    dialect or its name, or none for the one that suits the model. `rules` change single rules of the dialect.
    """

    def __init__(
        self,
        store: Store | str | PathLike[str] | None = None,
        policy: str | Policy = "quiet",
        dialect: str | Dialect | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.policy = policy_of(policy)
        self._dialect = dialects.get(dialect) if isinstance(dialect, str) else dialect
        self._store = None if store is None else open_store(store)
        self._rules = rules
        self._runs: OrderedDict[tuple[str, str], Run] = OrderedDict()
        self._lock = Lock()

    def dialect(self, model: str = "") -> Dialect:
        """The dialect for a model of this name."""
        chosen = dialects.get("holdfast") if self._dialect is None else self._dialect
        return chosen if self._rules is None else chosen.under(self._rules)

    def get(self, session: str, agent: str = "main", model: str = "") -> Run:
        """The run of an agent in a session; the same one each time while the model speaks the same dialect."""
        dialect, key = self.dialect(model), (session, agent)
        with self._lock:
            run = self._runs.pop(key, None)
            if run is None or run.board.dialect.name != dialect.name:
                store = self._store if run is None else run.board.store
                run = Run(Board(dialect, store, session, agent), self.policy)
            self._runs[key] = run
            if len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
            return run

    async def get_aside(self, session: str, agent: str = "main", model: str = "") -> Run:
        """The same without holding up the event loop."""
        if self._store is None or (session, agent) in self._runs:
            return self.get(session, agent, model)
        return await asyncio.to_thread(self.get, session, agent, model)

    def forget(self, session: str, agent: str = "main") -> None:
        """A run is over that nobody can come back to."""
        self._runs.pop((session, agent), None)


def fresh(kind: str = "run") -> str:
    """A name that no other run has."""
    return f"{kind}-{uuid4().hex[:12]}"


def _found(pin: _Pin, messages: Sequence[object]) -> _Pin | None:
    """The pin where its message is now; nothing if that is gone."""
    at = pin.note.after
    if at == -1 or (at < len(messages) and messages[at] == pin.message):
        return pin
    at = next((place for place in reversed(range(len(messages))) if messages[place] == pin.message), -1)
    return None if at < 0 else pin._replace(note=pin.note._replace(after=at))
