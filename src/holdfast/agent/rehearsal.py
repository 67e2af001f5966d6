"""The rehearsal model: plays a script of turns. It stands in for a real one in tests, demos and docs, and says so."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .loop import Answer, Block, Message


class Rehearsal:
    """Answers with the turns of a script, one after the other, and keeps what it was sent in `requests`."""

    def __init__(self, turns: Iterable[Sequence[Block]]) -> None:
        self._turns = iter(turns)
        self.requests: list[dict[str, Any]] = []

    def query(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """The next turn of the script; when there is none left, a word of goodbye."""
        self.requests.append(copy.deepcopy({"system": system, "messages": list(messages), "tools": list(tools)}))
        turn = next(self._turns, [text("The script ends here.")])
        blocks = [self._named(place, block) for place, block in enumerate(turn, 1)]
        for block in blocks:
            if on_text is not None and block["type"] == "text":
                on_text(block["text"])
        return Answer(blocks)

    def _named(self, place: int, block: Block) -> Block:
        return {"id": f"call_{len(self.requests)}_{place}", **block} if block["type"] == "tool_use" else dict(block)


def text(words: str) -> Block:
    """A block of text."""
    return {"type": "text", "text": words}


def call(name: str, /, **arguments: Any) -> Block:
    """A tool call; the model gives it its id."""
    return {"type": "tool_use", "name": name, "input": arguments}
