"""The agent's loop, on messages in the form of the Messages API: query, execute, remind, until no tool is called."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..plan import Todo
from ..reminders import Policy
from ..riding import rideable, unload
from ..session import Session

Block = dict[str, Any]
Message = dict[str, Any]


class Answer(NamedTuple):
    """What a model said: blocks of text and tool calls, and the tokens that it took."""

    blocks: list[Block]
    tokens_in: int = 0
    tokens_out: int = 0


class Model(Protocol):
    """What answers, whatever wire it speaks: messages and tools are in the form of the Messages API here."""

    def query(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """The model's answer; pieces of its text go to `on_text` as they come.

        Raises ModelError, in one line that says what to do, if there is none to be had.
        """


class Tool(NamedTuple):
    """Something the model can do besides planning. What `run` raises is the model's to read."""

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[..., str]

    @property
    def definition(self) -> dict[str, Any]:
        """The tool in the form of the Messages API."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.schema)}


class Event(NamedTuple):
    """Something that happened: "text", "tool_call", "tool_result", "todo_update", "reminder" or "finished"."""

    kind: str
    data: Any


class Result(NamedTuple):
    """What a run came to: why it ended, the todos as they are now, and the whole conversation."""

    reason: str
    todos: tuple[Todo, ...]
    messages: list[Message]


class Agent:
    """Runs a model with tools and a plan. The plan's tool is there by itself; `policy` says how it is kept in mind."""

    def __init__(
        self,
        model: Model,
        session: Session,
        tools: Sequence[Tool] = (),
        policy: str | Policy = "quiet",
        system: str = "",
        most_turns: int = 100,
    ) -> None:
        self.model = model
        self.session = session
        self.tools = {tool.name: tool for tool in tools}
        self.attention = session.attend(policy)
        self.rides = self.attention.policy.rides
        self.system = "\n\n".join(part for part in (system, session.board.prompt) if part)
        self.most_turns = most_turns
        self.messages: list[Message] = []
        self._listeners: list[Callable[[Event], object]] = []

    def on_event(self, listener: Callable[[Event], object]) -> None:
        """Call `listener` with everything that happens."""
        self._listeners.append(listener)

    def run(self, task: str) -> Result:
        """Work on a task until the model calls no tool, or has had its turns."""
        opening = self.attention.opening()
        self.attention.heard_user()
        self.messages.append(_user([_text(part) for part in (opening, task) if part]))
        reason = "limit: turns"
        for _ in range(self.most_turns):
            if not self.step():
                reason = "done"
                break
        self._emit("finished", reason)
        return Result(reason, self.session.board.plan.todos, self.messages)

    def step(self) -> bool:
        """One round. Returns whether the model goes on."""
        answer = self.query()
        self.messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if calls:
            self.messages.append(_user([self.execute(call) for call in calls]))
            return True
        held = self.attention.hold()
        if held:
            self._emit("reminder", held)
            self.messages.append(_user([_text(held)]))
        return bool(held)

    def query(self) -> list[Block]:
        """Ask the model. A reminder ends the request and is not kept; after tool results, as the API wants it."""
        tail = self.attention.tail()
        messages = self.messages
        if tail:
            self._emit("reminder", tail)
            *before, last = messages
            messages = [*before, {**last, "content": [*last["content"], _text(tail)]}]
        own = [tool.definition for tool in self.tools.values()]
        tools = [*(map(rideable, own) if self.rides else own), *self.session.tools("anthropic")]
        answer = self.model.query(self.system, messages, tools, lambda piece: self._emit("text", piece))
        return answer.blocks or [_text("(no answer)")]

    def execute(self, call: Block) -> Block:
        """Run one tool call. Whatever goes wrong is an answer, never the end of the loop."""
        self._emit("tool_call", call)
        if call["name"] == self.session.board.dialect.tool_name:
            output, failed = self._write(call["input"])
        else:
            output, failed = self._use(call["name"], call["input"])
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
        self._emit("tool_result", result)
        return {**result, "is_error": True} if failed else result

    def _write(self, payload: object) -> tuple[str, bool]:
        reply = self.session.board.write(payload)
        if reply.ok:
            self._emit("todo_update", reply.plan.todos)
        return reply.text, not reply.ok

    def _use(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        tool = self.tools.get(name)
        if tool is None:
            return f"Error: no tool {name!r}; there are {', '.join(self.tools)}", True
        arguments, done = unload(arguments) if self.rides else (arguments, "")
        told = f"\n{self.attention.ride(done)}" if done else ""
        self.session.board.worked(name)
        try:
            return tool.run(**arguments) + told, False
        except Exception as error:
            return f"Error: {type(error).__name__}: {error}{told}", True

    def _emit(self, kind: str, data: object) -> None:
        for listener in self._listeners:
            listener(Event(kind, data))


def _user(content: list[Block]) -> Message:
    return {"role": "user", "content": content}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
