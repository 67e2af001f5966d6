"""Leases: who works on what, for a limited time. They are kept beside the plans, so a renewal is not a change."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from ..errors import UsageError
from .store import Key, Store


@runtime_checkable
class Leases(Protocol):
    """Who holds what on each board. A lease ends by itself, by the clock of the store, not of its holder."""

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a free or expired lease, or renew your own. Returns whether `holder` has it now."""
        ...

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give your lease back. A lease of another holder stays."""
        ...

    def lease_holders(self, key: Key) -> Mapping[str, str]:
        """The leases on a board that have not expired: what, and who holds it."""
        ...


def leases_of(store: Store) -> Leases:
    """The leases of a store, kept beside its plans. Raises UsageError for a store without leases."""
    if isinstance(store, Leases):
        return store
    raise UsageError(f"{type(store).__name__} keeps no leases: todos can be claimed in memory, SQLite and PostgreSQL")
