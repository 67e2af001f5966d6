"""The projects of this user on this machine: which plan files were used lately.

The state folder has a small record for each `.holdfast/plans.db` that was opened: a file with its path in it. Records
of plan files that are gone, or that nobody has used for long, are removed whenever the list is read.
"""

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from .locate import FILE, FOLDER, state_folder

RECORDS = "projects"
LATELY = 30 * 86_400.0
"""For how many seconds after its last use a plan file is listed."""

AGAIN_AFTER = 86_400.0
"""After how many seconds a use is noted again: a record that is new enough costs one look."""

LONGEST_NAME = 200


def note_use(path: str) -> None:
    """Remember that a plan file was opened. Files elsewhere than in a `.holdfast` folder have no project.

    A state folder that cannot be written is no trouble: then there is no list.
    """
    if not path.endswith(f"{FOLDER}{os.sep}{FILE}"):
        return
    record = os.path.join(state_folder(os.environ), RECORDS, _record_name(path))
    with suppress(OSError):
        if not _is_fresh(record):
            _write(record, path)


def used_lately(environ: Mapping[str, str] = os.environ, now: float | None = None) -> list[str]:
    """The plan files that were used lately, the one used last first, the user's own file too. Removes old records."""
    now = time.time() if now is None else now
    folder = os.path.join(state_folder(environ), RECORDS)
    own = os.path.join(state_folder(environ), FILE)
    found = {own: _used_at(own)}
    with suppress(OSError):
        for name in os.listdir(folder):
            record = os.path.join(folder, name)
            path = _read(record)
            used_at = _used_at(path) if path else 0.0
            if now - used_at > LATELY:
                with suppress(OSError):
                    os.unlink(record)
            else:
                found[path] = used_at
    return sorted((path for path, used_at in found.items() if used_at), key=lambda path: -found[path])


def _record_name(path: str) -> str:
    return path.replace(os.sep, "!").replace(":", "!")[-LONGEST_NAME:]


def _is_fresh(record: str) -> bool:
    try:
        return abs(time.time() - os.stat(record).st_mtime) < AGAIN_AFTER
    except OSError:
        return False


def _write(record: str, path: str) -> None:
    os.makedirs(os.path.dirname(record), mode=0o700, exist_ok=True)
    with open(record, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(path)


def _read(record: str) -> str:
    """The path in a record; empty if there is none that can be used."""
    try:
        with open(record, encoding="utf-8", errors="surrogateescape") as file:
            path = file.read(4096)
    except OSError:
        return ""
    return path if os.path.isabs(path) and path.endswith(f"{FOLDER}{os.sep}{FILE}") and "\0" not in path else ""


def _used_at(path: str) -> float:
    """When a plan file was last written; 0 if it is gone."""
    times = [0.0]
    for name in (path, f"{path}-wal"):
        with suppress(OSError):
            times.append(os.stat(name).st_mtime)
    return max(times) if os.path.isfile(path) else 0.0
