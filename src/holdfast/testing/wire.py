"""What a wire format is to the server: how a request is checked, and what an answer looks like."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from ..agent.messages import Block
from ..board.tokens import estimate

JSON = dict[str, Any]


class Refusal(Exception):
    """A request that the real API refuses, with its status and its words."""

    def __init__(self, message: str, status: int = 400, code: str | None = None, after: float | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.code, self.after = message, status, code, after


class Spoken(NamedTuple):
    """An answer about to be sent: which one it is, whose, what it says, and what was read for it."""

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

    def check(self, body: JSON, strict: bool) -> None:
        """Raises Refusal for a request that the real API refuses; if `strict`, for unknown tools in the history too."""
        ...

    def fit(self, body: JSON, blocks: Sequence[Block]) -> None:
        """Raises Refusal for an answer that the request rules out: the script is wrong."""
        ...

    def error(self, refusal: Refusal) -> JSON:
        """The body of an error."""
        ...

    def whole(self, spoken: Spoken) -> JSON:
        """The body of an answer that is not streamed."""
        ...

    def events(self, spoken: Spoken) -> Iterator[bytes]:
        """The events of an answer that is."""
        ...


def require(condition: object, message: str, code: str | None = None) -> None:
    """Raises Refusal with this message unless the condition holds."""
    if not condition:
        raise Refusal(message, code=code)


def objects(value: object, at: str) -> list[JSON]:
    """A value that is a list of objects. Raises Refusal for one that is not."""
    require(isinstance(value, list) and all(isinstance(part, dict) for part in value), f"{at}: expected objects")
    assert isinstance(value, list)
    return value


def words(text: str) -> list[str]:
    """A text in pieces, as a stream has it."""
    return re.findall(r"\S+\s*|\s+", text)


def arguments(block: Block) -> str:
    """A call's arguments as the model writes them: JSON, unless the script has them as a text."""
    given = block["input"]
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def argument_pieces(block: Block) -> list[str]:
    """A call's arguments in pieces, as a stream has them."""
    raw = arguments(block)
    return [raw[start : start + 12] for start in range(0, len(raw), 12)]
