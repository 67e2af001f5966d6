"""The listeners of a board: each change is told to all of them, in order."""

from collections.abc import Callable
from threading import RLock

from ..dialects import Notice
from ..plan import Change
from ..text import describe

Listener = Callable[[Change], Notice | None]


class Listeners:
    """The listeners of one board. They are told under its lock, so that all hear the changes in one order."""

    def __init__(self, lock: RLock) -> None:
        self._lock = lock
        self._listeners: list[Listener] = []
        self._untold: list[Change] = []

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener of every change from now on; call what is returned to end that."""
        with self._lock:
            self._listeners = [*self._listeners, listener]

        def end() -> None:
            with self._lock:
                self._listeners = [other for other in self._listeners if other is not listener]

        return end

    def tell(self, change: Change) -> tuple[Notice, ...]:
        """Tell every listener, in the order of the changes: what a listener writes is told when this one is through."""
        self._untold.append(change)
        if len(self._untold) > 1:
            return ()
        try:
            notices = self._heard(change)
            while len(self._untold) > 1:
                del self._untold[0]
                self._heard(self._untold[0])
        finally:  # also when a listener is broken off by Ctrl-C: the next change is told again
            self._untold.clear()
        return notices

    def _heard(self, change: Change) -> tuple[Notice, ...]:
        notices = []
        for listener in self._listeners:
            try:
                notice = listener(change)
            except Exception:
                log(f"the listener {describe(repr(listener))} failed; the change stands")
            else:
                if isinstance(notice, Notice):
                    notices.append(notice)
        return tuple(notices)


def log(message: str) -> None:
    """Log the error at hand. Logging is imported only here: it would double the cost of importing Holdfast."""
    import logging

    logging.getLogger("holdfast").exception("holdfast: %s", message)
