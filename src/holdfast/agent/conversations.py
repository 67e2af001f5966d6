"""Conversations that last: one file each, beside the plans, written to as the conversation goes.

A line is one record, on the disk before the next request: what the conversation is, a message and its place, or all
messages anew after a compaction. A record says where it belongs, so one that was written twice does no harm. A last
line that was torn by a crash is as if it had not been written.
"""

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import StoreError, UsageError
from .compaction import said
from .line_file import append, locked
from .messages import Message

FOLDER = "conversations"
SUFFIX = ".jsonl"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class About(NamedTuple):
    """What a conversation is: its id, the session of its plan, the folder it works in, and when it began."""

    id: str
    session: str
    workspace: str
    began_at: float


class Kept(NamedTuple):
    """A conversation as it is on the disk. `size` is where its last whole line ends; `trouble` why it is unreadable."""

    about: About
    messages: list[Message]
    changed_at: float
    size: int = 0
    trouble: str = ""

    @property
    def title(self) -> str:
        """The user's first words."""
        return self.trouble or next((words for message in self.messages for words in said(message)), "")


class Conversation:
    """An open conversation. Nobody else can open it until it is closed, or its process ends."""

    def __init__(self, path: Path, file: int, kept: Kept) -> None:
        self.about = kept.about
        self._path = path
        self.messages = kept.messages
        self._kept = list(kept.messages)
        self._file = file
        os.ftruncate(file, kept.size)  # what a crash has torn
        if not kept.size:
            self._write(kept.about._asdict())

    def keep(self, messages: Sequence[Message]) -> None:
        """Put what is new in the messages on the disk. Raises StoreError if that fails."""
        known = len(self._kept)
        if len(messages) < known or any(old is not new for old, new in zip(self._kept, messages, strict=False)):
            self._write({"messages": list(messages)})
        else:
            for at, message in enumerate(messages[known:], known):
                self._write({"at": at, "message": message})
        self._kept = list(messages)

    def close(self) -> None:
        """Let go of the file. A conversation in which nobody said anything leaves none."""
        if not self._kept:
            self._path.unlink(missing_ok=True)
        os.close(self._file)

    def _write(self, record: object) -> None:
        append(self._file, json.dumps(record, default=str).encode() + b"\n", "the conversation")


class Conversations:
    """The conversations that are kept in one folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def begin(self, workspace: str, session: str | None = None) -> Conversation:
        """A new conversation. Its plan is in a session of its own if none is named. Raises StoreError."""
        now = time.time()
        id = f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{os.urandom(2).hex()}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"no conversation can be kept in {self.folder}: {error.strerror}") from error
        path = self._path(id)
        return Conversation(path, _locked(path), Kept(About(id, session or id, workspace, now), [], now))

    def resume(self, id: str) -> Conversation:
        """A conversation that was begun before. Raises UsageError if there is none, StoreError if it is in use."""
        path = self._path(id)
        if not path.is_file():
            raise UsageError(f"no conversation {id!r}; `holdfast agent --list` names them")
        file = _locked(path)
        try:
            return Conversation(path, file, _read(path))
        except BaseException:
            os.close(file)
            raise

    def last(self, workspace: str, session: str | None = None) -> Conversation:
        """The conversation of a folder, and of a session if one is named, that was changed last.

        Raises UsageError if there is none.
        """
        for kept in self.all():
            if kept.about.workspace == workspace and session in (None, kept.about.session):
                return self.resume(kept.about.id)
        raise UsageError(f"no conversation to continue in {workspace}")

    def all(self) -> list[Kept]:
        """Every conversation, the one changed last first."""
        kept = [_read_or_told(path) for path in self.folder.glob(f"*{SUFFIX}")]
        return sorted(kept, key=lambda one: one.changed_at, reverse=True)

    def _path(self, id: str) -> Path:
        if not _ID.fullmatch(id):
            raise UsageError(f"{id!r} is not the id of a conversation")
        return self.folder / f"{id}{SUFFIX}"


def _locked(path: Path) -> int:
    return locked(path, f"the conversation {path.stem}", is_private=True)


def _read_or_told(path: Path) -> Kept:
    try:
        return _read(path)
    except StoreError as error:
        return Kept(About(path.stem, "", "", 0.0), [], 0.0, trouble=str(error))


def _read(path: Path) -> Kept:
    """A conversation on the disk. Raises StoreError if more than its last line cannot be read."""
    try:
        data = path.read_bytes()
        changed_at = path.stat().st_mtime
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    whole = data[: data.rfind(b"\n") + 1]
    first, *records = list(_records(path, whole)) or [{}]
    about = About(path.stem, path.stem, "", changed_at)._replace(**first)
    messages: list[Message] = []
    for record in records:
        if "messages" in record:
            messages = record["messages"]
        else:
            messages[record["at"] :] = [record["message"]]
    return Kept(about, messages, changed_at, len(whole))


def _records(path: Path, data: bytes) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(data.splitlines(), 1):
        try:
            record = json.loads(line)
            if number > 1 and not {"messages", "message"} & record.keys():
                raise ValueError("it is no record")
        except (ValueError, AttributeError) as error:
            raise StoreError(f"{path}:{number} is damaged: mend or remove that line") from error
        yield record
