"""All runs of one adapter: whose plan is meant, in which dialect, with which words."""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable
from os import PathLike
from threading import Lock
from typing import Any, TypeAlias
from uuid import uuid4

from .. import dialects
from ..attention.policies import Policy, PolicyName, find_policy
from ..board import Board
from ..dialects import Dialect, DialectName, Tool
from ..errors import UsageError
from ..plan.rules import Rules
from ..stores import MemoryStore, Store, open_store
from .run import Run

MOST_RUNS = 1000
"""How many runs are remembered. A forgotten run continues from its store, and its plan is restated."""
MOST_STORES = 1000
"""How many stores are remembered, where each run says which one is its own."""

Stored: TypeAlias = Store | str | PathLike[str]
StoreOf: TypeAlias = Callable[[Any], Stored]
"""A function that finds the store in the framework's own object for a run."""


class Runs:
    """All runs of one adapter.

    `store` is a Store, the path of an SQLite file, or a function that finds one of them in the context of a run; None
    keeps each plan in memory, as long as this object lives.
    `dialect` is a dialect or its name; None takes the one that suits the model. `rules` change single rules of it.
    `prompt` and `description` are said instead of the dialect's own words, in the system prompt and of its tool.
    `prefix` is what the framework puts before the name of a tool, so that the model is told the name that it sees.
    """

    def __init__(
        self,
        *,
        store: Stored | StoreOf | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        prompt: str | None = None,
        description: str | None = None,
        prefix: str = "",
    ) -> None:
        # frameworks run the calls of a turn concurrently: without this, chance would decide which list stays
        self.policy = find_policy(policy).replace(one_write=True)
        self._dialect = dialects.get(dialect) if isinstance(dialect, str) else dialect
        self._store_of: StoreOf | None = store if callable(store) else None
        self._store = None if store is None or callable(store) else open_store(store)
        self._by_store: OrderedDict[object, Runs] = OrderedDict()
        self._rules = rules
        self._prompt = prompt
        self._description = description
        self._prefix = prefix
        self._memories: dict[tuple[str, str], MemoryStore] = {}
        self._runs: OrderedDict[tuple[str, str], Run] = OrderedDict()
        self._lock = Lock()

    def dialect(self, model: str | None = None) -> Dialect:
        """The dialect for a model of this name."""
        return dialects.get(dialects.for_model(model or "")) if self._dialect is None else self._dialect

    def prompt(self, dialect: Dialect) -> str:
        """The text for the system prompt. It never changes."""
        return self._prefixed(dialect.prompt, dialect) if self._prompt is None else self._prompt

    def tools(self, dialect: Dialect) -> tuple[Tool, ...]:
        """The definitions of the plan's tools. They never change."""
        own = self._description
        return tuple(
            tool if own is None or tool.name != dialect.tool_name else tool._replace(description=own)
            for tool in dialect.tools
        )

    def within(self, context: object) -> "Runs":
        """The runs in the store that is found in the context of a run: these ones, unless `store` is a function."""
        if self._store_of is None:
            return self
        store = self._store_of(context)
        key = store if isinstance(store, str | PathLike) else id(store)
        with self._lock:
            known = self._by_store.get(key)
            if known is not None:
                self._by_store.move_to_end(key)
                return known
        made = Runs(
            store=store,
            dialect=self._dialect,
            policy=self.policy,
            rules=self._rules,
            prompt=self._prompt,
            description=self._description,
            prefix=self._prefix,
        )
        with self._lock:
            if len(self._by_store) >= MOST_STORES:
                self._by_store.popitem(last=False)
            return self._by_store.setdefault(key, made)

    async def within_async(self, context: object) -> "Runs":
        """The same without blocking the event loop: a store may have to be opened."""
        return self if self._store_of is None else await asyncio.to_thread(self.within, context)

    def get(self, session: str, agent: str = "main", model: str | None = None) -> Run:
        """The run of an agent in a session: the same one each time, until a model speaks another dialect.

        A run is made outside the lock: making it asks the store, and nobody else waits for that. Raises UsageError if
        each run has its own store: `within` finds it.
        """
        if self._store_of is not None:
            raise UsageError("each run has its own store: ask runs.within(context), with the context of the run")
        key = (session, agent)
        while (run := self._known(key, model)) is None:
            made = self._open(key, self.dialect(model))
            with self._lock:
                former = self._runs.get(key)
                if former is None or former.board.dialect.name != made.board.dialect.name:  # nobody else was faster
                    self._runs[key] = made
                if len(self._runs) > MOST_RUNS:
                    self._runs.popitem(last=False)
        return run

    async def get_async(self, session: str, agent: str = "main", model: str | None = None) -> Run:
        """The same without blocking the event loop."""
        run = self._known((session, agent), model)
        if run is not None or self._store is None:
            return run or self.get(session, agent, model)
        return await asyncio.to_thread(self.get, session, agent, model)

    def all(self) -> list[Run]:
        """Every run that is remembered; the one used last is at the end."""
        with self._lock:
            return list(self._runs.values())

    def forget(self, session: str, agent: str = "main") -> None:
        """Forget a run that nobody can come back to, and its plan if that is only in memory."""
        with self._lock:
            self._runs.pop((session, agent), None)
            self._memories.pop((session, agent), None)

    def _known(self, key: tuple[str, str], model: str | None) -> Run | None:
        """The run, if it is remembered and speaks the model's dialect."""
        with self._lock:
            run = self._runs.get(key)
            if run is None or (model is not None and run.board.dialect.name != self.dialect(model).name):
                return None
            self._runs.move_to_end(key)
            return run

    def _open(self, key: tuple[str, str], dialect: Dialect) -> Run:
        session, agent = key
        store = self._memories.setdefault(key, MemoryStore()) if self._store is None else self._store
        board = Board(store=store, session=session, agent=agent, dialect=dialect, policy=self.policy, rules=self._rules)
        policy = board.policy
        board.policy = policy.replace(
            tool=self._prefix + policy.tool,
            mark=policy.mark and self._prefix + policy.mark,
            first_text=self._prefixed(policy.first_text, dialect),
            stale_text=self._prefixed(policy.stale_text, dialect),
        )
        return Run(board)

    def _prefixed(self, text: str, dialect: Dialect) -> str:
        """A text of ours with the names of the plan's tools as the model sees them."""
        return re.sub(rf"\b({'|'.join(dialect.tool_names)})\b", rf"{self._prefix}\1", text) if self._prefix else text


def unique_name(kind: str = "run-") -> str:
    """A name that no other run has."""
    return f"{kind}{uuid4().hex[:12]}"
