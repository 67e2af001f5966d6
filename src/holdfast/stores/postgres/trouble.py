"""What can be wrong with a database, in words: what happened, where, and what to do about it."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from ...errors import DamagedRecord, StoreError
from ..store import Key

IN_DOUBT = "it is not known whether the write was kept, read the plan before you write again: "

_LOST = "{shown} cannot be reached ({why}): see that the server runs and lets this role in from here, then try again"
_FORBIDDEN = "{shown}: the role lacks a right ({why}): grant it what docs/scale.md says"
_READ_ONLY = "{shown} can only be read, it is a replica or set so ({why}): write to the primary server"
_BUSY = "{shown} is busy ({why}): try again, and look for long transactions in pg_stat_activity"
_FULL = "there is no room left at {shown} ({why}): free some space, then write again"
_OTHER = "{shown} cannot be used ({why})"

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
    """Whether the connection is gone, and with it the answer: what was asked for may have been done or not."""
    return connection.closed or isinstance(error, _GOING_DOWN)


def is_passing(error: psycopg.Error) -> bool:
    """Whether the server undid the transaction only because of another one, and wants it tried again."""
    return isinstance(error, _AGAIN)


def trouble(error: psycopg.Error, shown: str) -> StoreError:
    """The error to raise for one of the driver's. `shown` is the address without its password."""
    words = next((words for kind, words in _BY_CLASS if isinstance(error, kind)), _OTHER)
    return StoreError(words.format(shown=shown, why=str(error).strip().partition("\n")[0]))


@contextmanager
def reading(key: Key, sequence: int) -> Iterator[None]:
    """Around the reading of a board's record: makes a ValueError in it a DamagedRecord that says whose it is."""
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
