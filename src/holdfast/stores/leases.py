"""Leases: who works on what, for as long as they say so. They lie beside the plans, so that no renewal is a change."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from ..errors import UsageError
from .store import Key, Store


@runtime_checkable
class Leases(Protocol):
    """Who holds what on each board. A lease ends by itself, by the clock of the store, never by that of its holder."""

    def hold(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a lease, or renew one's own; whether one has it now. Only one that has run out is taken from another."""
        ...

    def let_go(self, key: Key, what: str, holder: str) -> None:
        """Give one's lease back. What another holds, or nobody, stays as it is."""
        ...

    def held(self, key: Key) -> Mapping[str, str]:
        """What is held on a board now, and by whom."""
        ...


def leases_of(store: Store) -> Leases:
    """The leases of a store's boards, in the same place as their plans. Raises UsageError for a store without any."""
    if isinstance(store, Leases):
        return store
    raise UsageError(f"{type(store).__name__} keeps no leases: todos can be claimed in memory, SQLite and PostgreSQL")
