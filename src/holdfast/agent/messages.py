"""The conversation, in the form of the Messages API: what it is made of, and how it stays one that the API accepts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Block = dict[str, Any]
Message = dict[str, Any]
Definition = Mapping[str, Any]
"""A tool as a model is offered it, in the form of the Messages API."""

OnText = Callable[[str], None]
"""Told each piece of an answer's text, as it comes."""

UNREADABLE = "__unreadable__"
"""Where arguments that are no JSON object stand, as they came, in the input of a tool call."""

NO_ANSWER = "(no answer)"
CUT_OFF = "(interrupted: there is no result)"


class Answer(NamedTuple):
    """What a model said: blocks of text and tool calls, and the tokens that it took."""

    blocks: list[Block]
    tokens_in: int = 0
    tokens_out: int = 0


class Model(Protocol):
    """What answers, whatever wire it speaks: messages and tools are in the form of the Messages API here."""

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> Answer:
        """The model's answer; pieces of its text go to `on_text` as they come.

        Raises ModelError, in one line that says what to do, if there is none to be had.
        """
        ...


class Call(NamedTuple):
    """A tool call as the model made it. `input` is a mapping if all is well, else what came in its place."""

    id: str
    name: str
    input: object


def user(*blocks: Block) -> Message:
    """A message of the user's side."""
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Block:
    """A block of text."""
    return {"type": "text", "text": words}


def result(call: Call, output: str, failed: bool = False) -> Block:
    """The result of a tool call."""
    block = {"type": "tool_result", "tool_use_id": call.id, "content": output}
    return {**block, "is_error": True} if failed else block


def words(message: Message) -> str:
    """The text of a message, without its tool calls and results."""
    return "\n".join(block["text"] for block in message["content"] if block["type"] == "text")


def taken(blocks: Sequence[Block], turn: int) -> tuple[Message, list[Call]]:
    """A model's answer as a message that can be sent back, and the calls in it as they were made.

    The API refuses an input that is no object, a call without an id and an empty answer: the message has none of them.
    """
    kept: list[Block] = []
    calls: list[Call] = []
    for place, block in enumerate(blocks, 1):
        if block.get("type") == "tool_use":
            call, sent = _called(block, f"call_{turn}_{place}")
            calls.append(call)
            kept.append(sent)
        elif block.get("type") != "text" or str(block.get("text", "")).strip():
            kept.append(block)
    return {"role": "assistant", "content": kept or [text(NO_ANSWER)]}, calls


def _called(block: Block, id: str) -> tuple[Call, Block]:
    """A call, and its block as it is sent back."""
    given = block.get("input")
    sent = dict(given) if isinstance(given, Mapping) else {}
    call = Call(str(block.get("id") or id), str(block.get("name")), sent.get(UNREADABLE, given))
    return call, {**block, "id": call.id, "name": call.name, "input": sent}


def answered(calls: Sequence[Call], results: Sequence[Block]) -> Message:
    """The results of a turn's calls. Those that have none were cut off, and say so."""
    return user(*results, *(result(call, CUT_OFF, failed=True) for call in calls[len(results) :]))


def mended(messages: Sequence[Message]) -> list[Message]:
    """The conversation with a result for every call: a crash may have come between the two."""
    last = messages[-1] if messages else user()
    calls = [Call(block["id"], block["name"], {}) for block in last["content"] if block["type"] == "tool_use"]
    return [*messages, answered(calls, [])] if calls else list(messages)


def request(messages: Sequence[Message], tail: str = "") -> list[Message]:
    """The conversation as it is sent: roles alternate, the tail ends it, after tool results as the API wants it."""
    sent: list[Message] = []
    for message in [*messages, *([user(text(tail))] if tail else [])]:
        if sent and sent[-1]["role"] == message["role"]:
            sent[-1] = {**message, "content": [*sent[-1]["content"], *message["content"]]}
        else:
            sent.append(message)
    return sent
