"""The turns of a script: each is the blocks of an answer, or something that goes wrong."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..agent.messages import Block
from ..agent.rehearsal import text

Blocks = Sequence[Block]


class Failing(NamedTuple):
    """The server refuses: 429 with `retry_after` seconds, 500, 529, or any other status."""

    status: int
    message: str = "scripted failure"
    retry_after: float | None = None
    code: str | None = None


class Dropped(NamedTuple):
    """The server starts to answer, and the connection is cut after `after` events of the stream."""

    blocks: Blocks
    after: int = 4


class Garbage(NamedTuple):
    """The server sends status 200 and something that is not an answer."""

    body: str = "<html>It works!</html>"
    kind: str = "text/html"


class Slow(NamedTuple):
    """The server answers, but waits before every piece of the answer."""

    blocks: Blocks
    seconds: float


ScriptedTurn = Blocks | Failing | Dropped | Garbage | Slow


def broken_call(name: str, raw: str) -> Block:
    """A tool call with these raw arguments, JSON or not."""
    return {"type": "tool_use", "name": name, "input": raw}


def action(tool: str, /, **fields: Any) -> Block:
    """An answer that is one JSON action, for models that cannot call tools."""
    return text(json.dumps({"tool": tool, **fields}, ensure_ascii=False))
