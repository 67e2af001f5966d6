"""The listeners of a board: all of them are called with each change, in order."""

from collections.abc import Callable
from threading import RLock

from ..dialects import Notice
from ..plan import Change
from ..text import describe

Listener = Callable[[Change], Notice | None]


class Listeners:
    """The listeners of one board, `all` of them. They are called under its lock: all get the changes in one order."""

    def __init__(self, lock: RLock) -> None:
        self._lock = lock
        self.all: tuple[Listener, ...] = ()
        self._waiting: list[Change] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Call a listener with every change from now on. Call the returned function to end that."""
        with self._lock:
            self.all = (*self.all, listener)

        def end() -> None:
            with self._lock:
                self.all = tuple([other for other in self.all if other is not listener])

        return end

    def notify(self, change: Change) -> tuple[Notice, ...]:
        """Call every listener with a change. If a listener writes, that change waits until all have had this one."""
        self._waiting.append(change)
        if len(self._waiting) > 1:
            return ()
        try:
            notices = self._call_all(change)
            while len(self._waiting) > 1:
                del self._waiting[0]
                self._call_all(self._waiting[0])
        finally:  # also when Ctrl-C interrupts a listener: the next change must not wait behind this one
            self._waiting.clear()
        return notices

    def _call_all(self, change: Change) -> tuple[Notice, ...]:
        notices = []
        for listener in self.all:
            try:
                notice = listener(change)
            except Exception:
                log(f"the listener {describe(repr(listener))} failed; the change stands")
            else:
                if isinstance(notice, Notice):
                    notices.append(notice)
        return tuple(notices)


def log(message: str) -> None:
    """Log the current exception. Logging is imported only here: it would double the cost of importing Holdfast."""
    import logging

    logging.getLogger("holdfast").exception("holdfast: %s", message)
