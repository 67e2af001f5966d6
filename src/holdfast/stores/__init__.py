"""Where plans are kept: one contract, and a store for each place."""

from os import PathLike

from ..errors import UsageError
from .memory import MemoryStore
from .store import Kept, Key, Record, Store

__all__ = ["Kept", "Key", "MemoryStore", "Record", "Store", "open_store"]


def open_store(address: Store | str | PathLike[str] | None) -> Store:
    """The store at an address: the path of an SQLite file, `postgresql://…`, a store itself, or nothing for memory.

    Raises UsageError for an address that no store answers to, or whose driver is not installed.
    """
    if address is None:
        return MemoryStore()
    if not isinstance(address, (str, PathLike)):
        return address
    if isinstance(address, str) and "://" in address:
        return _database(address)
    from .sqlite import SQLiteStore

    return SQLiteStore(address)


def _database(place: str) -> Store:
    from .address import parse

    parse(place)  # says what is wrong with it, whether or not the driver is there
    try:
        from .postgres import PostgresStore
    except ImportError as error:
        raise UsageError(f"PostgreSQL needs its driver ({error}): pip install 'holdfast[postgres]'") from error
    return PostgresStore(place)
