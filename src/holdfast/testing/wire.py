"""What the server needs of each API: how a request is checked, and what an answer looks like."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from ..agent.messages import Block
from ..board.tokens import estimate

JSON = dict[str, Any]


class APIRefusal(Exception):
    """A request that the real API refuses, with its status and its message."""

    def __init__(self, message: str, status: int = 400, code: str | None = None, after: float | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.code, self.after = message, status, code, after


class ScriptedAnswer(NamedTuple):
    """An answer of the script: its number, the model, its blocks, and the tokens of the request."""

    number: int
    model: str
    blocks: Sequence[Block]
    tokens_in: int

    @property
    def tokens_out(self) -> int:
        """About how many tokens the answer is."""
        return estimate(json.dumps(list(self.blocks), ensure_ascii=False))

    @property
    def calls_tools(self) -> bool:
        """Whether a tool is called in it."""
        return any(block["type"] == "tool_use" for block in self.blocks)


class Wire(Protocol):
    """One API's format."""

    def check_request(self, body: JSON, strict: bool) -> None:
        """Raises APIRefusal for a request that the API refuses; if `strict`, for unknown tools in the history too."""
        ...

    def error_body(self, refusal: APIRefusal) -> JSON:
        """The body of an error."""
        ...

    def answer_body(self, answer: ScriptedAnswer) -> JSON:
        """The body of an answer that is not streamed."""
        ...

    def answer_events(self, answer: ScriptedAnswer) -> Iterator[bytes]:
        """The events of a streamed answer."""
        ...


def require(condition: object, message: str, code: str | None = None) -> None:
    """Raises APIRefusal with this message unless the condition holds."""
    if not condition:
        raise APIRefusal(message, code=code)


def require_objects(value: object, at: str) -> list[JSON]:
    """The value, which must be a list of objects. Raises APIRefusal if it is not."""
    require(isinstance(value, list) and all(isinstance(part, dict) for part in value), f"{at}: expected objects")
    assert isinstance(value, list)
    return value


def text_pieces(text: str) -> list[str]:
    """A text in pieces, for a stream."""
    return re.findall(r"\S+\s*|\s+", text)


def arguments_text(block: Block) -> str:
    """A call's arguments as the model writes them: JSON, or the text that the script gives."""
    given = block["input"]
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def argument_pieces(block: Block) -> list[str]:
    """A call's arguments in pieces, for a stream."""
    raw = arguments_text(block)
    return [raw[start : start + 12] for start in range(0, len(raw), 12)]
