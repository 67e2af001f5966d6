"""Whether a plan file is sound: asked of SQLite itself, and of every record in it."""

import os
import sqlite3
from contextlib import closing
from typing import NamedTuple

from ..errors import StoreError
from ..stores import Key, Store, open_store
from ..stores.damage import damaged_records, sessions_with_damage
from ..stores.sqlite import SQLiteStore
from ..stores.sqlite.file import SMALLEST, check_nothing_left, connect
from ..stores.sqlite.migrations import version
from ..stores.sqlite.trouble import damaged_file_error, store_error
from .invocation import is_address

PATIENCE = 2.0
"""How many seconds to wait for a file that another program has locked."""


class Health(NamedTuple):
    """What is known of a plan file. `trouble` is what keeps it from being used, `damaged` whose records are broken.

    `is_damaged` separates a broken file from one that is locked, forbidden or another program's.
    """

    exists: bool
    size: int = 0
    layout: int = 0
    boards: int = 0
    changes: int = 0
    trouble: str = ""
    damaged: tuple[Key, ...] = ()
    is_damaged: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether everything in it can be read."""
        return not self.trouble and not self.damaged


def examine(path: str) -> Health:
    """Look at a plan file. Nothing in it is changed, but an old layout is brought up to date.

    For a database at an address, this only finds out which of its plans can be read, and how many there are.
    """
    if is_address(path):
        return _examine_address(path)
    if not os.path.lexists(path):
        return _examine_missing(path)
    size = 0
    try:
        size = os.path.getsize(path)
        with closing(connect(path, PATIENCE)) as connection:
            return _examine_contents(connection, path)._replace(size=size)
    except StoreError as error:
        return Health(True, size, trouble=str(error), is_damaged=os.path.isfile(path) and size < SMALLEST)
    except (sqlite3.Error, OSError) as error:
        is_damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        return Health(True, size, trouble=str(store_error(error, path)), is_damaged=is_damaged)


def _examine_missing(path: str) -> Health:
    try:
        check_nothing_left(path)
    except StoreError as error:
        return Health(False, trouble=str(error), is_damaged=True)
    return Health(False)


def _examine_contents(connection: sqlite3.Connection, path: str) -> Health:
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        return Health(True, trouble=str(damaged_file_error(path, "; ".join(found))), is_damaged=True)
    keys = [Key(*row) for row in connection.execute("SELECT session, agent FROM boards")]
    changes = connection.execute("SELECT count(*) FROM changes").fetchone()[0]
    unreadable = _unreadable(path, keys)
    return Health(True, 0, version(connection), len(keys), changes, "", unreadable, bool(unreadable))


def _examine_address(address: str) -> Health:
    try:
        with closing(open_store(address)) as store:
            unreadable = tuple(Key(*error.key) for error in damaged_records(sessions_with_damage(store)))
            return _figures(store)._replace(damaged=unreadable)
    except StoreError as error:
        return Health(True, trouble=str(error))


def _figures(store: Store) -> Health:
    from ..stores.postgres import PostgresStore

    if not isinstance(store, PostgresStore):
        return Health(True)
    boards, changes, size, layout = store.figures()
    return Health(True, size, layout, boards, changes)


def _unreadable(path: str, keys: list[Key]) -> tuple[Key, ...]:
    """The boards whose records cannot be read."""
    with closing(SQLiteStore(path)) as store:
        return tuple(key for key in keys if not _is_readable(store, key))


def _is_readable(store: SQLiteStore, key: Key) -> bool:
    try:
        store.load(key)
        for _ in store.history(key):
            pass
    except StoreError:
        return False
    return True
