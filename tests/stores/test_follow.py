"""What a live view knows of the boards, and how it hears of their changes."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from patience import PATIENCE

from holdfast import Board
from holdfast.errors import StoreError
from holdfast.plan import Plan
from holdfast.stores import Key, Record, follow
from holdfast.stores.follow import REMEMBERED, News, StoreFollower, newest_sequence
from holdfast.stores.memory import MemoryStore
from holdfast.stores.sqlite import SQLiteStore


def board(store: MemoryStore, session: str = "a", agent: str = "main") -> Board:
    """A board with one todo."""
    made = Board(store=store, session=session, agent=agent)
    made.write({"todos": [{"content": "Do it"}]})
    return made


def test_it_begins_with_what_there_is() -> None:
    """At first it knows every plan, and the recent changes of all boards, the newest first."""
    store = MemoryStore()
    first, second = board(store), board(store, "b")
    first.edit("1", status="in_progress")
    news = News(store)
    assert {known.key for known in news.boards} == {first.key, second.key}
    assert [record.sequence for record in news.records] == [3, 2, 1]
    assert news.since == 3


def test_a_first_look_is_at_few_boards_and_the_next_at_all() -> None:
    """So that a screen is there at once. What changed between the two is known, and not heard again."""
    store = MemoryStore()
    for session in ("a", "b", "c"):
        board(store, session)
    news = News(store, most=2)
    assert [known.key.session for known in news.boards] == ["b", "c"] and not news.is_whole
    made = board(store, "d")
    news.read(store)
    assert [known.key.session for known in news.boards] == ["a", "b", "c", "d"] and news.is_whole
    assert not news.hear(next(made.history()))
    assert News(store, most=5).is_whole


def test_what_was_put_away_takes_no_place(tmp_path: Path) -> None:
    """A view of the newest boards has those in use, however many were put away after their last change."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store, session="in use").add("Do it")
        for session in ("a", "b", "c"):
            made = Board(store=store, session=session)
            made.add("Do it")
            made.archive()
        news = News(store, most=2)
        assert [known.key.session for known in news.boards] == ["in use"]
        assert news.since == 7
        made.edit("1", status="in_progress")
        assert [news.hear(record) for record in store.watch(news.since, timeout=0)] == [True]
        assert [known.key.session for known in news.boards] == ["in use", "c"]


def test_what_is_put_away_later_takes_no_place_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many plans are put away while somebody looks, those in use stay in view."""
    monkeypatch.setattr(follow, "MOST_KNOWN", 3)
    store = MemoryStore()
    old = [board(store, session) for session in "abcde"]
    in_use = board(store, "in use")
    news = News(store)
    for made in old:
        made.archive()
    heard = [news.hear(record) for record in store.watch(news.since, timeout=0)]
    assert heard == [True] * len(old)
    assert [known.key for known in news.boards] == [in_use.key]
    assert {known.key for known in News(store, "a").boards} == {old[0].key}


def test_a_store_that_fails_changes_nothing_of_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after the last change that was heard is heard still."""
    store = MemoryStore()
    made = board(store)
    news = News(store, "a")
    made.edit("1", status="completed")
    with monkeypatch.context() as patch:
        patch.setattr(store, "load", raise_store_error)
        with pytest.raises(StoreError):
            news.read(store)
    assert [news.hear(record) for record in store.watch(news.since, timeout=0)] == [True]


def raise_store_error(key: Key) -> Plan:
    """What a store does that cannot be read at this moment."""
    raise StoreError("away")


def test_it_remembers_few_changes() -> None:
    """A long history is not kept in mind."""
    store = MemoryStore()
    made = board(store)
    for count in range(REMEMBERED * 2):
        made.edit("1", content=f"Do it {count}")
    news = News(store)
    assert len(news.records) == REMEMBERED
    made.edit("1", status="completed")
    assert news.hear(next(made.history()))
    assert len(news.records) == REMEMBERED and news.records[0].sequence == news.since


def test_one_session_is_all_it_hears_of() -> None:
    """With a session's name, nothing of others is taken in; and what they did before is not listened to again."""
    store = MemoryStore()
    mine = board(store)
    board(store, "other")
    news = News(store, "a")
    assert [known.key for known in news.boards] == [mine.key]
    assert news.since == 2
    assert not news.hear(next(board(store, "third").history()))
    assert [known.key for known in news.boards] == [mine.key]


