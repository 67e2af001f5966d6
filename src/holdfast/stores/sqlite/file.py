"""The file behind an `SQLiteStore`: created completely or not at all, opened only if it is ours, never overwritten."""

import itertools
import os
import sqlite3
import stat
import time

from ...errors import StoreError
from ..locate import FOLDER
from .migrations import APPLICATION_ID, MIGRATIONS, migrate, version
from .trouble import ELSEWHERE, damaged_file_error, store_error

SIDECARS = ("-wal", "-shm")
"""The files beside a file in WAL mode. The first has acknowledged writes: the three files belong together."""

SMALLEST = 512
"""The size of the smallest page of SQLite, in bytes."""

LOG_PAGES = 100
"""After how many pages the write-ahead log starts over: a log that no longer grows is synced much faster."""


def create(path: str) -> None:
    """Create the file, with its folder. A file that is there stays as it is.

    It is built under another name and then linked to its own, so no other process sees an unfinished file, and an
    empty one is always damaged, never new. Raises OSError or sqlite3.Error.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.basename(folder) == FOLDER:
        _add_gitignore(folder)
    draft = f"{path}.{os.urandom(8).hex()}.new"
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _build(draft)
        _link(draft, path)
    finally:
        _unlink(draft)
    _sync(folder)


def connect(path: str, busy_wait: float) -> sqlite3.Connection:
    """Open a file that exists, and bring its layout up to date.

    Raises StoreError if it is not ours, empty or of a newer Holdfast; sqlite3.Error or OSError if it cannot be opened.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path} is not a file: {ELSEWHERE}")
    if status.st_size < SMALLEST:
        raise damaged_file_error(path, f"it has only {status.st_size} bytes")  # SQLite would take it for a new file
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=rw"
    connection = sqlite3.connect(uri, timeout=busy_wait, isolation_level=None, check_same_thread=False, uri=True)
    connection.text_factory = _decode
    try:
        _check_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")  # a copy made by VACUUM INTO has lost this mode
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on a Mac, fsync alone does not reach the disk
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def quarantine(path: str | os.PathLike[str]) -> str:
    """Rename a damaged file, with the files that SQLite keeps beside it, so that a new one can start. Returns its path.

    Nothing is ever overwritten. Raises StoreError if there is no such file or it cannot be renamed.
    """
    path = os.path.realpath(path)
    target = _free_name(f"{path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    # The file itself last: if only it were renamed, SQLite would use the old log for the new file.
    there = [suffix for suffix in (*SIDECARS, "") if os.path.lexists(path + suffix)]
    if not there:
        raise StoreError(f"{path} is not there: nothing was renamed")
    try:
        for suffix in there:
            os.rename(path + suffix, target + suffix)
    except OSError as error:
        raise store_error(error, path) from error
    return target


def check_nothing_left(path: str) -> None:
    """Check that a missing file has left no log behind, which SQLite would use for a new file.

    Raises StoreError if it has. The log is looked for first: a file that is just being created has none.
    """
    if os.path.lexists(path + SIDECARS[0]) and not os.path.lexists(path):
        raise damaged_file_error(path, f"it is gone, but its {SIDECARS[0]} file is still there")


def _free_name(path: str) -> str:
    """The path, with a number if it is taken."""
    names = itertools.chain([path], (f"{path}-{count}" for count in itertools.count(2)))
    return next(name for name in names if not any(os.path.lexists(name + suffix) for suffix in ("", *SIDECARS)))


def _check_ours(connection: sqlite3.Connection, path: str) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise StoreError(f"{path} belongs to another program: {ELSEWHERE}")
    seen = version(connection)
    if seen > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Holdfast (layout {seen}, this one knows {len(MIGRATIONS)}): update Holdfast"
        )


def _decode(data: bytes) -> str:
    """A text in the file. Damaged UTF-8 spoils its own record only; with SQLite's own decoder every read would fail."""
    return data.decode("utf-8", "surrogateescape")


def _build(draft: str) -> None:
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # nothing is promised yet: one sync at the end is enough
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        migrate(connection)
        # Not before: SQLite reports no error if the log does not get into the file when it is closed.
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    _sync(draft)


def _link(draft: str, path: str) -> None:
    """Give the draft its final name, unless another process was faster."""
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        if not os.path.lexists(path):  # a file system without links
            os.rename(draft, path)


def _add_gitignore(folder: str) -> None:
    try:
        with open(os.path.join(folder, ".gitignore"), "x") as file:
            file.write("*\n")
    except FileExistsError:
        pass


def _unlink(path: str) -> None:
    for suffix in ("", *SIDECARS):
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)


def _sync(path: str) -> None:
    if os.name == "nt":
        return  # folders cannot be opened there, and NTFS has its own journal of names
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
