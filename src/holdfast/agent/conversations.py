"""Conversations on the disk: one file each, beside the plans, written as the conversation goes.

Each line is one record, on the disk before the next request: the conversation's description, a message and its
position, or all messages again after a compaction. A record that was written twice does no harm.
"""

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import StoreError, UsageError
from ..stores import trust
from ..stores.locate import FOLDER as PLANS
from .compaction import user_texts
from .line_file import LineFile, damaged_line, read_records
from .messages import Message

FOLDER = "conversations"
SUFFIX = ".jsonl"
_TEXT_FIELDS = {"text": ("text",), "tool_use": ("id", "name"), "tool_result": ("tool_use_id",)}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class ConversationInfo(NamedTuple):
    """What describes a conversation: its id, the session of its plan, the folder it works in, and when it began."""

    id: str
    session: str
    workspace: str
    began_at: float


class SavedConversation(NamedTuple):
    """A conversation as it is on the disk. `size` is where its last whole line ends.

    `problem` says why it cannot be read; empty if it can.
    """

    info: ConversationInfo
    messages: list[Message]
    changed_at: float
    size: int = 0
    problem: str = ""

    @property
    def title(self) -> str:
        """The user's first words."""
        return self.problem or next((words for message in self.messages for words in user_texts(message)), "")


class OpenConversation:
    """An open conversation. Nobody else can open it until it is closed, or its process ends."""

    def __init__(self, file: LineFile, saved: SavedConversation) -> None:
        self.info = saved.info
        self.messages = saved.messages
        self._saved = list(saved.messages)
        self._file = file
        file.truncate(saved.size)
        if not saved.size:
            file.append(saved.info._asdict())

    def save(self, messages: Sequence[Message]) -> None:
        """Put what is new in the messages on the disk. Raises StoreError if that fails."""
        known = len(self._saved)
        if len(messages) < known or any(old is not new for old, new in zip(self._saved, messages, strict=False)):
            self._file.append({"messages": list(messages)})
        else:
            for at, message in enumerate(messages[known:], known):
                self._file.append({"at": at, "message": message})
        self._saved = list(messages)

    def close(self) -> None:
        """Close the file. A conversation without messages leaves none."""
        self._file.close(remove=not self._saved)


class ConversationFolder:
    """The conversations in one folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def begin(self, workspace: str, session: str | None = None) -> OpenConversation:
        """A new conversation. Without a session name, its plan gets a session of its own. Raises StoreError."""
        now = time.time()
        id = f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{os.urandom(2).hex()}"
        try:
            if self.folder.parent.name == PLANS:
                trust.make_folder(str(self.folder.parent))
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"no conversation can be saved in {self.folder}: {error.strerror}") from error
        info = ConversationInfo(id, session or id, workspace, now)
        return OpenConversation(_open_file(self._path(id)), SavedConversation(info, [], now))

    def resume(self, id: str) -> OpenConversation:
        """An earlier conversation. Raises UsageError if there is none with this id, StoreError if it is in use.

        Raises UntrustedFile if it may be somebody else's work: its messages would count as the user's words.
        """
        path = self._path(id)
        self._check_folder()
        if not path.is_file():
            raise UsageError(f"no conversation {id!r}; `holdfast agent --list` lists them")
        trust.check_file(str(path))
        file = _open_file(path)
        try:
            return OpenConversation(file, _read(path))
        except BaseException:
            file.close()
            raise

    def last(self, workspace: str, session: str | None = None) -> OpenConversation:
        """The conversation of a folder (and of a session, if given) that was changed last.

        Raises UsageError if there is none.
        """
        for saved in self.all():
            if saved.info.workspace == workspace and session in (None, saved.info.session):
                return self.resume(saved.info.id)
        raise UsageError(f"no conversation to continue in {workspace}")

    def all(self) -> list[SavedConversation]:
        """Every conversation, the one changed last first. Raises UntrustedFile if they may be somebody else's work."""
        self._check_folder()
        saved = [_read_or_problem(path) for path in self.folder.glob(f"*{SUFFIX}")]
        return sorted(saved, key=lambda conversation: conversation.changed_at, reverse=True)

    def _check_folder(self) -> None:
        if self.folder.parent.name == PLANS:
            trust.check_folder(str(self.folder.parent))
            trust.check_file(str(self.folder))

    def _path(self, id: str) -> Path:
        if not _ID.fullmatch(id):
            raise UsageError(f"{id!r} is not the id of a conversation")
        return self.folder / f"{id}{SUFFIX}"


def _open_file(path: Path) -> LineFile:
    return LineFile(path, f"the conversation {path.stem}", is_private=True)


def _read_or_problem(path: Path) -> SavedConversation:
    try:
        trust.check_file(str(path))
        return _read(path)
    except StoreError as error:
        return SavedConversation(ConversationInfo(path.stem, "", "", 0.0), [], 0.0, problem=str(error))


def _read(path: Path) -> SavedConversation:
    """A conversation on the disk. Raises StoreError if more than its last line cannot be read."""
    records, size, changed_at = read_records(path)
    info = ConversationInfo(path.stem, path.stem, "", changed_at)
    messages: list[Message] = []
    for number, record in enumerate(records, 1):
        try:
            if number == 1:
                info = _checked_info(info._replace(**record), path.stem)
            elif "messages" in record:
                messages = [_checked_message(message) for message in record["messages"]]
            else:
                messages[_checked_place(record["at"], len(messages)) :] = [_checked_message(record["message"])]
        except (KeyError, TypeError, ValueError) as error:
            raise damaged_line(path, number) from error
    return SavedConversation(info, messages, changed_at, size)


def _checked_info(info: ConversationInfo, id: str) -> ConversationInfo:
    """A description with values of the right kinds, of the file that has this id. Raises ValueError for others."""
    texts = (info.session, info.workspace)
    if not all(isinstance(text, str) for text in texts) or not isinstance(info.began_at, (int, float)):
        raise ValueError("not the description of a conversation")
    return info._replace(id=id)


def _checked_place(at: object, count: int) -> int:
    """Where a message goes among so many others. Raises ValueError for a place that is not there."""
    if not isinstance(at, int) or not 0 <= at <= count:
        raise ValueError("not the place of a message")
    return at


def _checked_message(message: Message) -> Message:
    """A message of the shape that the Messages API has. Raises ValueError or KeyError for others."""
    if message["role"] not in ("user", "assistant") or not isinstance(message["content"], list):
        raise ValueError("not a message")
    for block in message["content"]:
        fields = _TEXT_FIELDS.get(block["type"], ())
        if not all(isinstance(block[field], str) for field in fields):
            raise ValueError("not a part of a message")
    return message
