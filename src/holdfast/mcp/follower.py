"""Hearing of the changes in a store, whoever makes them, for as long as somebody listens."""

import logging
from collections.abc import Callable, Iterator

import anyio
from anyio import CapacityLimiter, to_thread
from anyio.abc import TaskGroup

from ..errors import DamagedRecord, HoldfastError, StoreReplaced
from ..stores import Record, Store
from ..stores.damage import follow, sessions_with_damage
from ..stores.follow import as_of

Hearer = Callable[[Record], None]

PAUSE = 0.5
"""How many seconds a look at the store takes at most: so long a server that ends may have to wait for it."""

RETRY = 1.0
"""How many seconds to wait before a store that failed is asked again."""

_log = logging.getLogger("holdfast")


class Follower:
    """Follows one store, in a thread, while there are hearers. They are called on the event loop; none may raise."""

    def __init__(self, store: Store, tasks: TaskGroup) -> None:
        self._store = store
        self._tasks = tasks
        self._hearers: dict[object, Hearer] = {}
        self._records: Iterator[Record | DamagedRecord] | None = None
        self._since = 0
        self._runs = False
        self._threads = CapacityLimiter(1)

    async def ready(self) -> None:
        """Come up to date: a hearer that is added next hears of every change from now on. Raises StoreError."""
        if not self._runs:
            since = await to_thread.run_sync(lambda: as_of(self._store, sessions_with_damage(self._store)))
            if not self._runs:
                self._since = since

    def add(self, hearer: Hearer) -> Callable[[], None]:
        """Let somebody hear of changes; call what is returned to end that."""
        token = object()
        self._hearers[token] = hearer
        if not self._runs:
            self._runs = True
            self._tasks.start_soon(self._follow)

        def remove() -> None:
            self._hearers.pop(token, None)

        return remove

    def __len__(self) -> int:
        """How many hear of changes."""
        return len(self._hearers)

    async def _follow(self) -> None:
        while self._hearers:
            try:
                record = await to_thread.run_sync(self._look, abandon_on_cancel=True, limiter=self._threads)
            except StoreReplaced as error:
                _log.warning("holdfast: %s; its changes are heard of from now on", error)
                self._records, self._since = None, 0
            except HoldfastError as error:
                _log.warning("holdfast: changes cannot be heard of now: %s", error)
                self._records = None
                await anyio.sleep(RETRY)
            else:
                self._tell(record)
        self._runs = False

    def _look(self) -> Record | DamagedRecord | None:
        """The next change; none if there was none for a while."""
        if self._records is None:
            self._records = follow(self._store, self._since, PAUSE)
        return next(self._records, None)

    def _tell(self, record: Record | DamagedRecord | None) -> None:
        if record is None:
            self._records = None
            return
        self._since = record.sequence
        if isinstance(record, DamagedRecord):
            _log.warning("holdfast: a change cannot be read: %s", record)
            return
        for hearer in list(self._hearers.values()):
            hearer(record)
