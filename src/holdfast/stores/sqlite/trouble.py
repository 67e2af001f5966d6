"""What can be wrong with a plan file, in words: what happened, to which file, and what to do about it."""

import errno
import sqlite3

from ...errors import DamagedRecord, StoreError
from ..locate import VARIABLE
from ..store import Key

ELSEWHERE = f"name another place, where you named this one or else with {VARIABLE}"
"""What to do about a place that cannot be used."""

_LOCKED = "{path} is locked by another program ({why}): try again, or end that program"
_FORBIDDEN = f"{{path}} cannot be opened or written ({{why}}): make the file and its folder writable, or {ELSEWHERE}"
_FULL = "there is no room left for {path} ({why}): free some space, then write again"
_DAMAGED = (
    "{path} is damaged or not a plan file ({why}); it was left as it is: put a backup in its place, or set it aside "
    "with `{set_aside}`"
)
_DISK = "the disk of {path} fails ({why}): check it, and copy the file to a sound one"
_OTHER = f"{{path}} cannot be used ({{why}}): {ELSEWHERE}"

_BY_SQLITE = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _FORBIDDEN,
    sqlite3.SQLITE_PERM: _FORBIDDEN,
    sqlite3.SQLITE_CANTOPEN: _FORBIDDEN,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,
}
_BY_SYSTEM = {
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _FORBIDDEN,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EIO: _DISK,
}


def trouble(error: sqlite3.Error | OSError, path: str) -> StoreError:
    """The error to raise for one of SQLite or of the system."""
    if isinstance(error, OSError):
        return _told(_BY_SYSTEM.get(error.errno or 0, _OTHER), path, error.strerror)
    variant = getattr(error, "sqlite_errorcode", 0)
    code = variant if variant in _BY_SQLITE else variant & 0xFF  # the higher bits tell variants of one error apart
    return _told(_BY_SQLITE.get(code, _OTHER), path, error)


def damaged(path: str, why: str) -> StoreError:
    """The error to raise for a file that is not whole."""
    return _told(_DAMAGED, path, why)


class Reading:
    """Around the reading of a board's record: makes a ValueError in it a DamagedRecord that says whose it is."""

    def __init__(self, path: str, key: Key, sequence: int) -> None:
        self._path = path
        self._key = key
        self._sequence = sequence

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ValueError):
            path, (session, agent) = self._path, self._key
            raise DamagedRecord(
                f"{path}: the record of session {session!r}, agent {agent!r} is damaged ({error}); it was left as it "
                f"is: put a backup of the file in its place, or set the record aside with `{_set_aside(path)}`",
                self._key,
                self._sequence,
            ) from error


def _told(words: str, path: str, why: object) -> StoreError:
    return StoreError(words.format(path=path, why=why, set_aside=_set_aside(path)))


def _set_aside(path: str) -> str:
    """The command for a shell."""
    from shlex import quote  # costs more than a write that goes well should pay

    return f"holdfast doctor --set-aside --db {quote(path)}"
