"""Forks: SQLite's locks do not pass to a child process, so no connection may either.

Every store that has one is asked to let go of it before the process forks; parent and child then open their own.
"""

import os
from threading import Lock
from typing import Protocol
from weakref import WeakSet


class LetsGo(Protocol):
    """What is told of a fork."""

    def before_fork(self) -> None:
        """Finish what is under way, close what is open, and begin nothing until `after_fork`."""

    def after_fork(self) -> None:
        """Go on, in the parent or in the child."""


_told: WeakSet[LetsGo] = WeakSet()
_waiting: list[LetsGo] = []
_one_fork_at_a_time = Lock()


def tell(store: LetsGo) -> None:
    """Tell a store of every fork, as long as it lives."""
    _told.add(store)


def _before() -> None:
    _one_fork_at_a_time.acquire()
    _waiting.extend(_told)
    for store in _waiting:
        store.before_fork()


def _after() -> None:
    for store in _waiting:
        store.after_fork()
    _waiting.clear()
    _one_fork_at_a_time.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
