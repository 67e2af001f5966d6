"""A board, its driver and a session for async hosts: the same engine, which never holds up the event loop.

Nothing of the engine is written twice. Each method is the one of `Board`, `Attention` or `Session`, called in a thread
where the store is not in memory, one call after the other.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from os import PathLike
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from ..attention.driver import Attention
from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName, WireForm
from ..plan import About, Change, Plan, Todo
from ..plan.rules import Rules
from ..stores import Key, MemoryStore, Record, Store
from ..stores.store import HasThreads
from .board import Board
from .function import async_function_of
from .session import Session
from .tokens import Counter, Tokens, estimate
from .verification import Runner

P = ParamSpec("P")
T = TypeVar("T")
O = TypeVar("O")  # noqa: E741 # what an async object stands for


class CallQueue:
    """Calls of one board from an event loop: in the order in which they were made, and in a thread.

    A store in memory answers at once, so it needs no thread. A store with threads of its own is called in those.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_durable = not isinstance(store, MemoryStore)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._order = asyncio.Lock()

    async def call(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function returns, called after the calls before it."""
        if not self._is_durable:
            return act(*args, **kwargs)
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # a lock belongs to one loop
            self._loop, self._order = loop, asyncio.Lock()
        async with self._order:
            threads = self._store.threads if isinstance(self._store, HasThreads) else None
            context = contextvars.copy_context()
            return await loop.run_in_executor(threads, lambda: context.run(act, *args, **kwargs))


class Awaitables(Generic[O]):
    """An object whose methods are awaited, and the one that they are called on. That one is made when first needed."""

    def __init__(self, queue: CallQueue, make: Callable[[], O]) -> None:
        self._queue = queue
        self._make = make
        self._made: O | None = None

    def _target(self) -> O:
        """What the methods are called on. Its first use may ask the store, so that is done in a thread, too."""
        if self._made is None:
            self._made = self._make()
        return self._made


def _awaitable(method: Callable[Concatenate[O, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """The same method, awaitable."""

    @wraps(method)
    async def call(self: Awaitables[O], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._queue.call(lambda: method(self._target(), *args, **kwargs))

    return call


class AsyncBoard(Awaitables[Board]):
    """A `Board` for async hosts: the same arguments and methods. What may ask the store is awaited.

    `board` is the board behind it.
    """

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        session: str = "default",
        agent: str = "main",
        dialect: DialectName | Dialect = "holdfast",
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._set_up(
            Board(store=store, session=session, agent=agent, dialect=dialect, policy=policy, rules=rules, clock=clock)
        )

    @classmethod
    def over(cls, board: Board) -> "AsyncBoard":
        """The same board for an async host."""
        made = cls.__new__(cls)
        made._set_up(board)
        return made

    def _set_up(self, board: Board) -> None:
        self.board = board
        super().__init__(CallQueue(board.store), lambda: board)

    write = _awaitable(Board.write)
    update = _awaitable(Board.update)
    complete = _awaitable(Board.complete)
    block = _awaitable(Board.block)
    clear = _awaitable(Board.clear)
    edit = _awaitable(Board.edit)
    add = _awaitable(Board.add)
    remove = _awaitable(Board.remove)
    move = _awaitable(Board.move)
    undo = _awaitable(Board.undo)
    redo = _awaitable(Board.redo)
    restore = _awaitable(Board.restore)
    rename = _awaitable(Board.rename)
    archive = _awaitable(Board.archive)
    delete = _awaitable(Board.delete)
    approve = _awaitable(Board.approve)
    request_review = _awaitable(Board.request_review)
    claim = _awaitable(Board.claim)
    release = _awaitable(Board.release)
    finish = _awaitable(Board.finish)
    prove = _awaitable(Board.prove)
    at = _awaitable(Board.at)
    recap = _awaitable(Board.recap)
    resume = _awaitable(Board.resume)
    record_tool_use = _awaitable(Board.record_tool_use)

    @property
    def plan(self) -> Awaitable[Plan]:
        """The plan as it is now: `await board.plan`. Raises StoreError if it cannot be read."""
        return self._queue.call(lambda: self.board.plan)

    async def history(self) -> list[Record]:
        """Every change of this plan and of those before it, the newest first."""
        return await self._queue.call(lambda: list(self.board.history()))

    def introduce(self, about: About) -> None:
        """As `Board.introduce`."""
        self.board.introduce(about)

    def verify_with(self, runner: Runner) -> Callable[[], None]:
        """As `Board.verify_with`: the runner is called in a thread."""
        return self.board.verify_with(runner)

    @property
    def dialect(self) -> Dialect:
        """The form of todo tool that the model speaks."""
        return self.board.dialect

    @property
    def policy(self) -> Policy:
        """How much the model is told of its plan."""
        return self.board.policy

    @property
    def key(self) -> Key:
        """The session and the agent."""
        return self.board.key

    @property
    def prompt(self) -> str:
        """The text for the system prompt. It never changes."""
        return self.board.prompt

    def tool(self, form: WireForm = "json") -> dict[str, Any]:
        """As `Board.tool`."""
        return self.board.tool(form)

    def tools(self, form: WireForm = "json") -> list[dict[str, Any]]:
        """As `Board.tools`."""
        return self.board.tools(form)

    def functions(self) -> list[Callable[..., Awaitable[str]]]:
        """All tools of the dialect as typed async functions, one for most. Each call is a write."""
        return [async_function_of(tool, self.write) for tool in self.board.dialect.tools]

    def function(self) -> Callable[..., Awaitable[str]]:
        """The tool as a typed async function. Raises UsageError if the dialect has several tools."""
        self.board.function()  # it says what is wrong with several
        return self.functions()[0]

    def on_change(self, listener: Callable[[Change], object]) -> Callable[[], None]:
        """Call `listener` after every change made through this board, on the event loop that runs now.

        It is called before the change is answered. A coroutine that it returns is run. Call the returned function to
        end that.
        """
        return self.board.on_change(_OnLoop(listener, asyncio.get_running_loop()))


class AsyncAttention(Awaitables[Attention[Board]]):
    """An `Attention` for async hosts: the same moments, awaited."""

    def __init__(self, board: AsyncBoard, *, on_stop: Callable[[str], object] | None = None) -> None:
        def attend() -> Attention[Board]:
            attention = Attention(board.board, on_stop=on_stop)
            attention.constrains = self._constrains
            return attention

        super().__init__(board._queue, attend)
        self.board = board
        self._constrains = False

    on_user_message = _awaitable(Attention.on_user_message)
    before_request = _awaitable(Attention.before_request)
    after_tool = _awaitable(Attention.after_tool)
    after_compaction = _awaitable(Attention.after_compaction)
    before_stop = _awaitable(Attention.before_stop)
    interrupted = _awaitable(Attention.interrupted)
    asked_user = _awaitable(Attention.asked_user)
    subagents = _awaitable(Attention.subagents)
    offer = _awaitable(Attention.offer)
    equip = _awaitable(Attention.equip)
    know_tools = _awaitable(Attention.know_tools)

    @property
    def constrains(self) -> bool:
        """As `Attention.constrains`."""
        return self._constrains if self._made is None else self._made.constrains

    @constrains.setter
    def constrains(self, is_so: bool) -> None:
        self._constrains = is_so
        if self._made is not None:
            self._made.constrains = is_so


class AsyncSession(Awaitables[Session]):
    """A `Session` for async hosts: the same arguments; its boards and its attention are awaited.

    `session` is the session behind it.
    """

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        name: str = "default",
        dialect: DialectName | Dialect = "holdfast",
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        root: str | PathLike[str] | None = None,
        clock: Callable[[], float] | None = None,
        counter: Counter = estimate,
    ) -> None:
        self.session = session = Session(
            store=store,
            name=name,
            dialect=dialect,
            policy=policy,
            rules=rules,
            root=root,
            clock=clock,
            counter=counter,
        )
        self.name = name
        self.board = AsyncBoard.over(session.board)
        self.attention = AsyncAttention(self.board)
        super().__init__(self.board._queue, lambda: session)

    dismiss = _awaitable(Session.dismiss)

    def subagent(self, name: str) -> AsyncBoard:
        """The board of a subagent, with its own list. Raises UsageError for the main agent's name."""
        return AsyncBoard.over(self.session.subagent(name))

    @property
    def plan_mode(self) -> bool:
        """Whether the model cannot write its plan."""
        return self.session.plan_mode

    @plan_mode.setter
    def plan_mode(self, is_on: bool) -> None:
        self.session.plan_mode = is_on

    def tools(self, form: WireForm = "json") -> list[dict[str, Any]]:
        """As `Session.tools`."""
        return self.session.tools(form)

    @property
    def tokens(self) -> Awaitable[Tokens]:
        """What the plans of this session have cost so far: `await session.tokens`."""
        return self._queue.call(lambda: self.session.tokens)

    def on_todos(self, listener: Callable[[tuple[Todo, ...]], object]) -> Callable[[], None]:
        """Call `listener` with the main agent's todos after each change, as `AsyncBoard.on_change` does."""
        return self.board.on_change(lambda change: listener(change.after.todos))


class _OnLoop:
    """A listener that is called on an event loop, wherever the change was made."""

    def __init__(self, listener: Callable[[Change], object], loop: asyncio.AbstractEventLoop) -> None:
        self._listener = listener
        self._loop = loop
        self._tasks: set[asyncio.Task[object]] = set()

    def __call__(self, change: Change) -> None:
        try:
            is_here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_here = False
        if is_here:
            self._call(change)
        else:
            self._loop.call_soon_threadsafe(self._call, change)

    def _call(self, change: Change) -> None:
        result = self._listener(change)
        if asyncio.iscoroutine(result):
            task = self._loop.create_task(result)
            self._tasks.add(task)  # a loop keeps no task alive by itself
            task.add_done_callback(self._tasks.discard)
