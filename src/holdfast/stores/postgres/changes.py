"""Following the changes of a namespace, as they come.

Writers do not wait for each other, so a change may be seen before one with a lower number. A watcher tells changes in
the order of their numbers: at a gap it waits until the missing change is there, or it is settled that it never will be.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from ...errors import StoreError
from ..deltas import ChangeRow, WatchedPlans
from ..store import Key, Record
from .names import from_text
from .notifications import HEARTBEAT, NotificationListener

LOOK_PAUSE = 0.02
"""How many seconds pass at least between two looks, so that many writers do not make a watcher look for each write."""

GAP_PAUSE = 0.1
"""For how many seconds a number may be missing before we ask whether its change will still come."""

LONGEST_GAP_PAUSE = 5.0
"""How many seconds pass at most between two such questions."""

EARLIEST = date.min
_MARGIN = timedelta(days=31)
"""How far the clock of the server may be set back without a change being overlooked."""


class Position(NamedTuple):
    """Where a watcher starts: after a sequence, but for some changes that were there already."""

    sequence: int
    known: frozenset[int] = frozenset()


class WatchedRow(NamedTuple):
    """A change as a watcher reads it: up to where everything is settled, its month, and the change."""

    settled: int
    month: date
    change: ChangeRow

    @classmethod
    def of(cls, row: Sequence[Any]) -> "WatchedRow":
        """A row of the statement `forward`."""
        return cls(row[0], row[1], ChangeRow(*row[2:]))


def position_of(rows: Sequence[Sequence[Any]]) -> Position:
    """Where a watcher starts that is told of everything from now on, by the rows of the statement `unsettled`."""
    at = int(rows[0][0]) if rows else 0
    known = [int(sequence) for _, sequence in rows if sequence is not None]
    for sequence in known:
        if sequence != at + 1:
            break
        at = sequence
    return Position(at, frozenset(sequence for sequence in known if sequence > at))


def before_gap(rows: Sequence[WatchedRow], at: int) -> Sequence[WatchedRow]:
    """The rows after the sequence `at` that no other can come before any more."""
    for place, row in enumerate(rows):
        if row.change.sequence - 1 > max(at, row.settled):
            return rows[:place]
        at = row.change.sequence
    return rows


def follow(
    start: Position,
    timeout: float | None,
    rows_after: Callable[[int, date], list[WatchedRow]],
    settle: Callable[[], None],
    watched: WatchedPlans,
    listener: NotificationListener,
    is_over: Callable[[], bool],
) -> Iterator[Record]:
    """Each change after a start, until `timeout` seconds pass without one, or `is_over`. Raises StoreError.

    `rows_after` reads the changes after a sequence, from a month on; `settle` finds out whether missing ones will come.
    """
    at, month = start.sequence, EARLIEST
    pause = _Pause(timeout, _Gap(settle), listener, is_over)
    try:
        while not is_over():
            rows = rows_after(at, month)
            pause.looked_at = time.monotonic()
            ready = before_gap(rows, at)
            for row in ready:
                at, month = row.change.sequence, max(month, row.month - _MARGIN)
                key = Key(from_text(row.change.session), from_text(row.change.agent))
                record = None if at in start.known else watched.record(row.change, key)
                if record is not None:
                    yield record
            if not pause.go_on(bool(rows), bool(ready)):
                return
    except StoreError:
        if not is_over():  # otherwise the store was closed while it read or tried to connect
            raise
    finally:
        listener.close()


class _Pause:
    """The time between two looks of a watcher: it waits for what comes, and knows when nothing came for too long."""

    def __init__(
        self, timeout: float | None, gap: "_Gap", listener: NotificationListener, is_over: Callable[[], bool]
    ) -> None:
        self._timeout = timeout
        self._gap = gap
        self._listener = listener
        self._is_over = is_over
        self._quiet_since = self.looked_at = time.monotonic()

    def go_on(self, has_rows: bool, has_ready: bool) -> bool:
        """Wait, unless changes were told; returns whether to look again."""
        now = time.monotonic()
        is_late = self._timeout is not None and now - self._quiet_since >= self._timeout
        if has_ready:
            self._quiet_since = now
            self._gap.close()
        elif is_late and (not has_rows or self._gap.was_asked_about):
            return False
        elif has_rows:
            self._gap.wait(is_late)
        elif self._listener.is_ready:
            left = HEARTBEAT if self._timeout is None else self._quiet_since + self._timeout - now
            self._listener.wait(left, self._is_over)
            time.sleep(max(0.0, min(LOOK_PAUSE, self.looked_at + LOOK_PAUSE - time.monotonic())))
        else:
            self._listener.listen()
        return True


class _Gap:
    """A missing number: usually for a moment, but for good if its writer was killed."""

    def __init__(self, settle: Callable[[], None]) -> None:
        self._settle = settle
        self.close()

    def close(self) -> None:
        """It is over."""
        self._since: float | None = None
        self._pause = GAP_PAUSE
        self.was_asked_about = False

    def wait(self, is_late: bool) -> None:
        """Wait for a moment; if it lasts too long, ask whether the change will come."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if is_late or now - self._since >= self._pause:
            self._settle()
            self._since, self._pause = time.monotonic(), min(self._pause * 2, LONGEST_GAP_PAUSE)
            self.was_asked_about = True
        else:
            time.sleep(LOOK_PAUSE if self._pause == GAP_PAUSE else self._pause / 5)
