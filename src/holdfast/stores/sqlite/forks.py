"""Forks: SQLite's locks do not pass to a child process, so no connection may either.

Every connection is closed before the process forks; parent and child then open their own. The end of a process is told
to them, too, while modules can still be imported.
"""

import atexit
import os
from threading import Lock
from typing import Protocol
from weakref import WeakSet


class ForkAware(Protocol):
    """What is called before and after a fork, and before the end."""

    def before_fork(self) -> None:
        """Finish the work under way, close what is open, and begin nothing until `after_fork`."""

    def after_fork(self) -> None:
        """Continue, in the parent or in the child."""

    def before_end(self) -> None:
        """Prepare for the end of the process."""


_registered: WeakSet[ForkAware] = WeakSet()
_waiting: list[ForkAware] = []
_one_fork_at_a_time = Lock()


def register(store: ForkAware) -> None:
    """Call a store before and after every fork, and before the end, as long as it lives."""
    _registered.add(store)


def _before() -> None:
    _one_fork_at_a_time.acquire()
    _waiting.extend(_registered)
    for store in _waiting:
        store.before_fork()


def _after() -> None:
    for store in _waiting:
        store.after_fork()
    _waiting.clear()
    _one_fork_at_a_time.release()


@atexit.register
def _before_end() -> None:
    for store in list(_registered):
        store.before_end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
