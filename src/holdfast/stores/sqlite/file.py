"""The file behind an `SQLiteStore`: made whole or not at all, opened only if it is ours, and never overwritten."""

import itertools
import os
import sqlite3
import stat
import time

from ...errors import StoreError
from ..locate import FOLDER
from .migrations import APPLICATION_ID, MIGRATIONS, migrate, version
from .trouble import ELSEWHERE, damaged, trouble

SIDECARS = ("-wal", "-shm")
"""What SQLite keeps beside a file in WAL mode. The first holds acknowledged writes: the three belong together."""

SMALLEST = 512
"""How many bytes the smallest page of SQLite has."""

LOG_PAGES = 100
"""After how many pages the log of writes is used again from its start: one that grows no more is synced much faster."""


def create(path: str) -> None:
    """Make the file, with its folder. A file that is there stays as it is.

    It is built under another name and linked into place: no other process sees a half-made one, and a file
    without bytes is therefore always a damaged one, never a young one. Raises OSError or sqlite3.Error.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.basename(folder) == FOLDER:
        _ignored_by_git(folder)
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
        raise damaged(path, f"it has only {status.st_size} bytes")  # SQLite would take it for a new one
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=rw"
    connection = sqlite3.connect(uri, timeout=busy_wait, isolation_level=None, check_same_thread=False, uri=True)
    connection.text_factory = _text
    try:
        _check_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")  # a copy made by VACUUM INTO has lost it
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on a Mac, fsync alone does not reach the disk
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def set_aside(path: str | os.PathLike[str]) -> str:
    """Rename a damaged file, with what SQLite keeps beside it, so that a new one can start. Returns its new path.

    Nothing is ever overwritten. Raises StoreError if there is no such file or it cannot be renamed.
    """
    path = os.path.realpath(path)
    aside = _free(f"{path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    # The file itself last: were it first, and we stopped there, SQLite would take what lies beside for the new file's.
    there = [suffix for suffix in (*SIDECARS, "") if os.path.lexists(path + suffix)]
    if not there:
        raise StoreError(f"{path} is not there: nothing was set aside")
    try:
        for suffix in there:
            os.rename(path + suffix, aside + suffix)
    except OSError as error:
        raise trouble(error, path) from error
    return aside


def check_gone(path: str) -> None:
    """See that a file that is not there has left nothing behind, which SQLite would take for a new file's.

    Raises StoreError if it has. What lies beside is looked for first: a file that is just being made has nothing there.
    """
    if os.path.lexists(path + SIDECARS[0]) and not os.path.lexists(path):
        raise damaged(path, f"it is gone, but its {SIDECARS[0]} file is still there")


def _free(path: str) -> str:
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


def _text(data: bytes) -> str:
    """A text in the file. One that is no UTF-8 any more stops its own record, where SQLite's driver would stop all."""
    return data.decode("utf-8", "surrogateescape")


def _build(draft: str) -> None:
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # nobody has been promised anything yet: one sync at the end
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        migrate(connection)
        # Not before: SQLite tells nobody if what is in the log does not get into the file when it is closed.
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    _sync(draft)


def _link(draft: str, path: str) -> None:
    """Give the draft its name, unless another process was quicker."""
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        if not os.path.lexists(path):  # a file system without links
            os.rename(draft, path)


def _ignored_by_git(folder: str) -> None:
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
        return  # folders cannot be opened there, and NTFS keeps its own journal of names
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
