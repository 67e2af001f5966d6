"""Another plan file in the place of the one that is watched: nobody waits for sequences that it does not have."""

import threading
from contextlib import closing
from pathlib import Path

import pytest
from patience import PATIENCE

from holdfast import Board
from holdfast.errors import StoreReplaced
from holdfast.stores import Record
from holdfast.stores.follow import News, StoreFollower
from holdfast.stores.sqlite import SQLiteStore


def moved(folder: Path, to: Path) -> None:
    """Move a plan file with all that SQLite has beside it."""
    to.mkdir(exist_ok=True)
    for path in folder.glob("plans.db*"):
        path.rename(to / path.name)


def test_a_file_that_is_away_for_a_while_is_waited_for(tmp_path: Path) -> None:
    """When it is back, its next change is heard of."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store).add("A")
        moved(tmp_path, tmp_path / "aside")
        assert list(store.watch(since=1, timeout=0)) == []
        moved(tmp_path / "aside", tmp_path)
        Board(store=store).add("B")
        assert [record.sequence for record in store.watch(since=1, timeout=0)] == [2]


def test_a_file_that_has_not_come_as_far_is_another(tmp_path: Path) -> None:
    """A watcher that begins anew knows it by the sequences."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store).add("A")
        Board(store=store).add("B")
        moved(tmp_path, tmp_path / "aside")
        Board(store=store).add("Anew")
        with pytest.raises(StoreReplaced, match=r"plans\.db is another file"):
            list(store.watch(since=2, timeout=0))


def test_a_watcher_at_work_notices_a_file_that_has_come_further(tmp_path: Path) -> None:
    """It knows the file itself."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store).add("A")
        watch = store.watch(since=0, timeout=0)
        assert next(watch).sequence == 1
        moved(tmp_path, tmp_path / "aside")
        for content in ("B", "C", "D"):
            Board(store=store).add(content)
        with pytest.raises(StoreReplaced):
            next(watch)


def test_a_file_that_was_away_is_taken_for_another(tmp_path: Path) -> None:
    """It may have the number that the one before it had: a watcher at work asks its reader to look again."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store).add("A")
        since = News(store).since
        watch = store.watch(since, timeout=0)
        moved(tmp_path, tmp_path / "aside")
        assert store.sessions() == []
        moved(tmp_path / "aside", tmp_path)
        with pytest.raises(StoreReplaced):
            next(watch)


def test_a_file_is_another_from_the_moment_that_it_was_read(tmp_path: Path) -> None:
    """Whoever reads what there is, and then follows it, misses nothing in between."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store).add("A")
        since = News(store).since
        moved(tmp_path, tmp_path / "aside")
        with closing(SQLiteStore(tmp_path / "plans.db")) as another:
            Board(store=another).add("B")
        with pytest.raises(StoreReplaced):
            list(store.watch(since, timeout=0))
        assert [record.change.after.todos[0].content for record in store.watch(0, timeout=0)] == ["B"]


def test_a_follower_goes_over_to_it(tmp_path: Path) -> None:
    """It tells that the file is another one, and then of each change in that; who knows the old plans reads anew."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        for session in ("old", "older"):
            Board(store=store, session=session).add("A")
        news = News(store)
        woken = threading.Semaphore(0)
        moved(tmp_path, tmp_path / "aside")
        Board(store=store, session="new").add("B")
        follower = StoreFollower(store, news.since, woken.release)
        assert woken.acquire(timeout=PATIENCE) and woken.acquire(timeout=PATIENCE)
        replaced, record = follower.take()
        assert isinstance(replaced, StoreReplaced)
        assert isinstance(record, Record) and record.sequence == 1
        version = news.version
        news.read(store)
        assert [known.key.session for known in news.boards] == ["new"]
        assert news.version > version
        assert not news.hear(record)
