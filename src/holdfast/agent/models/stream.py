"""An answer that streams in: its text is passed on as it comes, and only a whole answer counts."""

import json
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from ..messages import UNREADABLE, ModelAnswer, OnText
from .sdk_errors import ModelSource, broken_stream

StreamEvent = TypeVar("StreamEvent", contravariant=True)


class AnswerReader(Protocol[StreamEvent]):
    """Builds an answer from the events of one API. It is `finished` once the server has said so."""

    finished: bool

    def add(self, event: StreamEvent, /) -> str:
        """Add one event. Returns the piece of text in it; empty if there is none."""
        ...

    def answer(self) -> ModelAnswer:
        """The whole answer."""
        ...


def read_stream(
    reader: AnswerReader[StreamEvent], events: Iterable[StreamEvent], on_text: OnText | None, source: ModelSource
) -> ModelAnswer:
    """The answer that events add up to. Raises TransientError if they break off before it is whole."""
    for event in events:
        piece = reader.add(event)
        if piece and on_text is not None:
            on_text(piece)
    if not reader.finished:
        raise broken_stream(source)
    return reader.answer()


def read_arguments(raw: str) -> dict[str, Any]:
    """A call's input, as a model wrote it. What is not a JSON object goes under UNREADABLE: the loop answers that."""
    if not raw.strip():
        return {}
    try:
        arguments = json.loads(raw)
    except (ValueError, RecursionError):
        return {UNREADABLE: raw}
    return arguments if isinstance(arguments, dict) else {UNREADABLE: raw}
