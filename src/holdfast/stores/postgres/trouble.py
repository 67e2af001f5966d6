"""What can be wrong with a database, in words: what happened, where, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from ...errors import DamagedRecord, StoreError
from ..store import Key

IN_DOUBT = "it is not known whether the write was kept, read the plan before you write again: "

_LOST = (
    "{display} cannot be reached ({why}): check that the server runs and accepts this role from here, then try again"
)
_FORBIDDEN = "{display}: the role lacks a right ({why}): grant it what docs/scale.md says"
_READ_ONLY = "{display} is read-only, as a replica or by a setting ({why}): write to the primary server"
_BUSY = "{display} is busy ({why}): try again, and look for long transactions in pg_stat_activity"
_FULL = "there is no room left at {display} ({why}): free some space, then write again"
_OTHER = "{display} cannot be used ({why})"

_BY_CLASS: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.InsufficientPrivilege, _FORBIDDEN),
    (errors.ReadOnlySqlTransaction, _READ_ONLY),
    (errors.LockNotAvailable, _BUSY),
    (errors.QueryCanceled, _BUSY),
    (errors.TooManyConnections, _BUSY),
    (errors.DiskFull, _FULL),
    (errors.OperationalError, _LOST),
)
_AGAIN = (errors.SerializationFailure, errors.DeadlockDetected)
_GOING_DOWN = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)


def is_lost(error: psycopg.Error, connection: psycopg.Connection) -> bool:
    """Whether the connection was lost, and with it the answer: the work may or may not have been done."""
    return connection.closed or isinstance(error, _GOING_DOWN)


def is_passing(error: psycopg.Error) -> bool:
    """Whether the server rolled the transaction back because of another one, and it should be tried again."""
    return isinstance(error, _AGAIN)


def store_error(error: psycopg.Error, display: str) -> StoreError:
    """The error to raise for an error of the driver. `display` is the address without its password."""
    words = next((words for kind, words in _BY_CLASS if isinstance(error, kind)), _OTHER)
    return StoreError(words.format(display=display, why=str(error).strip().partition("\n")[0]))


@contextmanager
def damage_guard(key: Key, sequence: int) -> Iterator[None]:
    """A context for reading a board's record. It turns a ValueError into a DamagedRecord with the board's key."""
    try:
        yield
    except ValueError as error:
        session, agent = key
        raise DamagedRecord(
            f"the record of session {session!r}, agent {agent!r} is damaged ({error}); it was left as it is: restore "
            "it from a backup of the database",
            key,
            sequence,
        ) from error
