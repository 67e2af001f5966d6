"""Following the changes of a namespace, as they come."""

import time
from collections.abc import Callable, Iterator

from ...errors import StoreError
from ..deltas import ChangeRow, WatchedPlans
from ..store import Key, Record
from .names import from_text
from .notifications import HEARTBEAT, NotificationListener


class ChangeFollower:
    """Follows a namespace: `after` reads the changes after a sequence, `is_over` says when to stop."""

    def __init__(
        self,
        after: Callable[[int], list[ChangeRow]],
        watched: WatchedPlans,
        listener: NotificationListener,
        is_over: Callable[[], bool],
    ) -> None:
        self._after = after
        self._watched = watched
        self._listener = listener
        self._is_over = is_over

    def follow(self, at: int, timeout: float | None) -> Iterator[Record]:
        """Each change after the sequence `at`, until `timeout` seconds pass without one. Raises StoreError."""
        try:
            yield from self._changes(at, timeout)
        except StoreError:
            if not self._is_over():  # otherwise the store was closed while it read or tried to connect
                raise
        finally:
            self._listener.close()

    def _changes(self, at: int, timeout: float | None) -> Iterator[Record]:
        quiet_since = time.monotonic()
        while not self._is_over():
            rows = self._after(at)
            for row in rows:
                at = row.sequence
                record = self._watched.record(row, Key(from_text(row.session), from_text(row.agent)))
                if record is not None:
                    yield record
            if rows:
                quiet_since = time.monotonic()
            elif timeout is not None and time.monotonic() - quiet_since >= timeout:
                return
            elif self._listener.is_ready:
                left = HEARTBEAT if timeout is None else quiet_since + timeout - time.monotonic()
                self._listener.wait(left, self._is_over)
            else:
                self._listener.listen()
