"""Follows a store, and tells of what a person should know, once each."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ..errors import StoreError, StoreReplaced
from ..stores import Key, Record, Store
from ..stores.follow import News, StoreFollower
from .channels import Channel, NotTold
from .events import PlanEvent, events_due, events_of, events_stalled
from .ledger import Ledger


@runtime_checkable
class HasOrigins(Protocol):
    """What a store of several others can say in addition."""

    def origin(self, key: Key) -> tuple[str, Key]:
        """Where a board is kept, and what it is called there."""
        ...


LOOK = 5.0
"""After how many quiet seconds to look for agents that have stalled."""


class Telling(NamedTuple):
    """What is told, how, and where it is remembered."""

    channels: Sequence[Channel]
    ledger: Ledger
    kinds: Collection[str]
    stalled_after: float


class Teller:
    """Tells of what happens in a store, or in one of its sessions. `complain` hears of trouble.

    `place` is where the store is: what is told of a plan is remembered under the place that it is kept in.
    """

    def __init__(
        self, store: Store, session: str | None, telling: Telling, complain: Callable[[str], None], place: str
    ) -> None:
        self._store, self._telling, self._complain, self._place = store, telling, complain, place
        self._news = News(store, session)

    def tell_due(self) -> None:
        """Tell of what needs a person now."""
        self._send(events_due(self._store, self._news.boards))
        self._tell_stalled()

    def _tell_stalled(self) -> None:
        self._send(events_stalled(self._news.boards, time.time(), self._telling.stalled_after))

    def run(self) -> None:
        """Tell of what needs a person now, and of everything that comes, for ever."""
        woken = threading.Event()
        follower = StoreFollower(self._store, self._news.since, woken.set)
        self.tell_due()
        while True:
            woken.wait(min(LOOK, self._telling.stalled_after))
            woken.clear()
            for heard in follower.take():
                self._hear(heard)
            self._tell_stalled()

    def _hear(self, heard: Record | Exception) -> None:
        if isinstance(heard, Record):
            if self._news.hear(heard):
                self._send(events_of(heard))
        elif isinstance(heard, StoreReplaced):
            self._news.read(self._store)
        elif isinstance(heard, StoreError):
            self._complain(str(heard))
        else:
            raise heard

    def _send(self, events: Iterable[PlanEvent]) -> None:
        channels, ledger, kinds, _ = self._telling
        for event in events:
            for channel in channels if event.kind in kinds else ():
                entry = f"{self._origin(event)}\0{channel.name}"
                if not ledger.take(entry):
                    continue
                try:
                    channel.send(event)
                except NotTold as error:
                    ledger.give_back(entry)
                    self._complain(f"not told, {event.title}: {error}")

    def _origin(self, event: PlanEvent) -> str:
        """An event by the place where its plan is kept: the same for whoever looks at one project, or at all."""
        place, key = self._place, event.key
        if isinstance(self._store, HasOrigins):
            place, key = self._store.origin(key)
        return "\0".join((place, event.kind, *key, event.number))
