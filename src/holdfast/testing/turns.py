"""What a scripted server plays: a turn is the blocks of an answer, or something that goes wrong."""

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
    """The server starts to answer, and the connection is cut after so many events of the stream."""

    blocks: Blocks
    after: int = 4


class Garbage(NamedTuple):
    """The server answers with status 200 and something that is no answer."""

    body: str = "<html>It works!</html>"
    kind: str = "text/html"


class Slow(NamedTuple):
    """The server answers in time, but waits before every piece of it."""

    blocks: Blocks
    seconds: float


Turn = Blocks | Failing | Dropped | Garbage | Slow


def broken_call(name: str, raw: str) -> Block:
    """A tool call whose arguments stream in as they are given, JSON or not."""
    return {"type": "tool_use", "name": name, "input": raw}


def action(tool: str, /, **fields: Any) -> Block:
    """An answer in the form of one JSON action, for models that call no tools."""
    return text(json.dumps({"tool": tool, **fields}, ensure_ascii=False))
