"""What a provider's prompt cache finds again of the requests of a run, by the provider's own rule, in characters."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from adapter_driver import WORK, Request, Step, mark, write
from docs_table import DOCS

from holdfast.testing import call, text

STEPS: Sequence[Step] = (
    [write("A", "B", "C")],
    *(step for id in "123" for step in ([WORK], [WORK], [mark(id)])),
    "Done.",
)
"""A run of eleven requests, in which every request ends with a reminder under `rail`."""

TURNS = [
    [text(step)] if isinstance(step, str) else [call(each.name, **each.arguments) for each in step] for step in STEPS
]
"""The same for a scripted model behind an API."""

LOOKED_BACK = 20
"""How many blocks before a mark the Messages API looks for a beginning that it knows."""


class CacheUse(NamedTuple):
    """How many characters were read from the cache, of how many that were sent."""

    hit: int
    sent: int

    @property
    def percent(self) -> int:
        """The share of a hundred."""
        return round(100 * self.hit / self.sent)


def by_prefix(requests: Iterable[Request]) -> CacheUse:
    """OpenAI's and Gemini's rule: the longest beginning that an earlier request had, without any mark."""
    return _used((_blocks(request), range(len(request.messages) + 2)) for request in requests)


def by_marks(bodies: Iterable[Mapping[str, Any]]) -> CacheUse:
    """The Messages API's rule: what ended at a mark of an earlier request, at a mark of this one or a little before."""
    return _used(_marked(body) for body in bodies)


def marked_at_the_end(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same request as a library sends it that marks the last block, whatever that is."""
    messages = json.loads(json.dumps(body["messages"]), object_hook=_unmarked)
    return {**body, "messages": messages, "cache_control": {"type": "ephemeral"}}


def told_of(framework: str) -> tuple[int, int]:
    """What the docs say of a framework by that rule: in percent, and with a mark on the reminder."""
    page = (DOCS / "frameworks.md").read_text(encoding="utf-8")
    found = re.search(rf"(\d+)% in {framework}\b.*?\((\d+)% with", page, re.DOTALL)
    assert found is not None, f"frameworks.md says nothing of {framework}"
    return int(found[1]), int(found[2])


def _used(requests: Iterable[tuple[Sequence[str], Sequence[int]]]) -> CacheUse:
    """Each request has blocks, and the places that it marks: its beginning up to there is kept."""
    kept: set[tuple[str, ...]] = set()
    hit = sent = 0
    for blocks, marks in requests:
        ends = {end for mark in marks for end in range(mark, max(mark - LOOKED_BACK, -1), -1)}
        found = max((end for end in ends if tuple(blocks[: end + 1]) in kept), default=-1)
        hit += sum(map(len, blocks[: found + 1]))
        sent += sum(map(len, blocks))
        kept.update(tuple(blocks[: mark + 1]) for mark in marks)
    return CacheUse(hit, sent)


def _blocks(request: Request) -> list[str]:
    return [request.tools, request.system, *request.messages]


def _marked(body: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    """The blocks of a request in the order of its cache, and which of them are marked."""
    parts = [*body.get("tools", ()), *_contents(body.get("system", ()))]
    parts += [
        {"role": message["role"], **part} for message in body["messages"] for part in _contents(message["content"])
    ]
    marks = [at for at, part in enumerate(parts) if "cache_control" in part]
    if "cache_control" in body:
        marks.append(len(parts) - 1)
    return [json.dumps(_unmarked(part), ensure_ascii=False) for part in parts], marks


def _contents(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _unmarked(part: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != "cache_control"}
