"""Where plans are kept: one contract, and several stores that fulfil it."""

from os import PathLike

from ..errors import UsageError
from .memory import MemoryStore
from .store import Key, Record, Store, StoredPlan

__all__ = ["Key", "MemoryStore", "Record", "Store", "StoredPlan", "open_store"]


def open_store(address: Store | str | PathLike[str] | None) -> Store:
    """The store at an address: the path of an SQLite file, `postgresql://…`, a store itself, or `None` for memory.

    Raises UsageError for an address of an unknown kind, or if its driver is not installed.
    """
    if address is None:
        return MemoryStore()
    if not isinstance(address, (str, PathLike)):
        return address
    if isinstance(address, str) and "://" in address:
        return _open_database(address)
    from .sqlite import SQLiteStore

    return SQLiteStore(address)


def _open_database(url: str) -> Store:
    from .address import parse

    parse(url)  # says what is wrong with it, with or without the driver
    try:
        from .postgres import PostgresStore
    except ImportError as error:
        raise UsageError(f"PostgreSQL needs its driver ({error}): pip install 'holdfast[postgres]'") from error
    return PostgresStore(url)
