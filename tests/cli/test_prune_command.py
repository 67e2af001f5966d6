"""`holdfast prune`: old history goes, on both stores, and a dry run only tells."""

import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import postgres_server
import pytest
from driving import run

from holdfast import Board, Plan
from holdfast.cli.command import Exit
from holdfast.stores import Key, open_store
from holdfast.stores.leases import leases_on
from holdfast.stores.store import Prunes

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
    assert run(tmp_path, *words, "--dry-run", "--json").data == {
        "changes": 3,
        "months": [],
        "plans": 0,
        "dry_run": True,
    }
    assert history_length(place) == 4
    assert run(tmp_path, *words).stdout == "Deleted 3 changes; every plan stays\n"
    assert history_length(place) == 1
    assert run(tmp_path, *words).stdout == "Deleted 0 changes; every plan stays\n"


def test_the_newest_are_kept(tmp_path: Path, place: str) -> None:
    """With a number, so many changes of each plan stay, however old they are."""
    ran = run(tmp_path, "prune", "--older-than", "90", "--keep", "2", "--db", place, "--json")
    assert ran.data == {"changes": 2, "months": [], "plans": 0, "dry_run": False}
    assert history_length(place) == 2


def test_what_may_go_must_be_said(tmp_path: Path, place: str) -> None:
    """Nothing is deleted by a command line that names no limit, or a wrong one."""
    for words, told in (
        ((), "--older-than DAYS, --keep NUMBER"),
        (("--keep", "0"), "from 1 to"),
        (("--older-than", "-3"), "prune"),
        (("--keep", "2", "--whole-months"), "--whole-months is for PostgreSQL"),
        (("--keep", "2", "--archived"), "--archived needs --older-than"),
    ):
        ran = run(tmp_path, "prune", *words, "--db", place)
        assert ran.code in (Exit.USAGE, Exit.REFUSED)
        assert told in ran.stderr
    assert history_length(place) == 4


def test_plans_that_were_put_away_go_after_their_time(tmp_path: Path, place: str) -> None:
    """With history, totals, claims and work; a plan in use stays, and so does one that was put away lately."""
    with closing(open_store(place)) as store:
        for session, at in (("long ago", time.time() - YEAR_AGO), ("lately", time.time())):
            board = Board(store=store, session=session, clock=partial(float, at))
            board.update([{"content": "a"}])
            store.tally(board.key, {"rejected": 1})
            board.claim("bob")
            board.archive()
        deleted = Board(store=store, session="deleted", clock=partial(float, time.time() - YEAR_AGO))
        deleted.add("secret")
        assert deleted.delete().ok
        Board(store=store).add("e")
    words = ("prune", "--older-than", "90", "--archived", "--db", place)
    assert run(tmp_path, *words, "--dry-run").stdout == "Would delete 1 plan with all history\n"
    assert run(tmp_path, *words, "--json").data == {"changes": None, "months": [], "plans": 1, "dry_run": False}
    assert run(tmp_path, *words).stdout == "Deleted 0 plans with all history\n"
    with closing(open_store(place)) as store:
        assert {kept.key.session for kept in store.sessions()} == {"default", "lately"}
        gone = Key("long ago", "main")
        assert store.load(gone).revision == 0 and list(store.history(gone)) == []
        assert store.tallies(gone) == {} and not leases_on(store, gone)
        assert {record.key.session for record in store.watch(since=0, timeout=0)} == {"default", "lately"}
        assert Board(store=store, session="long ago").add("begun anew").ok
        assert len(list(store.history(gone))) == 1
        assert store.load(deleted.key) == Plan(), "nothing is left of what was deleted a year ago, not even its numbers"
        assert len(list(store.history(Key("lately", "main")))) == 3


def test_the_newest_change_of_a_file_stays(tmp_path: Path) -> None:
    """Its number must not be given again: whoever watches has seen it."""
    with closing(open_store(tmp_path / "plans.db")) as store:
        board = Board(store=store, clock=lambda: time.time() - YEAR_AGO)
        board.add("a")
        board.archive()
        assert isinstance(store, Prunes)
        assert store.delete_archived(0) == 0
        Board(store=store, session="other").add("b")
        assert store.delete_archived(0) == 1
        assert store.load(board.key).revision == 0


def test_whole_months_are_of_a_database_alone(tmp_path: Path) -> None:
    """A file has no months to drop."""
    ran = run(tmp_path, "prune", "--older-than", "9", "--whole-months", "--db", str(tmp_path / "plans.db"))
    assert ran.code == Exit.REFUSED and "is for PostgreSQL" in ran.stderr


@pytest.mark.parametrize("command", ["archive", "delete"])
def test_many_old_plans_go_at_once(tmp_path: Path, place: str, command: str) -> None:
    """Each of them, and no other; on a database several at a time."""
    with closing(open_store(place)) as store:
        for number in range(30):
            Board(store=store, session=f"old {number}", clock=lambda: time.time() - YEAR_AGO).add("Do it")
    words = (command, "--older-than", "90", "--db", place, *(["--yes"] if command == "delete" else []))
    ran = run(tmp_path, *words)
    assert (len(ran.stdout.splitlines()), ran.code) == (31, Exit.OK)
    with closing(open_store(place)) as store:
        left = {key.session for key, plan in store.sessions() if not plan.is_archived}
        assert left == {"default"}
    assert run(tmp_path, *words).stdout.startswith("0 plans")
