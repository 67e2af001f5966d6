"""Lists of boards at the cost of what they show: newest first, the damaged ones too, and nothing else is read."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Board
from holdfast.errors import DamagedRecord
from holdfast.stores import Key, Store
from holdfast.stores.damage import sessions_with_damage
from holdfast.stores.memory import MemoryStore
from holdfast.stores.newest import FIRST, boards_by_age, count_boards, keys_starting, newest_with_damage
from holdfast.stores.sqlite import SQLiteStore, changes

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: MemoryStore(),
    "sqlite": lambda folder: SQLiteStore(folder / "plans.db"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each store in turn: one that lists its newest boards itself, and one that does not."""
    return STORES[request.param](tmp_path)


def write(store: Store, session: str, agent: str = "main", times: int = 1) -> None:
    """So many changes of a board."""
    board = Board(store=store, session=session, agent=agent)
    for _ in range(times):
        board.write({"todos": [{"content": f"Step {board.plan.revision}"}]})


def test_the_newest_come_first(store: Store) -> None:
    """As many as were asked for, each once, however often it was changed."""
    for session in ("a", "b", "c"):
        write(store, session, times=3)
    write(store, "a")
    assert [board.key for board in newest_with_damage(store, 2)] == [("a", "main"), ("c", "main")]
    assert newest_with_damage(store, 9) == sessions_with_damage(store)
    assert count_boards(store) == 3


def test_an_empty_store_has_none(store: Store) -> None:
    """Nor has one whose file is not there yet."""
    assert newest_with_damage(store, 5) == list(boards_by_age(store)) == []
    assert keys_starting(store, "") == []
    assert count_boards(store) == 0


def test_names_are_found_by_their_start(store: Store) -> None:
    """Also with characters that mean something to a database."""
    for session in ("day", "night", "night%", "night_2", "nicht", "Night", "nightly 🌙"):
        write(store, session)
    write(store, "night", "scout")
    found = keys_starting(store, "night")
    assert found == [
        ("night", "scout"),
        ("nightly 🌙", "main"),
        ("night_2", "main"),
        ("night%", "main"),
        ("night", "main"),
    ]
    assert keys_starting(store, "night%") == [Key("night%", "main")]
    assert keys_starting(store, "nix") == []


def test_all_of_them_come_in_the_order_of_their_last_change(store: Store) -> None:
    """More than are read at first, each once."""
    for number in range(FIRST + 5):
        write(store, f"s{number}")
    assert list(boards_by_age(store)) == sessions_with_damage(store)


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(1, 8), st.integers(1, 50))
def test_the_newest_of_a_file_are_those_of_all(turns: list[int], most: int, page: int) -> None:
    """Wherever the search through the changes ends, and whichever board has most of them."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "PAGE", page)
        patch.setattr(changes, "MOST_LOOKED_THROUGH", 30)
        with closing(SQLiteStore(Path(folder) / "plans.db")) as store:
            for number in turns:
                write(store, f"s{number}")
            assert store.newest_with_damage(most) == store.sessions_with_damage()[:most]


def test_a_damaged_plan_is_told_where_it_is_shown_and_only_there(tmp_path: Path) -> None:
    """A list that does not come to it does not read it."""
    store = SQLiteStore(tmp_path / "plans.db")
    for session in ("old", "new", "newest"):
        write(store, session)
    with closing(sqlite3.connect(tmp_path / "plans.db")) as connection, connection:
        connection.execute("UPDATE boards SET plan = 'broken' WHERE session = 'new'")
    first, second = newest_with_damage(store, 2)
    assert first.key == ("newest", "main")
    assert isinstance(second, DamagedRecord)
    assert [type(board) for board in newest_with_damage(store, 1)] != [DamagedRecord]
