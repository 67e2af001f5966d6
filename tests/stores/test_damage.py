"""A record that cannot be read: it is told by its name, on every way of reading, and hides no other."""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import postgres_server
import pytest

from holdfast import Board
from holdfast.errors import DamagedRecord
from holdfast.stores import Key, MemoryStore, Record, Store, StoredPlan
from holdfast.stores.address import SCHEMA
from holdfast.stores.damage import (
    damaged_records,
    follow,
    readable,
    readable_or_raise,
    readable_or_warn,
    sessions_with_damage,
)
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.sqlite import SQLiteStore

BROKEN, FIRST, LAST = Key("broken", "main"), Key("first", "main"), Key("last", "main")
PLAN = "UPDATE boards SET plan = 'half a pl' WHERE session = 'broken'"
CHANGE = "UPDATE changes SET delta = 'half a del' WHERE board = (SELECT id FROM boards WHERE session = 'broken')"

Spoil = Callable[[str], None]


def with_boards(store: Store, *keys: Key) -> Store:
    """Let each board have a plan, one after the other."""
    for session, agent in keys:
        Board(store=store, session=session, agent=agent).add(f"a todo of {session}")
    return store


def in_file(path: Path, statement: str) -> None:
    """Change a plan file behind its store's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(statement).rowcount


def in_database(store: PostgresStore, statement: str) -> None:
    """Change a namespace behind its store's back."""
    boards = (
        "WITH boards AS (SELECT b.* FROM {schema}.boards b JOIN {schema}.namespaces n ON n.id = b.namespace "
        "WHERE n.name = %s) "
    )
    chosen = statement.replace("UPDATE boards", "UPDATE {schema}.boards").replace("UPDATE ch", "UPDATE {schema}.ch")
    chosen = chosen.replace("WHERE session", "WHERE id IN (SELECT id FROM boards) AND session")
    with postgres_server.shared().connect() as connection:
        text = (boards + chosen).replace("{schema}", SCHEMA).encode()
        assert connection.execute(text, (store.namespace,)).rowcount


@pytest.fixture(params=["sqlite", "postgres"])
def spoilt(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Spoil]]:
    """A store of three boards, the broken one changed between the others, and a way to break it."""
    if request.param == "sqlite":
        store: SQLiteStore | PostgresStore = SQLiteStore(tmp_path / "plans.db")
    else:
        store = PostgresStore(postgres_server.shared().address())

    def spoil(statement: str) -> None:
        if isinstance(store, SQLiteStore):
            in_file(Path(store.path), statement)
        else:
            in_database(store, statement)

    with closing(store):
        with_boards(store, FIRST, BROKEN, LAST)
        yield store, spoil


def test_the_other_boards_are_listed(spoilt: tuple[Store, Spoil], caplog: pytest.LogCaptureFixture) -> None:
    """One record that cannot be read leaves the list of the others as it was, and is a warning that names it."""
    store, spoil = spoilt
    spoil(PLAN)
    with caplog.at_level(logging.WARNING, "holdfast"):
        assert [kept.key for kept in store.sessions()] == [LAST, FIRST]
    (said,) = caplog.messages
    assert "session 'broken', agent 'main' is damaged" in said


def test_a_survey_has_the_damaged_board_in_its_place(spoilt: tuple[Store, Spoil]) -> None:
    """Who tells of damage gets every board in order, the error in the place of a plan, and nothing twice by a log."""
    store, spoil = spoilt
    spoil(PLAN)
    boards = sessions_with_damage(store)
    assert [board.key for board in boards] == [LAST, BROKEN, FIRST]
    assert [kept.key for kept in readable(boards)] == [LAST, FIRST]
    (error,) = damaged_records(boards)
    assert (error.key, error.sequence) == (BROKEN, 2)


def test_who_needs_all_is_refused(spoilt: tuple[Store, Spoil]) -> None:
    """A copy of a store that would lack a board is none."""
    store, spoil = spoilt
    assert readable_or_raise(sessions_with_damage(store)) == store.sessions()
    spoil(PLAN)
    with pytest.raises(DamagedRecord, match="'broken'"):
        readable_or_raise(sessions_with_damage(store))


def test_a_change_that_cannot_be_read_does_not_end_a_watch(spoilt: tuple[Store, Spoil]) -> None:
    """It is told in its place, and the changes of other boards, and its own later ones, are heard after it."""
    store, spoil = spoilt
    spoil(CHANGE)
    Board(store=store, session="broken").add("a later one")
    heard = list(follow(store, 0, timeout=0))
    assert [type(news) for news in heard] == [Record, DamagedRecord, Record, Record]
    assert [news.sequence for news in heard] == [1, 2, 3, 4]
    assert heard[1].key == BROKEN
    with pytest.raises(DamagedRecord):
        list(store.watch(0, timeout=0))


def test_a_plan_that_cannot_be_read_does_not_end_a_watch(spoilt: tuple[Store, Spoil]) -> None:
    """Changes that lead to it are told as damaged one by one, and nobody else's is passed over with them."""
    store, spoil = spoilt
    with_boards(store, BROKEN, FIRST, BROKEN)
    spoil(PLAN)
    heard = [(type(news), news.sequence) for news in follow(store, 3, timeout=0)]
    assert heard == [(DamagedRecord, 4), (Record, 5), (DamagedRecord, 6)]


def test_a_watch_that_cannot_go_on_is_not_tried_for_ever() -> None:
    """An error that names no change after the last one heard is the watcher's end."""

    class Stuck(MemoryStore):
        def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
            raise DamagedRecord("all of it", BROKEN, 0)

    with pytest.raises(DamagedRecord, match="all of it"):
        list(follow(Stuck(), 0))


def test_in_memory_nothing_is_damaged() -> None:
    """A store without damage of its own is surveyed by its list."""
    store = with_boards(MemoryStore(), FIRST, LAST)
    boards = sessions_with_damage(store)
    assert boards == store.sessions() == readable_or_raise(boards) == list(readable_or_warn(boards))
    assert all(isinstance(board, StoredPlan) for board in boards)


@pytest.mark.parametrize(
    "value",
    [
        "CAST(replace(plan, 'todo', 't' || CAST(x'f3' AS TEXT) || 'do') AS TEXT)",
        "replace(plan, 'todo', 'töd\ud7ff')",
        "CAST(substr(plan, 1, 30) AS BLOB)",
        "7",
    ],
    ids=["not UTF-8", "not ASCII", "bytes", "a number"],
)
def test_a_bit_that_fell_over_stops_its_own_record(tmp_path: Path, value: str) -> None:
    """Whatever the file has in the place of a plan, the other boards can be read."""
    path = tmp_path / "plans.db"
    with closing(SQLiteStore(path)) as store:
        with_boards(store, FIRST, BROKEN)
        in_file(path, f"UPDATE boards SET plan = {value} WHERE session = 'broken'")
        with pytest.raises(DamagedRecord, match="'broken'"):
            store.load(BROKEN)
        assert [type(board) for board in sessions_with_damage(store)] == [DamagedRecord, StoredPlan]


def test_a_name_that_is_no_text_any_more_hides_no_other(tmp_path: Path) -> None:
    """Its board is listed under what is left of the name."""
    path = tmp_path / "plans.db"
    with closing(SQLiteStore(path)) as store:
        with_boards(store, FIRST, BROKEN)
        in_file(path, "UPDATE boards SET session = CAST(x'62f3' AS TEXT) WHERE session = 'broken'")
        assert [board.key.session for board in readable(sessions_with_damage(store))] == ["b\udcf3", "first"]
