"""Drives the real commands as a person's shell does: as processes, in a pipe or on a terminal of a given width."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyte
from counted import COUNTED
from patience import PATIENCE

from holdfast import Board
from holdfast.plan import Status

HOLDFAST = (sys.executable, "-m", "holdfast")
TODO_WRITE = (sys.executable, "-m", "holdfast.cli.todo_write_process")
SCRIPTS = Path(sys.executable).parent
COMPILED = Path(tempfile.gettempdir()) / "holdfast-tests-compiled"
Environ = Mapping[str, str]
NOTHING_ELSE: Environ = {}

START = 1_767_348_000.0
"""2026-01-02 10:00:00 in UTC."""

ESCAPE = "\x1b"
HOSTILE = "\x1b[2J\x1b[31mred\x1b]8;;x://y\x07link\x1b]8;;\x07 \x9b1A\u202egnirts\u202c a\tb\r\nc\x00\x7f\u2028d"


class Ran(NamedTuple):
    """What a command left behind."""

    stdout: str
    stderr: str
    code: int

    @property
    def data(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.stdout)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment that is the same everywhere."""
    return {
        "PATH": f"{SCRIPTS}:{os.environ['PATH']}",
        "HOME": str(folder),
        "HOLDFAST_DB": str(folder / "plans.db"),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "TZ": "UTC",
        "PYTHONPYCACHEPREFIX": str(COMPILED),
        **COUNTED,
        **more,
    }


def run(folder: Path, *words: str, program: Sequence[str] = HOLDFAST, stdin: bytes | str = b"", **environ: str) -> Ran:
    """Run a command whose output goes into pipes."""
    ran = subprocess.run(
        [*program, *words],
        cwd=folder,
        env=environment(folder, **environ),
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ran(ran.stdout.decode("utf-8", "strict"), ran.stderr.decode("utf-8", "strict"), ran.returncode)


def on_terminal(
    folder: Path,
    *words: str,
    columns: int = 100,
    rows: int = 60,
    environ: Environ = NOTHING_ELSE,
    program: Sequence[str] = HOLDFAST,
) -> bytes:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    with subprocess.Popen(
        [*program, *words],
        cwd=folder,
        env=environment(folder, **environ),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        written = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        process.wait(PATIENCE)
    return written


def screen(folder: Path, *words: str, columns: int = 100, rows: int = 60, environ: Environ = NOTHING_ELSE) -> list[str]:
    """What a person sees after a command, line by line."""
    terminal = pyte.Screen(columns, rows)
    pyte.ByteStream(terminal).feed(on_terminal(folder, *words, columns=columns, rows=rows, environ=environ))
    return "\n".join(line.rstrip() for line in terminal.display).rstrip("\n").split("\n")


def clock(start: float = START, step: float = 45.0) -> Callable[[], float]:
    """A clock that goes on by `step` seconds each time a change is made."""
    ticks = [start - step]

    def next_time() -> float:
        ticks[0] += step
        return ticks[0]

    return next_time


def board(folder: Path, session: str = "default", agent: str = "main", start: float = START) -> Board:
    """A board on the folder's plan file, with a clock of its own."""
    return Board(dialect="holdfast", store=folder / "plans.db", session=session, agent=agent, clock=clock(start))


def populate(folder: Path) -> None:
    """A store with a finished plan, one at work in several scripts, and a subagent's."""
    main = board(folder)
    main.write({"todos": [{"content": "Read the code", "status": "in_progress"}, {"content": "Fix the bug"}]})
    main.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}]})
    main.write({"todos": [{"id": "2", "status": "completed"}]})
    todos = [
        {"content": "Translate the manual 翻译手册", "status": "completed"},
        {"content": "Draw the 🎨 icon", "activeForm": "Drawing the 🎨 icon", "status": "in_progress"},
        {"content": "Réviser le café"},
        {"content": "Ask the owner"},
        {"content": "Write a blog post"},
    ]
    main.write({"summary": "Release 1.0 for everyone", "todos": todos})
    main.edit("4", status=Status.BLOCKED)
    main.edit("5", status=Status.CANCELLED)
    main.store.close()
    helper = board(folder, "nightly 夜间", "tester", START + 3600)
    helper.write({"todos": [{"content": "Run the tests"}, {"content": "Report"}]})
    helper.store.close()


def populate_finished(folder: Path) -> None:
    """A store with one plan that was worked to its end, with counts of what it cost."""
    main = board(folder)
    texts = ["Translate the manual 翻译手册", "Draw the 🎨 icon", "Réviser le café", "Never begun"]
    main.write({"todos": [{"content": text} for text in texts]})
    for id, pause in (("1", 600.0), ("2", 4000.0), ("3", 5.0)):
        main.edit(id, status=Status.IN_PROGRESS)
        later = board(folder, start=main.plan.updated_at + pause)
        later.edit(id, status=Status.COMPLETED)
        later.store.close()
        main.store.close()
        main = board(folder, start=later_than(folder))
    main.edit("4", status=Status.CANCELLED)
    main.write({"todos": "none"})
    main.store.tally(main.key, {"tokens.definition": 120, "tokens.calls": 480, "tokens.replies": 60})
    main.store.close()


def later_than(folder: Path) -> float:
    """A minute after the last change."""
    return board(folder).plan.updated_at + 60


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65_536)
    except OSError:  # on Linux, the other side is closed
        return b""
