"""Leases: who works on what, for a limited time. They are kept beside the plans, so a renewal is not a change."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from ..errors import UsageError
from .store import Key, Store


class Lease(NamedTuple):
    """Who holds something, and for how many seconds more."""

    holder: str
    seconds: float


@runtime_checkable
class Leases(Protocol):
    """Who holds what on each board. A lease ends by itself, by the clock of the store, not of its holder."""

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a free or expired lease, or renew your own. Returns whether `holder` has it now."""
        ...

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give your lease back. A lease of another holder stays."""
        ...

    def active_leases(self, key: Key) -> Mapping[str, Lease]:
        """The leases on a board that have not expired, by what they are on."""
        ...


def leases_of(store: Store) -> Leases:
    """The leases of a store, kept beside its plans. Raises UsageError for a store without leases."""
    if isinstance(store, Leases):
        return store
    raise UsageError(f"{type(store).__name__} keeps no leases: todos can be claimed in memory, SQLite and PostgreSQL")


def leases_on(store: Store, key: Key) -> Mapping[str, Lease]:
    """The leases on a board that have not expired; none for a store without leases."""
    return store.active_leases(key) if isinstance(store, Leases) else {}
