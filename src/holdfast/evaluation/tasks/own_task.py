"""A user's own task: a folder with a text and a check command.

    task.md     what the model is told
    check.sh    run by bash in the folder that the model worked in, when the run is over: exit code 0 is done
    files/      what the model starts from, copied (optional)
    later.md    what the user says half way (optional)

A check that prints lines `ok NAME` and `not ok NAME` has one job per line, and some of them may be done.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ...agent.tools import Workspace
from ...errors import UsageError
from ..checks import run_check
from .task import Task, Verdict

KIND = "own"
TEXT, CHECK, FILES, LATER = "task.md", "check.sh", "files", "later.md"
MOST_FILES, MOST_BYTES = 2000, 50_000_000
LINE = re.compile(r"(not )?ok\b[ \d]*(?:- *)?(.*)")


def load_task(folder: Path) -> Task:
    """The task in a folder. Raises UsageError, with what is missing, if there is no task."""
    for name in (TEXT, CHECK):
        if not (folder / name).is_file():
            raise UsageError(f"no task in {folder}: {name} is missing; it needs {TEXT} and {CHECK}")
    text, later = _text(folder / TEXT), _text(folder / LATER)
    if not text:
        raise UsageError(f"no task in {folder}: {TEXT} is empty")
    script, files = (folder / CHECK).resolve(), _files(folder / FILES)
    return Task(
        folder.resolve().name,
        KIND,
        text,
        files=files,
        later=later,
        judge=lambda workspace: judge(script, workspace),
        programs=frozenset(path for path in files if os.access(folder / FILES / path, os.X_OK)),
    )


def judge(script: Path, workspace: Workspace) -> list[Verdict]:
    """The verdicts of the check: one per `ok` or `not ok` line, else one by its exit code."""
    code, output = run_check(["bash", str(script)], workspace.root)
    found = [found for line in output.splitlines() if (found := LINE.match(line.strip()))]
    if not found:
        return [Verdict("the check", (), code == 0)]
    ended = [] if code is not None else [Verdict("the check ends in time", (), False)]
    return [*(Verdict(line[2] or "the check", (line[2],) if line[2] else (), not line[1]) for line in found), *ended]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _files(folder: Path) -> Mapping[str, bytes]:
    """All files below a folder. Raises UsageError if they are too many or too large."""
    files: dict[str, bytes] = {}
    size = 0
    for at, _, names in os.walk(folder):
        for name in names:
            path = Path(at) / name
            if path.is_symlink() or not path.is_file():
                raise UsageError(f"{path} is not a regular file: a task starts from files only")
            size += path.stat().st_size
            if len(files) == MOST_FILES or size > MOST_BYTES:
                raise UsageError(f"{folder} is too large: at most {MOST_FILES} files and {MOST_BYTES} bytes")
            files[str(path.relative_to(folder))] = path.read_bytes()
    return files
