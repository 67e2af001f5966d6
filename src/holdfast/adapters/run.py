"""What the adapters have in common: a driver for every run, and where in a request its texts belong.

An adapter translates its framework's hooks into a few calls:

    run = runs.get(session, agent)            # whose plan it is
    notes = run.request(messages, calls)      # before each request: texts, and the message that each of them follows
    reply = run.write(payload, call)          # the plan's own tool
    run.attention.after_tool(name, failed=failed)   # any other tool
    text = run.before_stop(words)             # the model wants to end: what to say to it, or nothing
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from threading import Lock
from typing import NamedTuple, ParamSpec, TypeVar
from uuid import uuid4

from .. import dialects
from ..attention.driver import SECOND_WRITE, Attention
from ..attention.policies import Policy, PolicyName, find_policy
from ..board import Board
from ..dialects import Dialect, DialectName, Reply
from ..plan.rules import Rules
from ..stores import MemoryStore, Store, open_store

P = ParamSpec("P")
T = TypeVar("T")

MOST_RUNS = 1000
"""How many runs are remembered. A forgotten run continues from its store, and its plan is restated."""


class Note(NamedTuple):
    """A text for the model, and the index of the message that it follows. It is in requests, never in the history."""

    after: int
    text: str


class _Pin(NamedTuple):
    """A note that stays, and the message before it. Once the model has written a newer list, it may get lost."""

    message: object
    note: Note
    is_needed: bool = True


class Run:
    """One agent's plan in one run, as an adapter drives it."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.attention = Attention(board)
        self.tools = frozenset(tool.name for tool in board.dialect.tools)
        self._pins: list[_Pin] = []
        self._writes: list[str] = []
        self._order = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def request(self, messages: Sequence[object], calls: Container[str] | None) -> list[Note]:
        """The notes of the next request; `calls` are the ids of all tool calls among its messages, if known.

        A note to keep stays at its first place as long as the message before it is there, so that a request begins as
        the one before it did. When such a note is gone, or a write that the plan rests on, the plan is out of sight.
        """
        pins = [_relocate(pin, messages) for pin in self._pins]
        is_lost = any(new is None and old.is_needed for old, new in zip(self._pins, pins, strict=True))
        if calls is not None and (is_lost or any(call not in calls for call in self._writes)):
            self.attention.after_compaction()
        self._pins = [pin for pin in pins if pin is not None]
        was_seen = self.attention.turn.sees_plan
        reminder = self.attention.before_request()
        notes = [pin.note for pin in self._pins]
        if reminder is None:
            return notes
        note = Note(len(messages) - 1, reminder.text)
        if reminder.keep:
            self._pins.append(_Pin(messages[-1] if messages else None, note))
            if not was_seen:  # the plan was restated: this stands for all writes now
                self._writes = []
        return [*notes, note]

    def tail(self) -> str:
        """What the next request ends with, for frameworks that keep every text in the history. A turn begins."""
        reminder = self.attention.before_request()
        return "" if reminder is None else reminder.text

    def write(self, payload: object, call: str = "", tool: str = "") -> Reply:
        """Take the model's call of a tool of the plan; a second write in the same turn is refused."""
        reply = self.board.write(payload, tool)
        if reply.change is not None and reply.change.by == "model":
            self._remember(call, is_whole=not reply.is_update)
        return reply

    async def write_async(self, payload: object, call: str = "", tool: str = "") -> Reply:
        """The same without blocking the event loop. Concurrent calls are written in their order."""
        if self._loop is not asyncio.get_running_loop():  # a lock belongs to one loop
            self._loop, self._order = asyncio.get_running_loop(), asyncio.Lock()
        async with self._order:
            return await self.in_thread(self.write, payload, call, tool)

    def is_write(self, tool: str, payload: object) -> bool:
        """Whether a call states the plan, so that only one of them counts in a turn."""
        dialect = self.board.dialect
        return tool in self.tools and dialect.states_whole_plan and not dialect.is_look(payload, tool)

    def refuse_second_write(self, payload: object, tool: str = "") -> Reply:
        """The answer to a write that is not the first in its turn, for frameworks that run all of them at once."""
        return self.board.refuse(SECOND_WRITE, payload, tool)

    @contextmanager
    def failing(self, tool: str, but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """Around another tool's call: if it raises, it has failed, unless that is control flow of the framework."""
        try:
            yield
        except but:
            raise
        except Exception:
            self.attention.after_tool(tool, failed=True)
            raise

    def before_stop(self, words: str) -> str:
        """What to say to a model that would end with these words; empty to let it stop."""
        self.attention.asked_user(words.rstrip().endswith("?"))
        reminder = self.attention.before_stop()
        return "" if reminder is None else reminder.text

    async def in_thread(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something with the plan without blocking the event loop: in a thread, where the store is durable."""
        if isinstance(self.board.store, MemoryStore):
            return act(*args, **kwargs)
        return await asyncio.to_thread(act, *args, **kwargs)

    def _remember(self, call: str, is_whole: bool) -> None:
        """The model sees its plan as long as it sees this call and, after an update, all writes before it."""
        self._writes = [call] if is_whole else [*self._writes, call]
        if is_whole:
            self._pins = [pin._replace(is_needed=False) for pin in self._pins]


class Runs:
    """All runs of one adapter.

    `store` is a Store or the path of an SQLite file; None keeps each plan in memory with its run. `dialect` is a
    dialect or its name; None takes the one that suits the model. `rules` change single rules of the dialect.
    """

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
    ) -> None:
        # frameworks run the calls of a turn concurrently: without this, chance would decide which list stays
        self.policy = find_policy(policy).replace(one_write=True)
        self._dialect = dialects.get(dialect) if isinstance(dialect, str) else dialect
        self._store = None if store is None else open_store(store)
        self._rules = rules
        self._runs: OrderedDict[tuple[str, str], Run] = OrderedDict()
        self._lock = Lock()

    def dialect(self, model: str | None = None) -> Dialect:
        """The dialect for a model of this name."""
        return dialects.get(dialects.for_model(model or "")) if self._dialect is None else self._dialect

    def get(self, session: str, agent: str = "main", model: str | None = None) -> Run:
        """The run of an agent in a session: the same one each time, until a model speaks another dialect."""
        key = (session, agent)
        with self._lock:
            run = self._runs.pop(key, None)
            if run is None:
                run = self._open(self._store, session, agent, self.dialect(model))
            elif model is not None and run.board.dialect.name != self.dialect(model).name:
                run = self._open(run.board.store, session, agent, self.dialect(model))
            self._runs[key] = run
            if len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
            return run

    async def get_async(self, session: str, agent: str = "main", model: str | None = None) -> Run:
        """The same without blocking the event loop."""
        if self._store is None or (session, agent) in self._runs:
            return self.get(session, agent, model)
        return await asyncio.to_thread(self.get, session, agent, model)

    def all(self) -> list[Run]:
        """Every run that is remembered; the one used last is at the end."""
        with self._lock:
            return list(self._runs.values())

    def _open(self, store: Store | None, session: str, agent: str, dialect: Dialect) -> Run:
        return Run(
            Board(store=store, session=session, agent=agent, dialect=dialect, policy=self.policy, rules=self._rules)
        )

    def forget(self, session: str, agent: str = "main") -> None:
        """Forget a run that nobody can come back to."""
        with self._lock:
            self._runs.pop((session, agent), None)


def unique_name(kind: str = "run") -> str:
    """A name that no other run has."""
    return f"{kind}-{uuid4().hex[:12]}"


def insert_notes(messages: Sequence[T], notes: Sequence[Note], message_of: Callable[[str], T]) -> list[T]:
    """The messages of a request with each note after its message. `message_of` makes a message of a text."""
    result: list[T] = []
    for index, message in enumerate(messages):
        result += [message, *(message_of(note.text) for note in notes if note.after == index)]
    return result


def _relocate(pin: _Pin, messages: Sequence[object]) -> _Pin | None:
    """The pin at the present place of its message; None if the message is gone."""
    at = pin.note.after
    if at == -1 or (at < len(messages) and messages[at] == pin.message):
        return pin
    at = next((index for index in reversed(range(len(messages))) if messages[index] == pin.message), -1)
    return None if at < 0 else pin._replace(note=pin.note._replace(after=at))
