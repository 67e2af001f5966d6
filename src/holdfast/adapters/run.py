"""One run of an agent, as an adapter drives it, and where in a request its texts belong.

An adapter translates its framework's hooks into a few calls:

    run = runs.get(session, agent)            # whose plan it is
    run.on_user_message(text)                 # a run begins
    notes = run.request(messages, calls, tools) # before each request: texts, and the message that each of them follows
    run.on_answer(calls)                      # the calls of the answer, in the model's order
    reply = run.write(payload, call)          # the plan's own tool
    with RunningTool(run, name, arguments, call): # any other tool
        ...
    text = run.before_stop(words)             # the model wants to end: what to say to it, or nothing

Each has a form for async callers: `await run.in_order(run.request, …)`, `write_async`, `async with RunningTool(…)`.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

from ..attention.driver import Attention
from ..attention.piggyback import tool_name
from ..board import Board
from ..board.async_board import CallQueue
from ..dialects import Reply
from ..errors import StoreError
from ..plan import Plan
from .call_order import CallOrder

P = ParamSpec("P")
T = TypeVar("T")


class Note(NamedTuple):
    """A text for the model, and the index of the message that it follows. It is in requests, never in the history.

    One to `keep` is at the same place in later requests, too; any other is in one request only.
    """

    after: int
    text: str
    keep: bool = True


class _Pin(NamedTuple):
    """A note that stays, and the message before it. Once the model has written a newer list, it may get lost."""

    message: object
    note: Note
    is_needed: bool = True


class ModelCall(NamedTuple):
    """One call of a model's answer."""

    id: str
    tool: str


