"""Which `.holdfast` folders are opened: those that this user made on this machine, or has allowed.

A plan is put before a model as its own intentions, so whoever writes the plan steers the agent. A folder that came with
a clone, an archive or another user is not opened before `holdfast trust` allows it. A folder that was made here has a
file `id` with a random number in it, and the user's state folder has a record of that name, which says where the folder
is. A folder that is moved stays known. A copy elsewhere does not: somebody else may have changed and returned it.
"""

import os
import stat

from ..errors import StoreError, UntrustedFile
from .git_index import is_tracked
from .locate import FOLDER, VARIABLE, state_folder

TRUST_VARIABLE = "HOLDFAST_TRUST"
"""Names folders that are trusted without a record, for containers and CI: paths, separated as in PATH, or `*`."""

KNOWN = "trusted"
"""The folder of records, in the user's state folder."""

_ID = "id"
_DIGITS = 32
_IGNORE = ".gitignore"
_OTHERS_WRITE = 0o022
_ELSEWHERE = f"use another file with {VARIABLE}"


def resolve(path: str) -> str:
    """The path without links, but for a link to a `.holdfast` folder or in one: those are for `check` to refuse.

    Raises ValueError for what can be no path.
    """
    folder, name = os.path.split(os.path.abspath(path))
    above, last = os.path.split(folder)
    return os.path.join(os.path.realpath(above), last, name) if last == FOLDER else os.path.realpath(path)


def check(path: str) -> None:
    """Check that a file may be opened or made: its folder is known, and nobody else can change either.

    Only a file in a folder `.holdfast` is checked: that is where files are found by themselves. Raises UntrustedFile.
    """
    folder = os.path.dirname(path)
    if os.path.basename(folder) == FOLDER:
        check_folder(folder)
        check_file(path)


def check_folder(folder: str) -> None:
    """Check that what lies in a `.holdfast` folder may be read. One that is missing or empty passes.

    Raises UntrustedFile.
    """
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        raise UntrustedFile(f"{folder} is a link or a file, not a folder: remove it, or {_ELSEWHERE}")
    if _is_named_trusted(folder):
        return
    _check_owner(folder, status)
    is_known = _is_known(folder)
    _check_untracked(folder, is_known)
    if not is_known and _has_content(folder):
        raise UntrustedFile(
            f"{folder} was not made by you on this machine, so nothing in it is read: "
            "look where it comes from, then run `holdfast trust`"
        )
    _check_mode(folder, status)


