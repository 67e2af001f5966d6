"""What a live view knows of the boards, and the thread that hears of their changes."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import islice
from queue import SimpleQueue

from ..errors import DamagedRecord, StoreError, StoreReplaced
from ..plan import Plan
from . import Key, Record, Store, StoredPlan
from .damage import PlanOrDamage, damaged_records, follow, readable, sessions_with_damage

REMEMBERED = 20
"""How many recent changes are kept in mind."""

RETRY = 1.0
"""How many seconds to wait before a store that failed is asked again."""


class News:
    """Every board of a store, or of one of its sessions, as of the last change heard of; and the recent changes.

    `damaged` has the boards of which something cannot be read, and why.
    """

    def __init__(self, store: Store, session: str | None = None) -> None:
        self._session = session
        self.version = 0
        """Counts what was taken in."""
        self.read(store)

    def read(self, store: Store) -> None:
        """Know what is in the store now, and nothing of before. Raises StoreError."""
        everything = sessions_with_damage(store)
        self.since = as_of(store, everything)
        concerned = [board for board in everything if self._concerns(Key(*board.key))]
        self.damaged = {Key(*error.key): error for error in damaged_records(concerned)}
        self._plans = dict(readable(concerned))
        recent = (record for record in self._recent(store) if record.sequence <= self.since)
        self.records = deque(recent, maxlen=REMEMBERED)
        self.version += 1

    @property
    def kept(self) -> Iterator[StoredPlan]:
        """Every board with its plan."""
        return (StoredPlan(key, plan) for key, plan in self._plans.items())

    def hear(self, record: Record) -> bool:
        """Take in a change; whether it concerns what is watched, and is new."""
        if not self._concerns(record.key) or record.sequence <= self.since:
            return False
        self.since = record.sequence
        self.records.appendleft(record)
        self.know(record.key, record.change.after)
        return True

    def know(self, key: Key, plan: Plan) -> None:
        """Take in a plan, unless a newer one is known."""
        known = self._plans.get(key)
        if known is None:
            self.damaged.pop(key, None)  # it was set aside or mended, and begins anew
        if known is None or plan.revision > known.revision:
            self._plans[key] = plan
            self.version += 1

    def _concerns(self, key: Key) -> bool:
        return self._session is None or key.session == self._session

    def _recent(self, store: Store) -> Iterator[Record]:
        """The newest changes of the boards changed last, the newest first."""
        histories = [self._readable(store.history(key)) for key in islice(self._plans, REMEMBERED)]
        return islice(merge(*histories, key=lambda record: -record.sequence), REMEMBERED)

    def _readable(self, history: Iterator[Record]) -> Iterator[Record]:
        """The newest changes of a board, up to one that is damaged."""
        try:
            yield from islice(history, REMEMBERED)
        except DamagedRecord as error:
            self.damaged[Key(*error.key)] = error


def as_of(store: Store, boards: Sequence[PlanOrDamage]) -> int:
    """The sequence of the last change that is in what a store has, as found; what comes after it is still to be heard.

    The board changed last is the first; if its newest change cannot be read, that is still known by its sequence.
    """
    for board in boards[:1]:
        if isinstance(board, DamagedRecord):
            return board.sequence
        try:
            for record in store.history(board.key):
                if record.change.after.revision <= board.plan.revision:
                    return record.sequence
        except DamagedRecord as error:
            return error.sequence
    return 0


class Listener:
    """Follows a store in a thread of its own. It keeps what it hears until it is taken, and calls `wake`.

    A record that is damaged is told, and those after it are heard. Another store in the place of the first is told, and
    heard from its beginning. A store in trouble is told, and asked again; any other error is told, and ends it.
    """

    def __init__(self, store: Store, since: int, wake: Callable[[], None]) -> None:
        self._heard: SimpleQueue[Record | Exception] = SimpleQueue()
        self._store = store
        self._since = since
        self._wake = wake
        threading.Thread(target=self._listen, name="holdfast listener", daemon=True).start()

    def take(self) -> Iterator[Record | Exception]:
        """What was heard since the last call."""
        while not self._heard.empty():
            yield self._heard.get()

    def _listen(self) -> None:
        while True:
            try:
                for news in follow(self._store, self._since):
                    self._since = news.sequence
                    self._tell(news)
                return  # the store was closed
            except StoreReplaced as error:
                self._since = 0
                self._tell(error)
            except StoreError as error:
                self._tell(error)
                time.sleep(RETRY)
            except Exception as error:
                self._tell(error)
                return

    def _tell(self, news: Record | Exception) -> None:
        self._heard.put(news)
        self._wake()
