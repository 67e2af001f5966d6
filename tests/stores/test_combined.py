"""The plans of several projects as one store, and the list of projects that were used lately."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import wait_until

from holdfast import Board
from holdfast.stores import Key, Record
from holdfast.stores.combined import CombinedStore
from holdfast.stores.follow import News, follow
from holdfast.stores.projects import LATELY, used_lately


def project(folder: Path, name: str, *texts: str) -> str:
    """A project with a plan file of its own. Returns the path of the file."""
    path = folder / name / ".holdfast" / "plans.db"
    board = Board(store=path)
    board.write({"todos": [{"content": text} for text in texts]})
    board.store.close()
    return str(path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of their own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def combined(home: Path) -> Iterator[CombinedStore]:
    """Two projects, `shop` with one todo and `api` with two."""
    project(home, "shop", "Sell")
    project(home, "api", "Ask", "Answer")
    store = CombinedStore(used_lately)
    yield store
    store.close()


def test_every_project_that_was_used_is_listed_the_last_first(home: Path) -> None:
    """Opening a plan file in a `.holdfast` folder is enough; other files belong to no project."""
    first, second = project(home, "first", "a"), project(home, "second", "b")
    Board(store=home / "loose.db").write({"todos": [{"content": "c"}]})
    os.utime(first, (time.time() - 60, time.time() - 60))
    for suffix in ("-wal", "-shm"):
        Path(first + suffix).unlink(missing_ok=True)
    assert used_lately() == [second, first]


def test_the_list_prunes_itself(home: Path) -> None:
    """A file that is gone, or that nobody used for long, leaves the list, and its record goes with it."""
    gone, old = project(home, "gone", "a"), project(home, "old", "b")
    records = home / "home" / ".local" / "state" / "holdfast" / "projects"
    (records / "!nonsense").write_text("../../etc/passwd")
    assert len(list(records.iterdir())) == 3
    Path(gone).unlink()
    assert used_lately() == [old]
    assert used_lately(now=time.time() + LATELY + 60) == []
    assert list(records.iterdir()) == []


def test_a_state_folder_that_cannot_be_written_is_no_trouble(home: Path) -> None:
    """Plans are kept all the same; there is just no list."""
    (home / "home" / ".local" / "state" / "holdfast").mkdir(parents=True)
    (home / "home" / ".local" / "state" / "holdfast" / "projects").write_text("a file")
    assert Board(store=project(home, "shop", "a")).plan.todos
    assert used_lately() == []


def test_sessions_stand_side_by_side(combined: CombinedStore) -> None:
    """The same session name in two projects means two boards, each found under its project's name."""
    assert {board.key for board in combined.sessions()} == {Key("shop: default", "main"), Key("api: default", "main")}
    assert len(combined.load(Key("api: default", "main")).todos) == 2
    assert combined.load(Key("nowhere: default", "main")).revision == 0


def test_an_edit_lands_in_its_own_project(combined: CombinedStore, home: Path) -> None:
    """A person's edit through the combined store is one of that project's plan, and of no other."""
    assert Board.for_person(combined, "api: default", "main").edit("1", status="completed").ok
    assert not Board.for_person(combined, "nowhere: default", "main").add("x").ok
    own = Board(store=home / "api" / ".holdfast" / "plans.db")
    assert [todo.status for todo in own.plan.todos] == ["completed", "pending"]
    assert not Board(store=home / "shop" / ".holdfast" / "plans.db").plan.done


def test_changes_are_heard_once_and_in_growing_numbers(combined: CombinedStore, home: Path) -> None:
    """Whichever project changes, each change comes once, with a number above all before it."""
    since = News(combined).since
    Board(store=home / "shop" / ".holdfast" / "plans.db").add("Buy")
    Board(store=home / "api" / ".holdfast" / "plans.db").add("Log")
    heard: list[Record] = []
    for news in follow(combined, since):
        assert isinstance(news, Record)
        heard.append(news)
        if len(heard) == 2:
            break
    assert {record.key.session for record in heard} == {"shop: default", "api: default"}
    assert since < heard[0].sequence < heard[1].sequence
    assert list(combined.watch(heard[0].sequence, 0)) == heard[1:], "a reader goes on where it was"
    assert list(combined.watch(since, 0)) == heard


def test_the_past_keeps_its_numbers(combined: CombinedStore) -> None:
    """What was there before has numbers that fit each other, in the history and for who follows from far back."""
    past = list(combined.watch(0, 0))
    numbers = [record.sequence for record in past]
    assert numbers == sorted(set(numbers)) and len(past) == 2
    histories = [record for board in combined.sessions() for record in combined.history(board.key)]
    assert sorted(histories, key=lambda record: record.sequence) == past


def test_a_change_in_a_history_has_the_number_that_followers_get(combined: CombinedStore, home: Path) -> None:
    """A history that is read before the change was heard gives it the number under which it is heard."""
    since = News(combined).since
    Board(store=home / "shop" / ".holdfast" / "plans.db").add("Buy")
    newest = next(combined.history(Key("shop: default", "main")))
    assert [record.sequence for record in combined.watch(since, 1)] == [newest.sequence]


def test_a_project_that_begins_later_is_shown_too(
    combined: CombinedStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows hears of a new project, by the newest change of each of its boards."""
    monkeypatch.setattr("holdfast.stores.combined.LOOK_AGAIN", 0.0)
    news = News(combined)
    Board(store=project(home, "shop2/shop", "Move in")).add("Unpack")

    def heard() -> bool:
        for record in combined.watch(news.since, 0):
            news.hear(record)
        return Key("shop 2: default", "main") in {key for key, _ in news.boards}

    wait_until(heard)
    plan = combined.load(Key("shop 2: default", "main"))
    assert [todo.content for todo in plan.todos] == ["Move in", "Unpack"]


def test_a_project_that_cannot_be_opened_hides_no_other(combined: CombinedStore, home: Path) -> None:
    """It is named, with the reason, and the others are there."""
    path = project(home, "broken", "a")
    for suffix in ("-wal", "-shm"):
        Path(path + suffix).unlink(missing_ok=True)
    Path(path).write_bytes(b"no database" * 1000)
    store = CombinedStore(used_lately)
    assert store.labels and "broken" not in store.labels
    assert list(store.skipped) == [path]
    store.close()


def test_claims_go_where_the_project_is(combined: CombinedStore, home: Path) -> None:
    """A todo that is claimed through the combined store is claimed for its project's own agents, too."""
    Board.for_person(combined, "shop: default", "main").claim("worker", "1")
    own = Board(store=home / "shop" / ".holdfast" / "plans.db")
    assert [lease.holder for lease in own.leases.active_leases(own.key).values()] == ["worker"]
    assert combined.active_leases(Key("shop: default", "main"))
