"""Files changed with care: the difference is shown, the old file is kept, and a file is never half written."""

import contextlib
import difflib
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...errors import UsageError
from .settings import Setting
from .targets import Settings

BACKUP = ".before-holdfast"
MARK = "holdfast"
"""The mark that is in each of our entries."""

FOLDERS = (".claude", ".codex", ".cursor", ".gemini", ".opencode", ".vscode", "plugins")
"""Folders that hold settings and nothing else."""


class FileChange(NamedTuple):
    """A file before and after; `None` where there is no file. `backup` is the path of the old file's copy."""

    path: str
    before: str | None
    after: str | None
    backup: str = ""

    @property
    def has_effect(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def lines(self) -> list[str]:
        """The difference, as `diff -u` shows it."""
        old, new = ("" if text is None else text for text in (self.before, self.after))
        was, will_be = (os.devnull if text is None else self.path for text in (self.before, self.after))
        return list(difflib.unified_diff(old.splitlines(), new.splitlines(), was, will_be, lineterm=""))


def install_changes(settings: Settings) -> list[FileChange]:
    """The changes that add our part to every file. Raises UsageError, and then nothing should be changed."""
    changes = []
    for path, setting in settings:
        before = _read(path)
        after = _transform(path, setting.add_to, before or "")
        is_original = before is not None and _transform(path, setting.remove_from, before) == before
        backup = _backup_name(path, before) if is_original and before != after else ""
        changes.append(FileChange(path, before, after, backup))
    return changes


def uninstall_changes(settings: Settings) -> list[FileChange]:
    """The changes that remove our part from every file. Raises UsageError, and then nothing should be changed.

    A file that differs from its backup only in our part gets its old bytes back; one that we created is deleted.
    """
    return [_uninstall_change(path, setting) for path, setting in settings]


def apply_changes(changes: Sequence[FileChange]) -> None:
    """Write every change. Raises OSError."""
    for change in changes:
        if not change.has_effect:
            continue
        if change.after is None:
            os.unlink(change.path)
            _remove_empty_folders(os.path.dirname(change.path))
        else:
            if change.backup and change.before is not None and not os.path.exists(change.backup):
                _write(change.backup, change.before, like=change.path)
            _write(change.path, change.after, like=change.path)
        if change.backup and change.after == _read(change.backup) != change.before:
            os.unlink(change.backup)


def _uninstall_change(path: str, setting: Setting) -> FileChange:
    before = _read(path)
    if before is None:
        return FileChange(path, None, None)
    if MARK not in before:  # nothing of ours is in it, whatever else it is
        return FileChange(path, before, before)
    after = _transform(path, setting.remove_from, before)
    if after == before:
        return FileChange(path, before, before)
    rest = setting.rest_of(before)
    for backup in _backups(path):
        old = _read(backup)
        if old is not None and _rest_of(setting, old) == rest:
            return FileChange(path, before, old, backup)
    return FileChange(path, before, None if rest == setting.rest_of("") else after)


def _rest_of(setting: Setting, text: str) -> str | None:
    """A backup without our part; `None` for one that cannot be read."""
    try:
        return setting.rest_of(text)
    except UsageError:
        return None


def _transform(path: str, how: Callable[[str], str], text: str) -> str:
    try:
        return how(text)
    except UsageError as error:
        raise UsageError(f"{path} is left as it is: {error}") from error


def _read(path: str) -> str | None:
    """The text of a file, with its own line ends; `None` if there is no file."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is left as it is: it is not UTF-8") from error


def _write(path: str, text: str, like: str) -> None:
    """Write a file in one step. A link stays a link, and the permissions of the old file stay."""
    path = os.path.realpath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    draft = f"{path}.{os.getpid()}.new"
    try:
        with open(draft, "x", encoding="utf-8", newline="") as file:
            file.write(text)
        with contextlib.suppress(FileNotFoundError):
            os.chmod(draft, os.stat(like).st_mode & 0o7777)
        os.replace(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)


def _backup_name(path: str, text: str | None) -> str:
    """A free name beside a file for its backup, or that of a backup with the same text."""
    same = [name for name in _backups(path) if _read(name) == text]
    if same:
        return same[0]
    name, count = path + BACKUP, 1
    while os.path.exists(name):
        count += 1
        name = f"{path}{BACKUP}-{count}"
    return name


def _backups(path: str) -> list[str]:
    """The backups of a file, the newest first."""
    folder, start = os.path.dirname(path) or ".", os.path.basename(path) + BACKUP
    names = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(start)]
    return sorted(names, key=lambda name: (os.stat(name).st_mtime_ns, name), reverse=True)


def _remove_empty_folders(folder: str) -> None:
    """Remove the folders of a file that was ours, if they are empty and belong to a harness."""
    while os.path.basename(folder) in FOLDERS and not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)
