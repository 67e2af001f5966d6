"""Models that speak the Messages API, through Anthropic's own SDK, streaming."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import anthropic
import httpx2
from anthropic import types

from ..messages import Block, Definition, Message, ModelAnswer, OnText, text
from .retries import Retries
from .sdk_errors import ModelSource, translate_error
from .stream import read_arguments, read_stream

KEY = "ANTHROPIC_API_KEY"
CACHE = {"type": "ephemeral"}
MOST_TOKENS = 16_000
"""The longest answer that a model may give."""


class AnthropicModel:
    """A model behind the Messages API.

    What is sent again is marked for the prompt cache: tools with the system prompt, and the history up to the last
    block that stays in it, never a reminder after that.
    """

    def __init__(
        self,
        name: str,
        api_key: str,
        base_url: str | None = None,
        retries: Retries | None = None,
        timeout: float = 600.0,
    ) -> None:
        self.name = name
        self.retries = retries if retries is not None else Retries()
        self._client = anthropic.Anthropic(
            api_key=api_key, base_url=base_url, max_retries=0, timeout=timeout, open_telemetry=False
        )
        self._source = ModelSource("anthropic", name, KEY, str(self._client.base_url).rstrip("/"))

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """The model's answer. `tokens_in` counts all tokens that it read, from the cache or not.

        Raises ModelError, in one line that says what to do, if there is no answer.
        """
        request = {
            "model": self.name,
            "max_tokens": MOST_TOKENS,
            "messages": _mark_for_cache(messages),
            **({"tools": [dict(tool) for tool in tools]} if tools else {}),
            **({"system": [{**text(system), "cache_control": CACHE}]} if system else {}),
        }
        return self.retries.run(lambda: read_stream(MessagesReader(), self._events(request), on_text, self._source))

    def _events(self, request: Mapping[str, Any]) -> Iterator[types.RawMessageStreamEvent]:
        try:
            with self._client.messages.create(**request, stream=True) as stream:
                yield from stream
        except (anthropic.APIError, httpx2.TransportError, ValueError) as error:
            raise translate_error(error, self._source) from error


class MessagesReader:
    """Reads an answer as it streams in. Unlike the SDK's own, it also takes arguments that are not JSON."""

    def __init__(self) -> None:
        self.finished = False
        self._blocks: dict[int, Block] = {}
        self._arguments: dict[int, str] = {}
        self._read = {"input": 0, "cache_creation_input": 0, "cache_read_input": 0}
        self._written = 0

    def add(self, event: types.RawMessageStreamEvent) -> str:
        """Add one event. Returns the piece of text in it; empty if there is none."""
        match event:
            case types.RawMessageStartEvent(message=types.Message(usage=types.Usage() as usage)):
                self._count(usage)
            case types.RawContentBlockStartEvent(index=index, content_block=anthropic.BaseModel() as block):
                self._blocks[index] = block.to_dict()
                return str(self._blocks[index].get("text", ""))
            case types.RawContentBlockDeltaEvent(index=index, delta=delta) if index in self._blocks:
                return self._extend(index, delta)
            case types.RawMessageDeltaEvent(usage=types.MessageDeltaUsage() as total):
                self._count(total)
            case types.RawMessageStopEvent():
                self.finished = True
        return ""

    def answer(self) -> ModelAnswer:
        """The whole answer: texts that are not blank, tool calls, and thinking, which the API wants back."""
        blocks = [self._finished_block(index) for index in sorted(self._blocks)]
        kept = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
        return ModelAnswer(kept, sum(self._read.values()), self._written)

    def _extend(self, index: int, delta: types.RawContentBlockDelta) -> str:
        block = self._blocks[index]
        match delta:
            case types.TextDelta(text=piece):
                block["text"] += piece
                return piece
            case types.InputJSONDelta(partial_json=raw):
                self._arguments[index] = self._arguments.get(index, "") + raw
            case types.ThinkingDelta(thinking=thinking):
                block["thinking"] += thinking
            case types.SignatureDelta(signature=signature):
                block["signature"] = signature
        return ""

    def _finished_block(self, index: int) -> Block:
        block = self._blocks[index]
        if block["type"] == "text":
            return text(block["text"])
        if block["type"] != "tool_use":
            return block
        raw = self._arguments.get(index, "")
        arguments = read_arguments(raw) if raw else block["input"]
        return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": arguments}

    def _count(self, usage: types.Usage | types.MessageDeltaUsage) -> None:
        """Counts are totals: a later one replaces an earlier one, and one that is left out changes nothing."""
        for kind in self._read:
            tokens = getattr(usage, f"{kind}_tokens", None)
            if tokens is not None:
                self._read[kind] = tokens
        self._written = usage.output_tokens


def _mark_for_cache(messages: Sequence[Message]) -> list[Message]:
    """The messages with a mark for the cache on the last block that is sure to stay in the history.

    A reminder ends a request and is gone in the next. So of the last message it is the last tool result, or the first
    block if it has none.
    """
    *before, last = messages
    content = last["content"]
    blocks = [text(content)] if isinstance(content, str) else list(content)
    results = [place for place, block in enumerate(blocks) if block["type"] == "tool_result"]
    place = results[-1] if results else 0
    blocks[place] = {**blocks[place], "cache_control": CACHE}
    return [*before, {**last, "content": blocks}]
