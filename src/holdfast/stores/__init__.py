"""Where plans are kept: one contract, and a store for each place."""

from os import PathLike

from ..errors import UsageError
from .memory import MemoryStore
from .store import Kept, Key, Record, Store

__all__ = ["Kept", "Key", "MemoryStore", "Record", "Store", "open_store"]


def open_store(address: Store | str | PathLike[str] | None) -> Store:
    """The store at an address: the path of an SQLite file, a store itself, or nothing for one in memory.

    Raises UsageError for an address that no store answers to.
    """
    if address is None:
        return MemoryStore()
    if not isinstance(address, (str, PathLike)):
        return address
    if isinstance(address, str) and "://" in address:
        raise UsageError(f"no store for {address.partition('://')[0]}:// addresses: name the path of an SQLite file")
    from .sqlite import SQLiteStore

    return SQLiteStore(address)
