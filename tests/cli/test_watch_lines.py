"""`holdfast watch` where there is no terminal: the view once, then a line for each change."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest
from patience import PATIENCE

from holdfast import Board
from holdfast.cli.main import run
from holdfast.stores.sqlite import SQLiteStore

TODOS = [{"content": "Fix the bug", "activeForm": "Fixing the bug", "status": "in_progress"}, {"content": "Test"}]


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A store with one session at work."""
    path = str(tmp_path / "plans.db")
    Board(store=path, session="fix").write({"todos": TODOS})
    return path


@pytest.fixture
def lines(db: str) -> Iterator[subprocess.Popen[str]]:
    """The real command, with pipes on both sides."""
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", "watch", "--db", db],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    ) as process:
        ends = threading.Timer(PATIENCE, process.kill)  # then who reads from it comes to an end, too
        ends.start()
        yield process
        ends.cancel()
        process.kill()


def read_until(stream: IO[str] | None, is_last: Callable[[str], object]) -> list[str]:
    """The lines up to one."""
    assert stream is not None
    found = []
    for line in stream:
        found.append(line.rstrip("\n"))
        if is_last(line):
            break
    return found


def test_another_file_in_the_place_of_the_first_is_shown_and_followed(lines: subprocess.Popen[str], db: str) -> None:
    """Somebody puts a new file in its place: the view of the new one is printed, and then its changes."""
    with closing(SQLiteStore(f"{db}.new")) as store:
        Board(store=store, session="anew").write({"todos": [{"content": "Begin"}]})
    read_until(lines.stdout, lambda line: "planned" in line)
    for path in Path(db).parent.glob("plans.db-*"):
        path.unlink()
    os.replace(f"{db}.new", db)  # in one step: who looks between two may see that there is no plan
    view = read_until(lines.stdout, lambda line: "planned" in line)
    assert any("Begin" in line for line in view) and not any("Fix the bug" in line for line in view)
    Board(store=db, session="anew").edit("1", status="completed")
    assert read_until(lines.stdout, lambda line: True)[0].endswith("anew person: completed Begin")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_the_view_then_a_line_for_each_change(lines: subprocess.Popen[str], db: str) -> None:
    """A pipe gets the plain view, then when, where, who and what of each change, until it is interrupted."""
    view = read_until(lines.stdout, lambda line: "planned" in line)
    assert "    ● 1  Fixing the bug..." in view[3]
    Board(store=db, session="fix").update([{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}])
    Board(store=db, session="fix", agent="scout").write({"todos": [{"content": "Look\x1b[2J\naround"}]})
    Board(store=db, session="fix", agent="scout").edit("1", status="cancelled")
    told = read_until(lines.stdout, lambda line: "cancelled" in line)
    assert [re.sub(r"^\d\d:\d\d:\d\d ", "", line) for line in told] == [
        "fix host: completed Fix the bug; started Test",
        "fix/scout model: planned 1 todo",
        "fix/scout person: cancelled Look␛[2J around",
    ]
    lines.send_signal(signal.SIGINT)
    assert lines.wait(PATIENCE) == 130
    assert lines.stderr is not None and lines.stderr.read() == ""


def test_who_reads_may_go(lines: subprocess.Popen[str], db: str) -> None:
    """When the other end of the pipe is closed, as `head` does, it ends without a complaint."""
    read_until(lines.stdout, lambda line: "planned" in line)
    assert lines.stdout is not None and lines.stderr is not None
    lines.stdout.close()
    Board(store=db, session="fix").edit("2", status="cancelled")
    assert lines.wait(PATIENCE) == 0
    assert lines.stderr.read() == ""


def test_once(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`once` prints the plain view and ends."""
    Board(store=db, session="docs").write({"todos": [{"content": "Write", "status": "completed"}]})
    assert run(["watch", "--db", db, "--once"]) == 0
    printed = capsys.readouterr().out
    assert "1 running · 1 finished" in printed
    assert "● 1  Fixing the bug..." in printed
    assert "▸ docs" in printed
    assert "\x1b" not in printed
    assert "q quit" not in printed


def test_once_with_one_session(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With a session's name only that one is shown; an unknown one is refused, and those that are there are named."""
    Board(store=db, session="docs").write({"todos": [{"content": "Write"}]})
    assert run(["watch", "--db", db, "--session", "fix", "--once"]) == 0
    assert "docs" not in capsys.readouterr().out
    assert run(["watch", "--db", db, "--session", "other", "--once"]) == 1
    assert capsys.readouterr().err == "holdfast: no session 'other'; there are 'docs', 'fix'\n"


def test_once_finds_the_projects_store(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a store it is the project's own."""
    monkeypatch.setenv("HOLDFAST_DB", db)
    assert run(["watch", "--once"]) == 0
    assert "Fixing the bug" in capsys.readouterr().out


def test_a_store_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is no store is told in one line on standard error, with exit code 3."""
    file = tmp_path / "plans.db"
    file.write_bytes(b"no database at all" * 100)
    assert run(["watch", "--db", str(file), "--once"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("holdfast: ") and printed.err.count("\n") == 1
