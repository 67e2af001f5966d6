"""A file of JSON records, one per line, with one writer. A record is on the disk, whole, or it is not there.

A last line that a crash has cut off counts as not written.
"""

import errno
import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import StoreError


class LineFileContent(NamedTuple):
    """The records in a file, where the last whole line ends, and when the file was changed."""

    records: list[dict[str, Any]]
    size: int
    changed_at: float


class LineFile:
    """An open file of records, locked until it is closed or the process ends. Only its owner can read a private one.

    `what` names it in messages.
    """

    def __init__(self, path: Path, what: str, is_private: bool = False) -> None:
        """Open or create the file. Raises StoreError if it cannot be written, or is in use."""
        self.path = path
        self._what = what
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        try:
            self._file = os.open(path, flags | os.O_NOFOLLOW, 0o600) if is_private else os.open(path, flags, 0o644)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise StoreError(f"{what} is in use by another process") from error

    def append(self, record: Mapping[str, Any]) -> None:
        """Put a record on the disk. Raises StoreError if that fails, and leaves the file as it was."""
        line = _encode(record)
        end = os.fstat(self._file).st_size
        try:
            if os.write(self._file, line) < len(line):
                raise OSError(errno.ENOSPC, "the disk is full")
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, end)
            raise StoreError(f"{self._what} cannot be saved: {error.strerror}") from error

    def truncate(self, size: int) -> None:
        """Cut off what comes after the last whole line."""
        os.ftruncate(self._file, size)

    def close(self, remove: bool = False) -> None:
        """Close the file, so that others can open it; remove it if nobody needs it."""
        if remove:
            self.path.unlink(missing_ok=True)
        os.close(self._file)


def read_records(path: Path) -> LineFileContent:
    """Every record in a file; record n is on line n + 1. Raises StoreError, with the line, if one is damaged."""
    try:
        data = path.read_bytes()
        changed_at = path.stat().st_mtime
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    whole = data[: data.rfind(b"\n") + 1]
    records = [_decode(path, number, line) for number, line in enumerate(whole.splitlines(), 1)]
    return LineFileContent(records, len(whole), changed_at)


def damaged_line(path: Path, number: int, problem: str = "damaged") -> StoreError:
    """The error for a line that cannot be used."""
    return StoreError(f"{path}:{number} is {problem}: fix or remove that line")


def _encode(record: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False, default=str).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair: only an escape can hold it
        return json.dumps(record, default=str).encode() + b"\n"


def _decode(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise damaged_line(path, number) from error
    if not isinstance(record, dict):
        raise damaged_line(path, number, "not a record")
    return record
