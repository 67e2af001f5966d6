"""A plan that cannot be read: every command that is not about it goes on, and says that it is there."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from driving import populate, run, screen

from holdfast.cli.command import Exit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of two plans, of which the one changed last is damaged."""
    populate(tmp_path)
    with closing(sqlite3.connect(tmp_path / "plans.db", isolation_level=None)) as connection:
        connection.execute("UPDATE boards SET plan = 'rubbish' WHERE agent = 'tester'")
    return tmp_path


def test_a_list_has_the_others_and_names_it(folder: Path) -> None:
    """It stands in its place, and the exit code says that not all is well."""
    broken, well = screen(folder, "sessions")[1:]
    assert broken.startswith("nightly 夜间") and broken.endswith("  damaged: holdfast doctor says more")
    assert well.startswith("default") and "Drawing the 🎨 icon" in well
    assert run(folder, "sessions").code == Exit.STORE


def test_programs_are_told_in_the_list(folder: Path) -> None:
    """Its entry has whose it is and why, and nothing that could be taken for an empty plan."""
    broken, well = run(folder, "sessions", "--json").data
    assert (set(broken), broken["agent"]) == ({"session", "agent", "damaged"}, "tester")
    assert (well["session"], well["total"]) == ("default", 5)


@pytest.mark.parametrize("words", [["show"], ["done", "1"], ["show", "--agent", "tester"]])
def test_no_other_plan_is_taken_for_it(folder: Path, words: list[str]) -> None:
    """What means the plan changed last, or names the damaged one, is refused with its name."""
    ran = run(folder, *words)
    assert (ran.code, ran.stdout) == (Exit.STORE, "")
    assert "agent 'tester' is damaged" in ran.stderr


@pytest.mark.parametrize("command", ["show", "log", "stats", "export"])
def test_a_plan_that_is_well_can_be_named(folder: Path, command: str) -> None:
    """Its commands know nothing of the damage beside it."""
    ran = run(folder, command, "--session", "default")
    assert (ran.code, ran.stderr) == (Exit.OK, "")


@pytest.mark.parametrize("words", [["export"], ["migrate", "--to", "other.db"]])
def test_a_copy_that_would_lack_it_is_refused(folder: Path, words: list[str]) -> None:
    """Who moves everything is not told that everything was moved."""
    ran = run(folder, *words)
    assert (ran.code, ran.stdout) == (Exit.STORE, "")
    assert "is damaged" in ran.stderr


def test_a_view_shows_the_others(folder: Path) -> None:
    """`watch` counts it in its title and tells why beside, and shows every plan that can be read."""
    ran = run(folder, "watch", "--once")
    assert ran.code == Exit.OK
    assert "1 damaged" in ran.stdout.splitlines()[0] and "Réviser le café" in ran.stdout
    assert "agent 'tester' is damaged" in ran.stderr
