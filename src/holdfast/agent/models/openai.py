"""Models that speak Chat Completions, through OpenAI's own SDK, streaming: OpenAI's, llama.cpp, vLLM, Ollama."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta, ChoiceDeltaToolCall

from ...errors import ModelError
from ..messages import Block, Definition, Message, ModelAnswer, OnText, text
from .chat_form import JSON, functions, to_chat
from .retries import Retries
from .sdk_errors import ModelSource, translate_error
from .stream import read_arguments, read_stream

KEY = "OPENAI_API_KEY"

_SDK_ERRORS = (openai.APIError, httpx2.TransportError, ValueError)


class OpenAIModel:
    """A model behind Chat Completions, at OpenAI or at any server that speaks it (`base_url`).

    The default name is the first model that the server lists.
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
        self._client = openai.OpenAI(api_key=api_key, base_url=base_url, max_retries=0, timeout=timeout)

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """The model's answer.

        Raises ModelError, in one line that says what to do, if there is no answer.
        """
        offered = {"tools": functions(tools)} if tools else {}
        return self.chat(to_chat(system, messages), on_text, **offered)

    def chat(self, messages: Sequence[JSON], on_text: OnText | None = None, **options: Any) -> ModelAnswer:
        """The answer to a conversation that is in chat form; `options` are the API's own.

        Raises ModelError as `query` does.
        """
        return self.retries.run(lambda: self._attempt({"messages": list(messages), **options}, on_text))

    @property
    def _source(self) -> ModelSource:
        return ModelSource("openai", self.name, KEY, str(self._client.base_url).rstrip("/"))

    def _attempt(self, request: Mapping[str, Any], on_text: OnText | None) -> ModelAnswer:
        self.name = self.name or self._first_name()
        return read_stream(ChatReader(), self._chunks(request), on_text, self._source)

    def _chunks(self, request: Mapping[str, Any]) -> Iterator[ChatCompletionChunk]:
        try:
            with self._client.chat.completions.create(
                model=self.name, stream=True, stream_options={"include_usage": True}, **request
            ) as stream:
                yield from stream
        except _SDK_ERRORS as error:
            raise translate_error(error, self._source) from error

    def _first_name(self) -> str:
        try:
            names = [model.id for model in self._client.models.list()]
        except _SDK_ERRORS as error:
            raise translate_error(error, self._source) from error
        if not names:
            raise ModelError(f"{self._source.address} has no model: load one, or name one")
        return names[0]


@dataclass
class _PartialCall:
    """A tool call as it streams in."""

    index: int | None
    id: str
    name: str = ""
    arguments: str = ""

    def block(self) -> Block:
        """The call in the form of the Messages API."""
        return {"type": "tool_use", "id": self.id, "name": self.name, "input": read_arguments(self.arguments)}


class ChatReader:
    """Reads an answer as it streams in."""

    def __init__(self) -> None:
        self.finished = False
        self._text = ""
        self._calls: list[_PartialCall] = []
        self._tokens = (0, 0)

    def add(self, chunk: ChatCompletionChunk) -> str:
        """Add one chunk. Returns the piece of text in it; empty if there is none."""
        match chunk:
            case ChatCompletionChunk(choices=[Choice(delta=ChoiceDelta() as delta, finish_reason=reason), *_]):
                self.finished = self.finished or reason is not None
                piece = delta.content or delta.refusal or ""
                self._text += piece
                for part in delta.tool_calls or ():
                    self._extend(part)
            case _:
                piece = ""
        if isinstance(usage := getattr(chunk, "usage", None), CompletionUsage):
            self._tokens = (usage.prompt_tokens, usage.completion_tokens)
        return piece

    def answer(self) -> ModelAnswer:
        """The whole answer: its text if it is not blank, then the tool calls."""
        words = [text(self._text)] if self._text.strip() else []
        return ModelAnswer([*words, *(call.block() for call in self._calls)], *self._tokens)

    def _extend(self, part: ChoiceDeltaToolCall) -> None:
        call = self._call_of(part)
        if part.function is not None:
            call.name += part.function.name or ""
            call.arguments += part.function.arguments or ""

    def _call_of(self, part: ChoiceDeltaToolCall) -> _PartialCall:
        """The call that a part belongs to. Some servers number all calls 0, or give them no id."""
        for call in reversed(self._calls):
            if call.index == part.index and part.id in (None, "", call.id):
                return call
        self._calls.append(_PartialCall(part.index, part.id or f"call_{uuid.uuid4().hex}"))
        return self._calls[-1]
