"""`holdfast delete`: a plan is gone for good, after a question, and nothing else with it."""

import time
from pathlib import Path

import pytest
from driving import run
from pseudo_terminal import PseudoTerminal

from holdfast import Board

YEAR_AGO = 365 * 86_400.0
DELETE = """
import sys
from holdfast.cli.main import main
sys.argv[1:] = ["delete", "--session", "old", "--db", {db!r}]
sys.exit(main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an old plan and a new one."""
    path = tmp_path / "plans.db"
    Board(store=path, session="old", clock=lambda: time.time() - YEAR_AGO).write({"todos": [{"content": "A secret"}]})
    Board(store=path, session="new").write({"todos": [{"content": "Read"}, {"content": "Fix"}]})
    return tmp_path


def sessions(folder: Path) -> list[str]:
    """The sessions that are listed, those that were put away too."""
    return sorted(each["session"] for each in run(folder, "sessions", "--all", "--json").data)


def test_a_dry_run_says_what_would_go(folder: Path) -> None:
    """And deletes nothing, nor does a call that names no plan."""
    ran = run(folder, "delete", "--older-than", "90", "--dry-run")
    assert ran.stdout == "Would delete old / main, 1 todo, changed 365d ago\n1 plan\n"
    assert run(folder, "delete", "--session", "new", "--dry-run").stdout.startswith("Would delete new / main, 2 todos")
    ran = run(folder, "delete", "--yes")
    assert ran.code == 1 and "delete: name a plan with --session NAME" in ran.stderr
    assert sessions(folder) == ["new", "old"]


def test_it_asks_where_a_person_can_answer_and_wants_yes_where_nobody_can(folder: Path) -> None:
    """A no, or no answer, keeps the plan."""
    ran = run(folder, "delete", "--session", "old")
    assert (
        ran.code == 1 and "this deletes old / main, 1 todo" in ran.stderr and "add --yes if you mean it" in ran.stderr
    )
    command = DELETE.format(db=str(folder / "plans.db"))
    for answer, said in (("n", "nothing was changed"), ("y", "Deleted old / main")):
        assert "old" in sessions(folder)
        with PseudoTerminal(command, 80, 24, {}) as terminal:
            terminal.wait_for("This deletes old / main", "Go on? [y/N]")
            terminal.type(f"{answer}\r")
            terminal.wait_for(said)
    assert sessions(folder) == ["new"]


def test_what_is_deleted_is_gone_everywhere(folder: Path) -> None:
    """No command finds it, its text is in no file of the folder, and the others are as they were."""
    ran = run(folder, "delete", "--session", "old", "--yes", "--json")
    assert ran.data == [{"session": "old", "agent": "main"}]
    for words in (["show"], ["log"], ["undo"], ["done", "1"], ["delete", "--yes"]):
        ran = run(folder, *words, "--session", "old")
        assert ran.code == 1 and "no " in ran.stderr, words
    assert b"A secret" not in b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
    assert "Read" in run(folder, "show").stdout
    assert run(folder, "add", "Anew", "--session", "old", "--new").code == 0
    assert "Anew" in run(folder, "show", "--session", "old").stdout
    assert "person delete\n    what was here before was deleted\n" in run(folder, "log", "--session", "old").stdout
