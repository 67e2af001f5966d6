"""What can be wrong with a plan file, in words: what happened, to which file, and what to do."""

import errno
import sqlite3

from ...errors import DamagedRecord, StoreError
from ..locate import VARIABLE
from ..store import Key

ELSEWHERE = f"use another path, where you gave this one or with {VARIABLE}"
"""What to do about a path that cannot be used."""

_LOCKED = "{path} is locked by another program ({why}): try again, or end that program"
_FORBIDDEN = f"{{path}} cannot be opened or written ({{why}}): make the file and its folder writable, or {ELSEWHERE}"
_FULL = "there is no room left for {path} ({why}): free some space, then write again"
_DAMAGED = (
    "{path} is damaged or not a plan file ({why}); it was left as it is: put a backup in its place, or "
    "set it aside with `{quarantine}`"
)
_DISK = "the disk of {path} fails ({why}): check it, and copy the file to another disk"
_SLOW = "{path} kept SQLite busy for too long ({why}): check it with `holdfast doctor`, or put a backup in its place"
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
    sqlite3.SQLITE_INTERRUPT: _SLOW,
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


def store_error(error: sqlite3.Error | OSError, path: str) -> StoreError:
    """The error to raise for an error of SQLite or of the system."""
    if isinstance(error, OSError):
        return _error(_BY_SYSTEM.get(error.errno or 0, _OTHER), path, error.strerror)
    variant = getattr(error, "sqlite_errorcode", 0)
    code = variant if variant in _BY_SQLITE else variant & 0xFF  # the higher bits are the variant of an error
    return _error(_BY_SQLITE.get(code, _OTHER), path, error)


def damaged_file_error(path: str, why: str) -> StoreError:
    """The error to raise for a damaged file."""
    return _error(_DAMAGED, path, why)


class FileDamageGuard:
    """A context for reading a board's record. It turns a ValueError into a DamagedRecord with the board's key."""

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
                "is: put a backup of the file in its place, or set the record aside with "
                f"`{_quarantine_command(path)}`",
                self._key,
                self._sequence,
            ) from error


def _error(words: str, path: str, why: object) -> StoreError:
    return StoreError(words.format(path=path, why=why, quarantine=_quarantine_command(path)))


def _quarantine_command(path: str) -> str:
    """The command that sets the damage aside, for a shell."""
    from shlex import quote  # slow to import, and only needed for errors

    return f"holdfast doctor --set-aside --db {quote(path)}"
