"""`holdfast prune`: old history goes, on both stores, and a dry run only tells."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import postgres_server
import pytest
from driving import run

from holdfast import Board
from holdfast.cli.command import Exit
from holdfast.stores import open_store

YEAR_AGO = 365 * 86_400.0

PLACES: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "kept.db"),
    "postgres": lambda folder: postgres_server.shared().address(),
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of each kind with three old changes and a new one."""
    address = PLACES[request.param](tmp_path)
    with closing(open_store(address)) as store:
        old = Board(store=store, clock=lambda: time.time() - YEAR_AGO)
        for text in "abc":
            old.add(text)
        Board(store=store).add("d")
    return address


def history_length(address: str) -> int:
    """How many changes the plan has left."""
    with closing(open_store(address)) as store:
        board = Board(store=store)
        assert [todo.content for todo in board.plan.todos] == list("abcd")
        return len(list(board.history()))


def test_a_dry_run_counts_and_deletes_nothing(tmp_path: Path, place: str) -> None:
    """It says how many would go; the same command without it deletes as many."""
    words = ("prune", "--older-than", "90", "--db", place)
    assert run(tmp_path, *words, "--dry-run").stdout == "Would delete 3 changes; every plan stays\n"
    assert run(tmp_path, *words, "--dry-run", "--json").data == {"changes": 3, "months": [], "dry_run": True}
    assert history_length(place) == 4
    assert run(tmp_path, *words).stdout == "Deleted 3 changes; every plan stays\n"
    assert history_length(place) == 1
    assert run(tmp_path, *words).stdout == "Deleted 0 changes; every plan stays\n"


def test_the_newest_are_kept(tmp_path: Path, place: str) -> None:
    """With a number, so many changes of each plan stay, however old they are."""
    ran = run(tmp_path, "prune", "--older-than", "90", "--keep", "2", "--db", place, "--json")
    assert ran.data == {"changes": 2, "months": [], "dry_run": False}
    assert history_length(place) == 2


def test_what_may_go_must_be_said(tmp_path: Path, place: str) -> None:
    """Nothing is deleted by a command line that names no limit, or a wrong one."""
    for words, told in (
        ((), "--older-than DAYS, --keep NUMBER"),
        (("--keep", "0"), "from 1 to"),
        (("--older-than", "-3"), "prune"),
        (("--keep", "2", "--whole-months"), "--whole-months is for PostgreSQL"),
    ):
        ran = run(tmp_path, "prune", *words, "--db", place)
        assert ran.code in (Exit.USAGE, Exit.REFUSED)
        assert told in ran.stderr
    assert history_length(place) == 4


def test_whole_months_are_of_a_database_alone(tmp_path: Path) -> None:
    """A file has no months to drop."""
    ran = run(tmp_path, "prune", "--older-than", "9", "--whole-months", "--db", str(tmp_path / "plans.db"))
    assert ran.code == Exit.REFUSED and "is for PostgreSQL" in ran.stderr