def check_file(path: str) -> None:
    """Check that a file in a known folder is a plain file of this user. One that is missing passes.

    Raises UntrustedFile.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(status.st_mode):
        raise UntrustedFile(f"{path} is a link: remove it, or name the file that it leads to with {VARIABLE}")
    if not _is_named_trusted(os.path.dirname(path)):
        _check_owner(path, status)
        _check_mode(path, status)


def make_folder(folder: str) -> None:
    """Make a `.holdfast` folder that is known and that git ignores. One that is there must pass `check_folder`.

    Raises UntrustedFile, OSError.
    """
    check_folder(folder)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not _is_named_trusted(folder) and not _is_known(folder):
        os.chmod(folder, 0o700)  # somebody may have made it empty, by hand
        _record(folder)
    try:
        with open(os.path.join(folder, _IGNORE), "x") as file:
            file.write("*\n")
    except FileExistsError:
        pass


def trust(folder: str) -> None:
    """Allow a `.holdfast` folder, no matter who made its files, and let no one else write there any more.

    Raises UntrustedFile if others could still change it: it is theirs, or git brings it. Raises StoreError if there is
    no such folder, or the record cannot be kept.
    """
    try:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode):
            raise UntrustedFile(f"{folder} is a link or a file, not a folder: remove it")
        _check_owner(folder, status)
        _check_untracked(folder, is_known := _is_known(folder))
        _close_to_others(folder)
        if not is_known:
            _record(folder)
    except OSError as error:
        raise StoreError(f"{folder} cannot be trusted ({error.strerror}): {error.filename}") from error


def give_name(draft: str, path: str) -> None:
    """Give a draft its final name, unless another process was faster. Raises OSError."""
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        if not os.path.lexists(path):  # a file system without links
            os.rename(draft, path)


def _check_owner(path: str, status: os.stat_result) -> None:
    if hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0):
        raise UntrustedFile(f"{path} belongs to another user (uid {status.st_uid}): {_ELSEWHERE}")


def _check_mode(path: str, status: os.stat_result) -> None:
    if os.name != "nt" and status.st_mode & _OTHERS_WRITE and _has_content(path):
        folder, mode = path if stat.S_ISDIR(status.st_mode) else os.path.dirname(path), stat.S_IMODE(status.st_mode)
        raise UntrustedFile(
            f"{path} can be changed by other users (mode {mode:o}): run `chmod -R go-w {_quoted(folder)}`"
        )


def _close_to_others(folder: str) -> None:
    """Let nobody else write to a folder and to what is in it. Raises OSError."""
    for place, folders, files in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in (*folders, *files))):
            status = os.lstat(path)
            if status.st_mode & _OTHERS_WRITE and not stat.S_ISLNK(status.st_mode):
                os.chmod(path, stat.S_IMODE(status.st_mode) & ~_OTHERS_WRITE)


def _check_untracked(folder: str, is_known: bool) -> None:
    try:
        tracked = is_tracked(folder)
    except OSError as error:
        raise UntrustedFile(f"{folder}: git's index cannot be read ({error.strerror}): {_ELSEWHERE}") from error
    if tracked:
        once = "" if is_known else ", then `holdfast trust`"
        raise UntrustedFile(
            f"git tracks files in {folder}, so others can change them: run `git rm -r --cached {_quoted(folder)}`{once}"
        )


def _quoted(path: str) -> str:
    """The path as a shell reads it."""
    from shlex import quote  # rarely needed

    return quote(path)


def _has_content(path: str) -> bool:
    """Whether there is something to read: in a folder, anything besides what `make_folder` puts there."""
    if not os.path.isdir(path):
        return True
    return any(name != _IGNORE and name.split(".")[0] != _ID for name in os.listdir(path))


def _is_named_trusted(folder: str) -> bool:
    named = os.environ.get(TRUST_VARIABLE, "").split(os.pathsep)
    return "*" in named or folder in named or os.path.dirname(folder) in named


def _is_known(folder: str) -> bool:
    number = _read_id(folder)
    return number != "" and any(
        _is_record_of(os.path.join(records, number), folder) for records in (*_lasting_records(), *_temporary_records())
    )


def _is_record_of(record: str, folder: str) -> bool:
    """Whether a record is of this folder: it has its place, or, since it may have been moved, its inode."""
    try:
        with open(record, "rb") as file:
            place, _, inode = file.read().rpartition(b"\n")
        return place == os.fsencode(folder) or inode == b"%d" % os.stat(folder).st_ino
    except OSError:
        return False


def _read_id(folder: str) -> str:
    """The number of a folder; empty if it has none."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # it may be anything
    try:
        file = os.open(os.path.join(folder, _ID), flags)
    except OSError:
        return ""
    try:
        number = os.read(file, _DIGITS + 1)
    except OSError:
        return ""
    finally:
        os.close(file)
    is_number = len(number) == _DIGITS and not number.strip(b"0123456789abcdef")
    return number.decode() if is_number else ""


def _record(folder: str) -> None:
    """Give a folder a new number, and remember it. The record comes first: a number that is there is known."""
    number = os.urandom(_DIGITS // 2).hex()
    _remember(number, folder)
    draft = os.path.join(folder, f"{_ID}.{number}")
    target = os.path.join(folder, _ID)
    try:
        _write(draft, number)
        give_name(draft, target)
        if not _is_known(folder):  # it came with another number, from elsewhere
            os.replace(draft, target)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, text.encode("utf-8", "surrogateescape"))
        os.fsync(file)
    finally:
        os.close(file)


def _remember(number: str, folder: str) -> None:
    """Keep a record for as long as the user's files are kept, or at least until the machine starts again."""
    problems = []
    for records in _lasting_records():
        try:
            _keep(records, number, folder)
        except OSError as error:
            problems.append(error)
    if len(problems) == len(_lasting_records()):
        if not (temporary := _temporary_records()):
            raise problems[0]
        _keep(temporary[0], number, folder)


def _keep(records: str, number: str, folder: str) -> None:
    os.makedirs(records, mode=0o700, exist_ok=True)
    _write(os.path.join(records, number), f"{folder}\n{os.stat(folder).st_ino}")


def _lasting_records() -> list[str]:
    """The records in the state folder that the environment names, and in that of the home folder.

    Programs that start others often pass on the home folder and nothing else, so one place is not enough.
    """
    states = dict.fromkeys((state_folder(os.environ), state_folder({"HOME": os.environ.get("HOME", "")})))
    return [os.path.join(folder, KNOWN) for folder in states]


def _temporary_records() -> list[str]:
    """The records of a user whose home folder cannot be written, as in many containers. Nobody else may own them."""
    if not hasattr(os, "geteuid"):
        return []
    records = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"holdfast-{os.geteuid()}")  # nosec B108
    return [records] if _is_private_or_missing(records) else []


def _is_private_or_missing(folder: str) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return True
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
