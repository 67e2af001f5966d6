"""The rehearsal model: plays a script of turns, in place of a real model in tests, demos and docs."""

import copy
import json
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..board.tokens import compact, estimate
from ..errors import ModelError
from . import compaction
from .messages import Block, Definition, Message, ModelAnswer, OnText, text

__all__ = ["Rehearsal", "call", "read_script", "text", "with_call_id"]

SCRIPT_FORM = 'a list of turns, each a list of texts and of calls like {"bash": {"command": "ls"}}'


class Rehearsal:
    """Answers with the turns of a script, one after the other, and records what it was sent in `requests`.

    A request for a summary takes no turn: it is answered with `summary`. `pace` is how many seconds a word takes.
    """

    def __init__(
        self, turns: Iterable[Sequence[Block]], summary: str = "The work so far went well.", pace: float = 0.0
    ) -> None:
        self._turns = iter(turns)
        self._summary = summary
        self._pace = pace
        self.requests: list[dict[str, Any]] = []

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """The next turn of the script; after the last one, a text that says so."""
        sent = {"system": system, "messages": list(messages), "tools": list(tools)}
        self.requests.append(copy.deepcopy(sent))
        is_summary = system == compaction.SYSTEM
        turn = [text(self._summary)] if is_summary else next(self._turns, [text("The script ends here.")])
        blocks = [with_call_id(block, len(self.requests), place) for place, block in enumerate(turn, 1)]
        for block in blocks:
            if on_text is not None and block["type"] == "text":
                self._speak(block["text"], on_text)
        return ModelAnswer(blocks, estimate(compact(sent)), estimate(compact(blocks)))

    def _speak(self, words: str, on_text: OnText) -> None:
        for piece in re.findall(r"\S*\s*", words) if self._pace else [words]:
            on_text(piece)
            time.sleep(self._pace)


def call(name: str, /, **arguments: Any) -> Block:
    """A tool call; the rehearsal gives it an id."""
    return {"type": "tool_use", "name": name, "input": arguments}


def with_call_id(block: Block, request: int, place: int) -> Block:
    """A block of an answer. A call without an id gets one, from the request's number and its position in the answer."""
    return {"id": f"call_{request}_{place}", **block} if block["type"] == "tool_use" else dict(block)


def read_script(path: str) -> list[list[Block]]:
    """The turns in a JSON file: a list of turns, each a list of texts and of calls like `{"bash": {"command": "ls"}}`.

    Raises ModelError if the file cannot be read, or is not a script.
    """
    try:
        turns = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"no script in {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ModelError(f"no script in {path}: it is not JSON: {error}") from error
    try:
        return [[_block(item) for item in turn] for turn in turns]
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"no script in {path}: expected {SCRIPT_FORM}") from error


def _block(item: Any) -> Block:
    if isinstance(item, str):
        return text(item)
    ((name, arguments),) = item.items()
    return {"type": "tool_use", "name": name, "input": arguments}
