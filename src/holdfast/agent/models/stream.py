"""An answer that streams in: its text is passed on as it comes, and only a whole one counts."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from ..messages import Answer, OnText
from . import trouble

Event = TypeVar("Event", contravariant=True)


class Reading(Protocol[Event]):
    """An answer as it comes in, on one wire. It is `finished` once the server has said so."""

    finished: bool

    def take(self, event: Event, /) -> str:
        """Take one event in. Returns the piece of text in it; empty if there is none."""
        ...

    def answer(self) -> Answer:
        """The whole answer."""
        ...


def heard(reading: Reading[Event], events: Iterable[Event], on_text: OnText | None, place: trouble.Place) -> Answer:
    """The answer that events add up to. Raises Passing if they break off before it is whole."""
    for event in events:
        piece = reading.take(event)
        if piece and on_text is not None:
            on_text(piece)
    if not reading.finished:
        raise trouble.broken_off(place)
    return reading.answer()
