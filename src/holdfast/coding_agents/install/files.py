"""Files changed with care: the difference is shown, the old file kept beside, and a half-written one never seen."""

import contextlib
import difflib
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...errors import UsageError
from .places import Settings
from .settings import Setting

BACKUP = ".before-holdfast"
FOLDERS = (".claude", ".codex", ".cursor", ".gemini", ".opencode", ".vscode", "plugins")
"""Folders that are made for settings, and for nothing else."""


class Change(NamedTuple):
    """A file before and after; none where there is no file. `backup` is where the old one is kept, or was."""

    path: str
    before: str | None
    after: str | None
    backup: str = ""

    @property
    def is_one(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def lines(self) -> list[str]:
        """The difference, as `diff -u` shows it."""
        old, new = ("" if text is None else text for text in (self.before, self.after))
        was, will_be = (os.devnull if text is None else self.path for text in (self.before, self.after))
        return list(difflib.unified_diff(old.splitlines(), new.splitlines(), was, will_be, lineterm=""))


def to_install(settings: Settings) -> list[Change]:
    """What has to change for our part to be in every file. Raises UsageError, and then nothing should be changed."""
    changes = []
    for path, setting in settings:
        before = _read(path)
        after = _transformed(path, setting.put, before or "")
        pristine = before is not None and _transformed(path, setting.take, before) == before
        changes.append(Change(path, before, after, _free(path, before) if pristine and before != after else ""))
    return changes


def to_uninstall(settings: Settings) -> list[Change]:
    """What has to change for our part to be in no file. Raises UsageError, and then nothing should be changed.

    A file that is as it was but for our part gets its old bytes back; one that we made goes.
    """
    return [_removal(path, setting) for path, setting in settings]


def make(changes: Sequence[Change]) -> None:
    """Write every change. Raises OSError."""
    for change in changes:
        if not change.is_one:
            continue
        if change.after is None:
            os.unlink(change.path)
            _tidy(os.path.dirname(change.path))
        else:
            if change.backup and change.before is not None and not os.path.exists(change.backup):
                _write(change.backup, change.before, like=change.path)
            _write(change.path, change.after, like=change.path)
        if change.backup and change.after == _read(change.backup) != change.before:
            os.unlink(change.backup)


def _removal(path: str, setting: Setting) -> Change:
    before = _read(path)
    if before is None:
        return Change(path, None, None)
    after = _transformed(path, setting.take, before)
    if after == before:
        return Change(path, before, before)
    bare = setting.bare(before)
    for backup in _backups(path):
        old = _read(backup)
        if old is not None and _bare(setting, old) == bare:
            return Change(path, before, old, backup)
    return Change(path, before, None if bare == setting.bare("") else after)


def _bare(setting: Setting, text: str) -> str | None:
    """What a backup has in common with a file that was made of it; none for one that cannot be read."""
    try:
        return setting.bare(text)
    except UsageError:
        return None


def _transformed(path: str, how: Callable[[str], str], text: str) -> str:
    try:
        return how(text)
    except UsageError as error:
        raise UsageError(f"{path} is left as it is: {error}") from error


def _read(path: str) -> str | None:
    """The text of a file, its line ends as they are; none if there is no file."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is left as it is: it is not UTF-8") from error


def _write(path: str, text: str, like: str) -> None:
    """Write a file as a whole. A link stays one, and the rights of the old file stay, too."""
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


def _free(path: str, text: str | None) -> str:
    """Where to keep a file: beside it, under a name that nothing else has."""
    known = [name for name in _backups(path) if _read(name) == text]
    if known:
        return known[0]
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


def _tidy(folder: str) -> None:
    """Take away the folders of a file that was ours, if nothing else is in them, and a harness's name is on them."""
    while os.path.basename(folder) in FOLDERS and not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)
