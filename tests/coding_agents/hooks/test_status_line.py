"""The status line: the current todo and the progress, on one line below Claude Code's prompt."""

import json
import os
from pathlib import Path

import pytest
from hooking import Hooked, board, hook, hook_as_it_is
from payloads import SESSION, todo_write


def shown(folder: Path, session: str = SESSION) -> Hooked:
    """What Claude Code would show."""
    asked = {"session_id": session, "cwd": str(folder), "workspace": {"project_dir": str(folder)}, "version": "2"}
    return hook_as_it_is(folder, asked, "--status-line")


def test_the_current_todo_and_the_progress(tmp_path: Path) -> None:
    """Nothing without a plan; then what is done, and what is being done; hostile text is shown, never obeyed."""
    assert shown(tmp_path) == Hooked("", "", 0)
    assert os.listdir(tmp_path) == [], "looking makes no file"
    hook(tmp_path, todo_write(("Read", "completed"), ("Fix\x1b[2J it\nall", "in_progress"), ("Ship", "pending")))
    assert shown(tmp_path) == Hooked("1/3 ▸ Doing Fix␛[2J it all\n", "", 0)
    assert shown(tmp_path, "other") == Hooked("", "", 0)
    hook(tmp_path, todo_write(("Read", "completed"), ("Ship", "completed")))
    assert shown(tmp_path).stdout == "2/2 done\n"


def test_a_plan_that_waits_says_so(tmp_path: Path) -> None:
    """A person sees what to do."""
    hook(tmp_path, todo_write(("Fix", "pending")), "--review")
    assert shown(tmp_path).stdout == "0/1 waits for holdfast approve\n"
    found = board(tmp_path)
    found.approve()
    found.store.close()
    assert shown(tmp_path).stdout == "0/1 ▸ Doing Fix\n"


@pytest.mark.parametrize("asked", [b"", b"{}", b"[1]", b'{"session_id": 3}', json.dumps({"cwd": "/nowhere"}).encode()])
def test_what_cannot_be_answered_is_silence(tmp_path: Path, asked: bytes) -> None:
    """A status line must not disturb."""
    (tmp_path / "plans.db").write_bytes(b"not a plan file")
    assert hook_as_it_is(tmp_path, asked, "--status-line") == Hooked("", "", 0)
