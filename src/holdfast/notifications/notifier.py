"""Follows a store, and notifies people of each event once."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ..errors import StoreError, StoreReplaced
from ..stores import Key, Record, Store
from ..stores.follow import News, StoreFollower
from .channels import Channel, NotSent
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


class NotifierSettings(NamedTuple):
    """Which events are sent, over which channels, and where that is recorded."""

    channels: Sequence[Channel]
    ledger: Ledger
    kinds: Collection[str]
    stalled_after: float


class Notifier:
    """Notifies people of what happens in a store, or in one of its sessions. `complain` is called with each problem.

    `place` is where the store is. It is a part of what identifies an event.
    """

    def __init__(
        self, store: Store, session: str | None, settings: NotifierSettings, complain: Callable[[str], None], place: str
    ) -> None:
        self._store, self._settings, self._complain, self._place = store, settings, complain, place
        self._news = News(store, session)

    def send_due(self) -> None:
        """Send what needs a person now."""
        self._send(events_due(self._store, self._news.boards))
        self._send_stalled()

    def _send_stalled(self) -> None:
        self._send(events_stalled(self._news.boards, time.time(), self._settings.stalled_after))

    def run(self) -> None:
        """Send what needs a person now, and then everything that comes, for ever."""
        woken = threading.Event()
        follower = StoreFollower(self._store, self._news.since, woken.set)
        self.send_due()
        while True:
            woken.wait(min(LOOK, self._settings.stalled_after))
            woken.clear()
            for heard in follower.take():
                self._hear(heard)
            self._send_stalled()

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
        for event in events:
            for channel in self._settings.channels if event.kind in self._settings.kinds else ():
                try:
                    self._send_once(event, channel)
                except NotSent as error:
                    self._complain(f"not sent: {event.title}: {error}")

    def _send_once(self, event: PlanEvent, channel: Channel) -> None:
        ledger, entry = self._settings.ledger, f"{self._origin(event)}\0{channel.name}"
        try:
            is_taken = ledger.take(entry)
        except OSError as error:
            raise NotSent(f"it cannot be recorded ({error.strerror}): {error.filename}") from error
        if is_taken:
            try:
                channel.send(event)
            except NotSent:
                ledger.give_back(entry)
                raise

    def _origin(self, event: PlanEvent) -> str:
        """An event by the place where its plan is kept: the same for whoever looks at one project, or at all."""
        place, key = self._place, event.key
        if isinstance(self._store, HasOrigins):
            place, key = self._store.origin(key)
        return "\0".join((place, event.kind, *key, event.number))
