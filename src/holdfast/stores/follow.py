"""Following a store: what a live view knows of its boards, and the one loop that hears of their changes.

The loop survives what happens to a store: a record that is damaged, a file that was replaced, a store that is away for
a while. Each is passed on as the error that describes it, and the changes after it are heard.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from heapq import merge
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ..errors import DamagedRecord, StoreError, StoreReplaced
from ..plan import Plan
from . import Key, Record, Store, StoredPlan
from .damage import PlanOrDamage, damaged_records, readable, sessions_with_damage
from .damage import follow as follow_once
from .newest import boards_of
from .store import KnowsPosition

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop  # slow to load, and not needed in a terminal

REMEMBERED = 20
"""How many recent changes a view remembers."""

RETRY = 1.0
"""How many seconds to wait before a store that failed is asked again."""


MOST_KNOWN = 500
"""How many boards a view of a whole store knows: those that were changed last."""

FIRST_KNOWN = 60
"""How many of them are read before anything is shown: more than a screen has room for. The others follow."""


class News:
    """The boards of a store, or of one session, as of the last change that was heard; and the recent changes.

    Of a store with very many boards, it has the `MOST_KNOWN` that were changed last; `is_whole` says whether all of
    these were read. `damaged` has the boards that cannot be read in full, and why.
    """

    def __init__(self, store: Store, session: str | None = None, most: int = MOST_KNOWN) -> None:
        self._session = session
        self.version = 0
        """Grows with everything that is learned."""
        self.read(store, most)

    def read(self, store: Store, most: int = MOST_KNOWN) -> None:
        """Read the store as it is now, and forget what was known before. Raises StoreError.

        Of a whole store at most so many boards are read, without archived ones.
        """
        if self._session is None:
            boards, since = boards_and_position(store, most, archived=False)
        else:
            since = newest_sequence(store)  # before the plans: a change in between is heard again, and known
            boards = boards_of(store, self._session)
        self.since = since
        self.is_whole = self._session is not None or len(boards) < most or most >= MOST_KNOWN
        self.damaged = {Key(*error.key): error for error in damaged_records(boards)}
        self._plans = dict(readable(boards)[::-1])
        recent = (record for record in self._recent(store) if record.sequence <= self.since)
        self.records = deque(recent, maxlen=REMEMBERED)
        self.version += 1

    @property
    def boards(self) -> Iterator[StoredPlan]:
        """Every board with its plan."""
        return (StoredPlan(key, plan) for key, plan in self._plans.items())

    def hear(self, record: Record) -> bool:
        """Learn of a change. Returns whether it is new, and belongs to what is watched."""
        if not self._concerns(record.key) or record.sequence <= self.since:
            return False
        self.since = record.sequence
        if record.change.after.is_deleted:
            self._forget(record.key)
        self.records.appendleft(record)
        self.know(record.key, record.change.after)
        return True

    def _forget(self, key: Key) -> None:
        """What was deleted is not shown any more, in the recent changes neither."""
        kept = [record for record in self.records if record.key != key]
        self.records = deque(kept, maxlen=REMEMBERED)

    def know(self, key: Key, plan: Plan) -> None:
        """Learn of a plan, unless a newer one is known."""
        known = self._plans.get(key)
        if known is None:
            self.damaged.pop(key, None)  # it was repaired or set aside: it starts again
        if known is None or plan.revision > known.revision:
            self._plans.pop(key, None)  # they are kept in the order of their last change
            if self._session is not None or not plan.is_archived:  # an archived plan takes no place
                self._plans[key] = plan
            if len(self._plans) > MOST_KNOWN:
                del self._plans[next(iter(self._plans))]
            self.version += 1

    def _concerns(self, key: Key) -> bool:
        return self._session is None or key.session == self._session

    def _recent(self, store: Store) -> Iterator[Record]:
        """The newest changes of the boards that changed last, newest first."""
        histories = [self._readable(store.history(key)) for key in islice(reversed(self._plans), REMEMBERED)]
        return islice(merge(*histories, key=lambda record: -record.change.after.updated_at), REMEMBERED)

    def _readable(self, history: Iterator[Record]) -> Iterator[Record]:
        """The newest changes of a board, as far back as they can be read."""
        try:
            yield from islice(history, REMEMBERED)
        except DamagedRecord as error:
            self.damaged[Key(*error.key)] = error


def boards_and_position(store: Store, most: int, archived: bool = True) -> tuple[list[PlanOrDamage], int]:
    """The boards that were changed last, the damaged ones too, and the sequence after which a follower misses nothing.

    Of many boards they are so many; archived ones only if `archived`.
    """
    position = newest_sequence(store)  # before the boards: a change in between is heard again, and known
    return sessions_with_damage(store, most, archived), position


def newest_sequence(store: Store) -> int:
    """The sequence of the newest change in a store: a follower of what comes starts after it."""
    return store.position() if isinstance(store, KnowsPosition) else _newest_by_history(store)


def _newest_by_history(store: Store) -> int:
    """The sequence of the newest change of the board that was changed last."""
    for board in sessions_with_damage(store, 1):
        if isinstance(board, DamagedRecord):  # it still has its sequence
            return board.sequence
        try:
            return next((record.sequence for record in store.history(board.key)), 0)
        except DamagedRecord as error:
            return error.sequence
    return 0


def follow(
    store: Store, since: int, pause: float | None = None, is_over: Callable[[], bool] = lambda: False
) -> Iterator[Record | StoreError]:
    """Each change after the sequence `since`, as it comes, and each trouble with the store, until the store is closed.

    A damaged record comes as DamagedRecord, another store in the same place as StoreReplaced; its changes follow, from
    the first one. After any other StoreError the store is asked again, a moment later. With a `pause`, `is_over` is
    asked whenever the store was quiet for so many seconds, and whenever something came.
    """
    while not is_over():
        asked_at = time.monotonic()
        try:
            for news in follow_once(store, since, pause):
                since = news.sequence
                yield news
                if is_over():
                    return
            if pause is None or time.monotonic() - asked_at < pause / 2:
                return  # it ended before its time: the store was closed
        except StoreReplaced as error:
            since = 0
            yield error
        except StoreError as error:
            yield error
            time.sleep(RETRY)


class StoreFollower:
    """Follows a store in a thread of its own. It keeps what it hears for `take`, and calls `wake` each time.

    It ends when it is closed or the store is. An error that is no StoreError is passed on, and ends it, too.
    """

    def __init__(self, store: Store, since: int, wake: Callable[[], None], pause: float | None = None) -> None:
        self._heard: SimpleQueue[Record | Exception] = SimpleQueue()
        self._wake = wake
        self._is_closed = False
        threading.Thread(target=self._run, args=(store, since, pause), name="holdfast follower", daemon=True).start()

    def take(self) -> Iterator[Record | Exception]:
        """What was heard since the last call."""
        while not self._heard.empty():
            yield self._heard.get()

    def close(self) -> None:
        """Hear no more. The thread ends with the next change or after its pause, whichever comes first."""
        self._is_closed = True

    def _run(self, store: Store, since: int, pause: float | None) -> None:
        try:
            for news in follow(store, since, pause, lambda: self._is_closed):
                self._add(news)
        except Exception as error:
            self._add(error)

    def _add(self, news: Record | Exception) -> None:
        if not self._is_closed:
            self._heard.put(news)
            self._wake()


def wake_in(loop: "AbstractEventLoop", act: Callable[[], None]) -> Callable[[], None]:
    """What a follower may call to have `act` run in an event loop. It does nothing once the loop is closed."""

    def wake() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(act)

    return wake
