"""A file that grows by a line at a time, and has one writer. A line is on the disk, whole, or it is not there."""

import errno
import fcntl
import os
from pathlib import Path

from ..errors import StoreError


def locked(path: Path, what: str, is_private: bool = False) -> int:
    """The file, opened to add to it, with a lock that ends with the process. A private one is only its owner's.

    Raises StoreError if it cannot be opened, or if `what` is in use.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    try:
        file = os.open(path, flags | os.O_NOFOLLOW, 0o600) if is_private else os.open(path, flags, 0o644)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        raise StoreError(f"{what} is in use by another process") from error
    return file


def append(file: int, line: bytes, what: str) -> None:
    """Put a line on the disk. Raises StoreError if `what` cannot be kept, and leaves the file as it was."""
    end = os.fstat(file).st_size
    try:
        if os.write(file, line) < len(line):
            raise OSError(errno.ENOSPC, "the disk is full")
        os.fsync(file)
    except OSError as error:
        os.ftruncate(file, end)
        raise StoreError(f"{what} cannot be kept: {error.strerror}") from error