class Run:
    """One agent's plan in one run, as an adapter drives it."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.attention = Attention(board)
        self.tools = frozenset(tool.name for tool in board.dialect.tools)
        self._queue = CallQueue(board.store)
        self._order = CallOrder({})
        self.checkpoint = 0
        """The revision that was last put into a checkpoint of the framework, where there are any."""
        self._pins: list[_Pin] = []
        self._writes: list[str] = []
        self._replies: dict[str, Reply] = {}

    @property
    def plan(self) -> Plan | None:
        """The plan as it is now; None while the store cannot be read."""
        try:
            return self.board.plan
        except StoreError:
            return None

    async def in_order(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something with the plan without blocking the event loop, after what was asked for before."""
        return await self._queue.call(act, *args, **kwargs)

    def on_user_message(self, text: str = "") -> None:
        """The user speaks."""
        self.attention.on_user_message(text)

    def request(
        self, messages: Sequence[object], calls: Container[str] | None, tools: Iterable[Mapping[str, Any]] = ()
    ) -> list[Note]:
        """The notes of the next request; `calls` are the ids of all tool calls among its messages, if known.

        `tools` are the definitions that the model gets, in any wire form: a note may name one of them.
        A note to keep stays at its first place as long as the message before it is there, so that a request begins as
        the one before it did. When such a note is gone, or a write that the plan rests on, the plan is out of sight.
        """
        self._replies = {}
        self.attention.know_tools([tool for tool in tools if tool_name(tool) not in self.tools])
        pins = [_relocate(pin, messages) for pin in self._pins]
        is_lost = any(new is None and old.is_needed for old, new in zip(self._pins, pins, strict=True))
        if calls is not None and (is_lost or any(call not in calls for call in self._writes)):
            self.attention.after_compaction()
        self._pins = [pin for pin in pins if pin is not None]
        was_seen = self.attention.sees_plan
        reminder = self.attention.before_request()
        notes = [pin.note for pin in self._pins]
        if reminder is None:
            return notes
        note = Note(len(messages) - 1, reminder.text, reminder.keep)
        if reminder.keep:
            self._pins.append(_Pin(messages[-1] if messages else None, note))
            if not was_seen:  # the plan was restated: this stands for all writes now
                self._writes = []
        return [*notes, note]

    def tail(self) -> str:
        """What the next request ends with, for frameworks that keep every text in the history. A turn begins."""
        reminder = self.attention.before_request()
        return "" if reminder is None else reminder.text

    def on_answer(self, calls: Iterable[ModelCall]) -> None:
        """The model has answered with these calls, in its order. The framework may run them side by side."""
        self._order = CallOrder({call.id: call.tool in self.tools for call in calls if call.id})

    def write(self, payload: object, call: str = "", tool: str = "") -> Reply:
        """Take the model's call of a tool of the plan; a second write in the same turn is refused."""
        order = self._order
        try:
            order.wait(call)
            return self._write(payload, tool, call)
        finally:
            order.end(call)

    async def write_async(self, payload: object, call: str = "", tool: str = "", key: str | None = None) -> Reply:
        """The same without blocking the event loop.

        `key` is how `request` knows the call, where that is not by its id.
        """
        order = self._order
        try:
            await order.wait_async(call)
            return await self.in_order(self._write, payload, tool, call if key is None else key)
        finally:
            order.end(call)

    def _write(self, payload: object, tool: str, call: str) -> Reply:
        if call in self._replies:  # a framework that does not know whether a call has ended makes it again
            return self._replies[call]
        reply = self.board.write(payload, tool)
        if call:
            self._replies[call] = reply
        if reply.change is not None and reply.change.by == "model":
            self._remember(call, is_whole=not reply.is_update)
        return reply

    def tool_started(self, call: str) -> None:
        """Another tool's call starts."""
        self._order.start(call)

    def tool_ended(self, tool: str, arguments: Mapping[str, object] | None, call: str, failed: bool) -> None:
        """Another tool's call has ended: the board learns of it, after the writes before it."""
        order = self._order
        try:
            order.wait(call)
            self.attention.after_tool(tool, arguments, failed)
        finally:
            order.end(call)

    async def tool_ended_async(
        self, tool: str, arguments: Mapping[str, object] | None, call: str, failed: bool
    ) -> None:
        """The same without blocking the event loop."""
        order = self._order
        try:
            await order.wait_async(call)
            await self.in_order(self.attention.after_tool, tool, arguments, failed)
        finally:
            order.end(call)

    def tool_skipped(self, call: str) -> None:
        """Another tool's call has ended, and the tool was not run."""
        self._order.end(call)

    def before_stop(self, words: str) -> str:
        """What to say to a model that would end with these words; empty to let it stop."""
        self.attention.asked_user(words.rstrip().endswith("?"))
        reminder = self.attention.before_stop()
        return "" if reminder is None else reminder.text

    def _remember(self, call: str, is_whole: bool) -> None:
        """The model sees its plan as long as it sees this call and, after an update, all writes before it."""
        self._writes = [call] if is_whole else [*self._writes, call]
        if is_whole:
            self._pins = [pin._replace(is_needed=False) for pin in self._pins]


class RunningTool:
    """Around another tool's call, `with` or `async with`: the board learns of it. If it raises, it has failed.

    Whoever learns that it failed without an exception says so. Exceptions in `control_flow` are the framework's:
    nothing was done yet.
    """

    def __init__(
        self,
        run: Run,
        tool: str,
        arguments: Mapping[str, object],
        call: str,
        control_flow: tuple[type[Exception], ...] = (),
    ) -> None:
        self.failed = False
        self.counts = True
        """Whether the tool was run at all."""
        self._run, self._tool, self._arguments, self._call = run, tool, arguments, call
        self._control_flow = control_flow

    def __enter__(self) -> "RunningTool":
        self._run.tool_started(self._call)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._was_run(kind):
            self._run.tool_ended(self._tool, self._arguments, self._call, self.failed)

    async def __aenter__(self) -> "RunningTool":
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._was_run(kind):
            await self._run.tool_ended_async(self._tool, self._arguments, self._call, self.failed)

    def _was_run(self, kind: type[BaseException] | None) -> bool:
        """Whether the tool was run, by what it raised: a run that was cancelled counts for nothing."""
        if kind is not None:
            self.failed = True
            self.counts = self.counts and issubclass(kind, Exception) and not issubclass(kind, self._control_flow)
        if not self.counts:
            self._run.tool_skipped(self._call)
        return self.counts


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
