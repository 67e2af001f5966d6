"""The file behind an `SQLiteStore`: created completely or not at all, opened only if it is ours, never overwritten."""

import itertools
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Mapping

from ...errors import StoreError, UntrustedFile
from ...text import describe
from .. import trust
from ..locate import FOLDER
from ..projects import note_use
from .migrations import APPLICATION_ID, MIGRATIONS, migrate, schema_at, version
from .trouble import ELSEWHERE, damaged_file_error, store_error

SIDECARS = ("-wal", "-shm")
"""The files beside a file in WAL mode. The first has acknowledged writes: the three files belong together."""

INDEX_HEAD = 100
FRAMES_AT = 16
SAVED_AT = 96
"""Where the index of a log says how many pages are in the log, and how many of them are in the file, too."""

SMALLEST = 512
"""The size of the smallest page of SQLite, in bytes."""

LOG_PAGES = 100
"""After how many pages the write-ahead log starts over: a log that no longer grows is synced much faster."""


LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 256 * 1024 * 1024,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
"""How large a value and a statement may be. A plan of 10,000 todos with 20,000 characters each still fits."""


def create(path: str) -> None:
    """Create the file, with its folder. A file that is there stays as it is.

    It is built under another name and then linked to its own, so no other process sees an unfinished file, and an
    empty one is always damaged, never new. Raises UntrustedFile, OSError or sqlite3.Error.
    """
    folder = os.path.dirname(path)
    if os.path.basename(folder) == FOLDER:
        trust.make_folder(folder)
        trust.check_file(path)
    else:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    draft = f"{path}.{os.urandom(8).hex()}.new"
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _build(draft)
        trust.give_name(draft, path)
    finally:
        _unlink(draft)
    _sync(folder)


def connect(path: str, busy_wait: float) -> sqlite3.Connection:
    """Open a file that exists, as one that anybody may have made, and bring its layout up to date.

    Raises StoreError if it is not ours, empty, under two names or of a newer Holdfast, UntrustedFile if it may be
    somebody else's work; sqlite3.Error or OSError if it cannot be opened.
    """
    trust.check(path)
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path} is not a file: {ELSEWHERE}")
    check_one_name(path, status)
    if status.st_size < SMALLEST:
        raise damaged_file_error(path, f"it has only {status.st_size} bytes")  # SQLite would take it for a new file
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=rw"
    connection = sqlite3.connect(uri, timeout=busy_wait, isolation_level=None, check_same_thread=False, uri=True)
    connection.text_factory = _decode
    try:
        _distrust(connection)
        _check_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")  # a copy made by VACUUM INTO has lost this mode
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # on a Mac, fsync alone does not reach the disk
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    note_use(path)
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
    """Check that a missing file has left no log behind, which SQLite would use for a new file, and is no link either.

    Raises StoreError if it has. The log is looked for first: a file that is just being created has none.
    """
    if os.path.islink(path) or os.path.islink(os.path.dirname(path)):
        trust.check(path)  # it leads nowhere: nothing must be made there
    if os.path.lexists(path + SIDECARS[0]) and not os.path.lexists(path):
        raise damaged_file_error(path, f"it is gone, but its {SIDECARS[0]} file is still there")


def check_log_is_there(path: str) -> None:
    """Check that nobody has removed the log of a file while changes were in it that are not in the file yet.

    Raises StoreError if somebody has. SQLite removes the index of a log before the log. So an index without a log
    tells of a log that somebody else removed, and how much of it was in the file.
    """
    log, index = (path + suffix for suffix in SIDECARS)
    if os.path.lexists(index) and not os.path.lexists(log):
        with open(index, "rb") as file:
            head = file.read(INDEX_HEAD)
        if not os.path.lexists(log) and _count(head, FRAMES_AT) > _count(head, SAVED_AT):
            raise StoreError(
                f"{log} was removed, and the last changes went with it: put it back, or remove {index} to go on "
                "with the plan as it was before them"
            )


def _count(head: bytes, at: int) -> int:
    return int.from_bytes(head[at : at + 4], sys.byteorder)


def _free_name(path: str) -> str:
    """The path, with a number if it is taken."""
    names = itertools.chain([path], (f"{path}-{count}" for count in itertools.count(2)))
    return next(name for name in names if not any(os.path.lexists(name + suffix) for suffix in ("", *SIDECARS)))


def check_one_name(path: str, status: os.stat_result) -> None:
    """Check that a file has no second name: SQLite would keep a log for each, and lose writes.

    A draft that was left behind when the file was made is such a name, and is removed. Raises StoreError.
    """
    if status.st_nlink > 1 and not _remove_drafts(path, status):
        raise StoreError(
            f"{path} has {status.st_nlink} names (hard links), and writes under one of them are lost under the other: "
            "remove all names but this one"
        )


def _remove_drafts(path: str, status: os.stat_result) -> bool:
    """Remove the drafts that are names of this file. Returns whether it has one name now."""
    folder, name = os.path.split(path)
    for other in os.listdir(folder):
        draft = os.path.join(folder, other)
        if other.startswith(f"{name}.") and other.endswith(".new"):
            try:
                if os.path.samestat(os.lstat(draft), status):
                    os.unlink(draft)
            except FileNotFoundError:  # whoever made the file was faster
                pass
    return os.stat(path).st_nlink == 1


def _distrust(connection: sqlite3.Connection) -> None:
    """Set up a connection for a file that may be hostile, as SQLite's own documentation says."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    for limit, most in LIMITS.items():
        connection.setlimit(limit, most)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)


def _check_ours(connection: sqlite3.Connection, path: str) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise StoreError(f"{path} belongs to another program: {ELSEWHERE}")
    seen = version(connection)
    if seen > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Holdfast (layout {seen}, this one knows {len(MIGRATIONS)}): update Holdfast"
        )
    for type, name, of_table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"):
        if not _is_of_layout(schema_at(seen), str(type), str(name), str(of_table), sql):
            raise UntrustedFile(f"{path} has a {type} {describe(str(name))} that no Holdfast made: {ELSEWHERE}")


def _is_of_layout(expected: Mapping[str, str], type: str, name: str, of_table: str, sql: str | None) -> bool:
    """Whether something in a file is of our layout, or an index that SQLite makes for one of our tables."""
    if sql is None:
        return type == "index" and name.startswith("sqlite_autoindex_") and of_table in expected
    return expected.get(name) == sql.strip()


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
