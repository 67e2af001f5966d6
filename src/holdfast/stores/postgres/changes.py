"""Following the changes of a namespace, as they come."""

import time
from collections.abc import Callable, Iterator

from ...errors import StoreError
from ..deltas import ChangeRow, WatchedPlans
from ..store import Key, Record
from .names import from_text
from .notifications import HEARTBEAT, NotificationListener


def follow(
    at: int,
    timeout: float | None,
    rows_after: Callable[[int], list[ChangeRow]],
    watched: WatchedPlans,
    listener: NotificationListener,
    is_over: Callable[[], bool],
) -> Iterator[Record]:
    """Each change after the sequence `at`, until `timeout` seconds pass without one, or `is_over`. Raises StoreError.

    `rows_after` reads the changes after a sequence.
    """
    quiet_since = time.monotonic()
    try:
        while not is_over():
            rows = rows_after(at)
            for row in rows:
                at = row.sequence
                record = watched.record(row, Key(from_text(row.session), from_text(row.agent)))
                if record is not None:
                    yield record
            if rows:
                quiet_since = time.monotonic()
            elif timeout is not None and time.monotonic() - quiet_since >= timeout:
                return
            elif listener.is_ready:
                listener.wait(HEARTBEAT if timeout is None else quiet_since + timeout - time.monotonic(), is_over)
            else:
                listener.listen()
    except StoreError:
        if not is_over():  # otherwise the store was closed while it read or tried to connect
            raise
    finally:
        listener.close()
