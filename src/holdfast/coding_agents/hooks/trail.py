"""What the hooks of one conversation leave for the next ones, each of which is a process of its own.

It is a small file in the user's state folder. It holds nothing that the plan needs: without it, hooks still record.
"""

import json
import os
import time
from binascii import crc32
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...stores.locate import state_folder

FOLDER = "hooks"
CALLS = "calls"
LATE = "late"
WANTED = "wanted"
SAME = 2.0
"""Within how many seconds the same event counts as one: settings of a user and of a project may both name a hook."""

MOST_SEEN = 32
LONGEST_PROMPT = 120
SILENT = 6 * 3600.0
"""After how many seconds without an event a conversation that did not say good-bye counts as over."""

OLDEST = 7 * 86_400.0
"""After how many seconds a trail is removed."""


class Footprints(NamedTuple):
    """What is known of a conversation besides its plan.

    `seen` are the last events, each with its time. `prompt` is the user's first one. `running` are the subagents at
    work, where a harness names none in its events. `offered` is the plan of another conversation that was offered.
    """

    began: float = 0.0
    prompt: str = ""
    seen: tuple[tuple[float, int], ...] = ()
    running: tuple[str, ...] = ()
    offered: tuple[str, str] | None = None
    is_over: bool = False


NO_FOOTPRINTS = Footprints()


class Trail:
    """The file of one conversation of one harness."""

    def __init__(self, environ: Mapping[str, str], harness: str, session: str) -> None:
        self.path = os.path.join(folder(environ), f"{harness}-{file_name(session)}")

    def read(self) -> Footprints:
        """What is there now."""
        try:
            with open(self.path, encoding="utf-8") as file:
                return _footprints(file.read())
        except OSError:
            return NO_FOOTPRINTS

    @contextmanager
    def change(self) -> Iterator[list[Footprints]]:
        """What is there now, in a list: what the list holds at the end is written. Other hooks wait meanwhile."""
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        with open(handle, "r+", encoding="utf-8") as file:
            _lock(handle)
            found = [_footprints(file.read())]
            yield found
            file.seek(0)
            file.truncate()
            json.dump(found[0], file)

    def is_live(self, now: float) -> bool:
        """Whether the conversation may still go on."""
        try:
            return now - os.stat(self.path).st_mtime < SILENT and not self.read().is_over
        except OSError:
            return False


def folder(environ: Mapping[str, str]) -> str:
    """Where trails are."""
    return os.path.join(state_folder(environ), FOLDER)


def add_event(known: Footprints, mark: int, now: float, is_repeated: bool) -> Footprints | None:
    """The footprints with one more event; `None` if another hook answers the same event, which came a moment ago."""
    recent = [(at, other) for at, other in known.seen if now - at < SAME]
    if mark in [other for _, other in recent] and not is_repeated:
        return None
    return known._replace(began=known.began or now, seen=(*recent, (now, mark))[-MOST_SEEN:], is_over=False)


def leave_call(environ: Mapping[str, str], tool_use: str, key: tuple[str, str]) -> None:
    """Say whose call a tool use is, for the MCP server that receives it."""
    path = os.path.join(folder(environ), CALLS, file_name(tool_use))
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = f"{path}.{os.getpid()}"
    with open(draft, "x", encoding="utf-8") as file:
        json.dump(key, file)
    os.replace(draft, path)


def take_call(environ: Mapping[str, str], tool_use: str) -> tuple[str, str] | None:
    """The session and the agent of a tool use, if a hook has left them. They are taken away."""
    path = os.path.join(folder(environ), CALLS, file_name(tool_use))
    try:
        with open(path, encoding="utf-8") as file:
            session, agent = json.load(file)
        os.unlink(path)
    except (OSError, ValueError, TypeError):
        return None
    return (session, agent) if isinstance(session, str) and isinstance(agent, str) else None


def postpone(environ: Mapping[str, str], harness: str, session: str, raw: bytes) -> None:
    """Keep an event that could not be recorded in time, for the next hook of its conversation. Raises OSError."""
    place = os.path.join(folder(environ), LATE)
    os.makedirs(place, mode=0o700, exist_ok=True)
    name = f"{harness}-{file_name(session)}.{time.time_ns():020d}.{os.getpid()}"
    with open(os.path.join(place, f".{name}"), "xb") as file:
        file.write(raw)
    os.rename(os.path.join(place, f".{name}"), os.path.join(place, name))


def take_postponed(environ: Mapping[str, str], harness: str, session: str) -> list[bytes]:
    """The events of a conversation that were put off, in their order. Each is taken by one hook only."""
    place, start = os.path.join(folder(environ), LATE), f"{harness}-{file_name(session)}."
    found = []
    try:
        for name in sorted(name for name in os.listdir(place) if name.startswith(start)):
            mine = os.path.join(place, f".{os.getpid()}.{name}")
            os.rename(os.path.join(place, name), mine)
            with open(mine, "rb") as file:
                found.append(file.read())
            os.unlink(mine)
    except OSError:  # there are none, or another hook takes them
        pass
    return found


def is_plan_wanted(environ: Mapping[str, str]) -> bool:
    """Whether a person wants a plan in the next conversation: `offers` knows which."""
    return os.path.exists(os.path.join(folder(environ), WANTED))


def remove_old(environ: Mapping[str, str], now: float) -> None:
    """Remove what is old."""
    for place in (folder(environ), *(os.path.join(folder(environ), name) for name in (CALLS, LATE))):
        try:
            with os.scandir(place) as entries:
                old = [entry.path for entry in entries if entry.is_file() and now - entry.stat().st_mtime > OLDEST]
            for path in old:
                os.unlink(path)
        except OSError:
            pass


def last_event(environ: Mapping[str, str], harness: str) -> float:
    """When a hook of a harness last ran; 0 if never, or too long ago."""
    try:
        with os.scandir(folder(environ)) as entries:
            return max((e.stat().st_mtime for e in entries if e.name.startswith(f"{harness}-")), default=0.0)
    except OSError:
        return 0.0


def file_name(id: str) -> str:
    """A name for a file, different for different ids."""
    safe = "".join(letter for letter in id if letter.isascii() and (letter.isalnum() or letter in "-_"))
    return f"{safe[:60]}-{crc32(id.encode('utf-8', 'replace')):08x}"


def _footprints(text: str) -> Footprints:
    try:
        began, prompt, seen, running, offered, is_over = json.loads(text)
        return Footprints(
            float(began),
            str(prompt),
            tuple((float(at), int(mark)) for at, mark in seen),
            tuple(map(str, running)),
            None if offered is None else (str(offered[0]), str(offered[1])),
            bool(is_over),
        )
    except (ValueError, TypeError, IndexError):
        return NO_FOOTPRINTS


def _lock(handle: int) -> None:
    """Wait for other hooks, but not for long: a trail is not worth a delay."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    locks: Any = fcntl
    for _ in range(40):
        try:
            locks.flock(handle, locks.LOCK_EX | locks.LOCK_NB)
            return
        except OSError:
            time.sleep(0.005)