def test_an_older_plan_does_not_replace_a_newer_one() -> None:
    """An edit of ours is known before it is heard of, and what is heard late does not undo it."""
    store = MemoryStore()
    made = board(store)
    news = News(store)
    old = made.plan
    reply = made.edit("1", status="completed")
    news.know(made.key, reply.plan)
    news.know(made.key, old)
    assert next(news.boards).plan == reply.plan


class Failing(MemoryStore):
    """A store that fails at the first watch."""

    def __init__(self) -> None:
        super().__init__()
        self.failures = 1

    def _follow(self, at: int, timeout: float | None) -> Iterator[Record]:
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is gone")
        yield from super()._follow(at, 0.0)


def test_a_follower_tells_of_trouble_and_tries_again() -> None:
    """A store that fails is told, and asked again from where it was."""
    store = Failing()
    board(store)
    woken = threading.Semaphore(0)
    follower = StoreFollower(store, 0, woken.release)
    assert woken.acquire(timeout=PATIENCE) and woken.acquire(timeout=PATIENCE)
    trouble, record = follower.take()
    assert isinstance(trouble, StoreError)
    assert isinstance(record, Record) and record.sequence == 1


def test_what_is_damaged_is_known_and_hides_nothing_else(tmp_path: Path) -> None:
    """A plan that cannot be read, and a change that cannot, are told; the other plans and changes are there."""
    path = tmp_path / "plans.db"
    for session in ("well", "lost", "torn", "torn"):
        Board(store=path, session=session).add("Do it")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE boards SET plan = 'rubbish' WHERE session = 'lost'")
        connection.execute("UPDATE changes SET delta = 'rubbish' WHERE sequence = 4")
    with closing(SQLiteStore(path)) as store:
        news = News(store)
        assert news.since == 4
        assert {key.session for key in news.damaged} == {"lost", "torn"}
        assert {known.key.session for known in news.boards} == {"well", "torn"}
        assert [record.key.session for record in news.records] == ["well"]
        store.quarantine(Key("lost", "main"))
        Board(store=store, session="lost").add("Anew")
        assert [news.hear(record) for record in store.watch(news.since, timeout=0)] == [True]
        assert {key.session for key in news.damaged} == {"torn"}
        assert newest_sequence(store) == 5


def test_what_came_before_a_damaged_plan_is_not_heard_again(tmp_path: Path) -> None:
    """Where the board changed last cannot be read, its sequence still says from where on to listen."""
    path = tmp_path / "plans.db"
    for session in ("well", "lost"):
        Board(store=path, session=session).add("Do it")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE boards SET plan = 'rubbish' WHERE session = 'lost'")
    with closing(SQLiteStore(path)) as store:
        assert News(store).since == 2


def test_a_follower_that_is_closed_ends() -> None:
    """With a pause it notices, though nothing happens in the store; and it passes nothing on any more."""
    store = MemoryStore()
    woken = threading.Semaphore(0)
    before = set(threading.enumerate())
    follower = StoreFollower(store, 0, woken.release, pause=0.01)
    (thread,) = set(threading.enumerate()) - before
    board(store)
    assert woken.acquire(timeout=10) and len(list(follower.take())) == 1
    follower.close()
    thread.join(10)
    assert not thread.is_alive()
    board(store, "b")
    assert list(follower.take()) == []


def test_a_follower_ends_with_its_store(tmp_path: Path) -> None:
    """Whether or not it has a pause: a store that was closed is not asked again and again."""
    for pause in (None, 10.0):
        store = SQLiteStore(tmp_path / "plans.db")
        before = set(threading.enumerate())
        StoreFollower(store, 0, lambda: None, pause)
        (thread,) = set(threading.enumerate()) - before
        store.close()
        thread.join(10)
        assert not thread.is_alive()


class Broken(MemoryStore):
    """A store with a fault of its own."""

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Fail as no store should."""
        raise ZeroDivisionError


def test_an_error_that_nobody_expects_is_passed_on_and_ends_a_follower() -> None:
    """It is not asked again: whoever follows has to say what to do."""
    woken = threading.Semaphore(0)
    follower = StoreFollower(Broken(), 0, woken.release)
    assert woken.acquire(timeout=10)
    (error,) = follower.take()
    assert isinstance(error, ZeroDivisionError)
