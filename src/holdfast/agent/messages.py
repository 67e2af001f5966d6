"""The conversation in the form of the Messages API: its parts, and how it stays one that the API accepts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from .events import ToolCall, ToolResult

Block = dict[str, Any]
Message = dict[str, Any]
Definition = Mapping[str, Any]
"""A tool definition in the form of the Messages API."""

OnText = Callable[[str], None]
"""Called with each piece of an answer's text, as it comes."""

UNREADABLE = "__unreadable__"
"""The key under which arguments that are not a JSON object stand, as they came, in the input of a tool call."""

NO_ANSWER = "(no answer)"
CUT_OFF = "(interrupted: there is no result)"


class ModelAnswer(NamedTuple):
    """A model's answer: blocks of text and tool calls, and the tokens that it took."""

    blocks: list[Block]
    tokens_in: int = 0
    tokens_out: int = 0


class Model(Protocol):
    """A model behind any API. Messages and tools are in the form of the Messages API here."""

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """The model's answer; pieces of its text go to `on_text` as they come.

        Raises ModelError, in one line that says what to do, if there is no answer.
        """
        ...


def user_message(*blocks: Block) -> Message:
    """A message of the user's side."""
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Block:
    """A block of text."""
    return {"type": "text", "text": words}


def result_block(result: ToolResult) -> Block:
    """The result of a tool call, as a block."""
    block = {"type": "tool_result", "tool_use_id": result.id, "content": result.output}
    return {**block, "is_error": True} if result.failed else block


def message_text(message: Message) -> str:
    """The text of a message, without its tool calls and results."""
    return "\n".join(block["text"] for block in message["content"] if block["type"] == "text")


def split_answer(blocks: Sequence[Block], turn: int) -> tuple[Message, list[ToolCall]]:
    """A model's answer as a message that can be sent back, and the calls in it as the model made them.

    The API refuses an input that is not an object, a call without an id, and an empty answer. The message has none of
    these.
    """
    kept: list[Block] = []
    calls: list[ToolCall] = []
    for position, block in enumerate(blocks, 1):
        if block.get("type") == "tool_use":
            call, sent = _read_call(block, f"call_{turn}_{position}")
            calls.append(call)
            kept.append(sent)
        elif block.get("type") != "text" or str(block.get("text", "")).strip():
            kept.append(block)
    return {"role": "assistant", "content": kept or [text(NO_ANSWER)]}, calls


def _read_call(block: Block, id: str) -> tuple[ToolCall, Block]:
    """A call, and its block as it is sent back."""
    given = block.get("input")
    sent = dict(given) if isinstance(given, Mapping) else {}
    call = ToolCall(str(block.get("id") or id), str(block.get("name")), sent.get(UNREADABLE, given))
    return call, {**block, "id": call.id, "name": call.name, "input": sent}


def results_message(calls: Sequence[ToolCall], results: Sequence[Block]) -> Message:
    """The results of a turn's calls. Calls without a result were interrupted, and the message says so."""
    interrupted = [ToolResult(call.id, call.name, CUT_OFF, failed=True) for call in calls[len(results) :]]
    return user_message(*results, *map(result_block, interrupted))


def complete_results(messages: Sequence[Message]) -> list[Message]:
    """The conversation with a result for every call: a crash may have come between the two."""
    last = messages[-1] if messages else user_message()
    calls = [ToolCall(block["id"], block["name"], {}) for block in last["content"] if block["type"] == "tool_use"]
    return [*messages, results_message(calls, [])] if calls else list(messages)


def request_messages(messages: Sequence[Message], tail: str = "") -> list[Message]:
    """The conversation as it is sent: roles alternate, and the tail comes last, after tool results as the API wants."""
    sent: list[Message] = []
    for message in [*messages, *([user_message(text(tail))] if tail else [])]:
        if sent and sent[-1]["role"] == message["role"]:
            sent[-1] = {**message, "content": [*sent[-1]["content"], *message["content"]]}
        else:
            sent.append(message)
    return sent
