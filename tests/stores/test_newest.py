"""Lists of boards at the cost of what they show: the same on every store, the damaged ones too, and nothing else."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

import postgres_server
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import Board
from holdfast.errors import DamagedRecord, StoreError
from holdfast.stores import Key, Store
from holdfast.stores.combined import CombinedStore
from holdfast.stores.damage import PlanOrDamage, readable, sessions_with_damage
from holdfast.stores.memory import MemoryStore
from holdfast.stores.newest import (
    FIRST,
    FindsBoards,
    boards_by_age,
    boards_of,
    boards_unchanged_since,
    boards_with_text,
    keys_starting,
)
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres import store as postgres_store
from holdfast.stores.sqlite import SQLiteStore, changes

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: MemoryStore(),
    "sqlite": lambda folder: SQLiteStore(folder / "plans.db"),
    "postgres": lambda folder: PostgresStore(postgres_server.shared().address()),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each store in turn: those that find boards themselves, and one that does not."""
    return STORES[request.param](tmp_path)


def names(boards: Iterable[PlanOrDamage]) -> list[str]:
    """The sessions of boards."""
    return [board.key[0] for board in boards]


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
    assert names(store.sessions(2)) == names(sessions_with_damage(store, 2)) == ["a", "c"]
    assert store.sessions(9) == store.sessions() == sessions_with_damage(store, 9)
    assert store.sessions(0) == []


def test_an_empty_store_has_none(store: Store) -> None:
    """Nor has one whose file is not there yet."""
    assert sessions_with_damage(store, 5) == list(boards_by_age(store)) == boards_of(store, "a") == []
    assert keys_starting(store, "") == []
    assert boards_with_text(store, "a", 5) == []


def test_what_was_put_away_is_left_out_until_it_is_changed(store: Store) -> None:
    """Though it was changed last: to put it away is a change."""
    for session in ("a", "b", "c", "d"):
        write(store, session)
    for session in ("a", "b", "c"):
        Board(store=store, session=session).archive()
    write(store, "b")
    assert names(sessions_with_damage(store, archived=False)) == ["b", "d"]
    assert names(sessions_with_damage(store, 1, archived=False)) == ["b"]
    assert names(sessions_with_damage(store, 3, archived=False)) == names(boards_by_age(store, False)) == ["b", "d"]
    assert names(sessions_with_damage(store, 3)) == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PARSER", ["ascii"]),
        ('100%_~\\ "done"', ["odd"]),
        ("解析", ["wide"]),
        ("🌙 moon", ["wide"]),
        ("gRÖ", ["cased"]),
        ("scout", ["named scout", "of scout"]),
        ("x" * 3000, []),
        ("\0", []),
        ("nothing", []),
    ],
)
def test_a_text_is_found_in_names_and_plans(store: Store, text: str, expected: list[str]) -> None:
    """In any case, with characters that mean something to JSON or to a database; and only a few others with it."""
    contents = {
        "ascii": "Fix the Parser",
        "odd": '100%_~\\ "done"',
        "wide": "解析 🌙 moon",
        "cased": "Größe",
        "of scout": "x",
        "named scout": "x",
    }
    for session, content in contents.items():
        board = Board(store=store, session=session, agent="Scout" if session == "of scout" else "main")
        assert board.write({"todos": [{"content": content}]}).ok
    found = readable(boards_with_text(store, text, 10))
    sought = text.casefold()
    fitting = [key.session for key, plan in found if sought in f"{key} {plan.contents[0]}".casefold()]
    assert fitting == expected
    assert len(found) <= 2 or not isinstance(store, FindsBoards)


@pytest.mark.parametrize("find", [keys_starting, lambda store, text: boards_with_text(store, text, 5)])
def test_a_word_that_is_no_text_is_refused(store: Store, find: Callable[[Store, str], list[object]]) -> None:
    """As it comes from a command line in another encoding."""
    write(store, "a")
    if isinstance(store, FindsBoards):
        with pytest.raises(StoreError, match="not valid text"):
            find(store, "\udce4")


def test_the_boards_of_a_session_are_its_own(store: Store) -> None:
    """Not those of a session whose name starts with its name."""
    for session, agent in (("a", "main"), ("ab", "main"), ("a", "scout"), ("long " * 50, "main")):
        write(store, session, agent)
    assert [board.key for board in boards_of(store, "a")] == [("a", "scout"), ("a", "main")]
    assert names(boards_of(store, "long " * 50)) == ["long " * 50]
    assert [key.session for key in keys_starting(store, "long " * 30)] == ["long " * 50]


def test_several_projects_are_listed_as_one(tmp_path: Path) -> None:
    """The newest of all of them, at the cost of the newest of each; by name with their project's name."""
    paths = []
    for at, project in enumerate(("shop", "shed", "api")):
        folder = tmp_path / project / ".holdfast"
        folder.mkdir(parents=True, mode=0o700)
        paths.append(str(folder / "plans.db"))
        for number in range(3):
            moment = 10.0 * number + at + 1
            board = Board(store=paths[-1], session=f"s{number}", clock=partial(float, moment))
            board.write({"todos": [{"content": f"Step of {project}"}]})
    with closing(CombinedStore(lambda: paths)) as store:
        assert names(store.sessions(4)) == ["api: s2", "shed: s2", "shop: s2", "api: s1"]
        assert [key.session for key in keys_starting(store, "sh")] == [
            f"{project}: s{number}" for project in ("shop", "shed") for number in (2, 1, 0)
        ]
        assert [key.session for key in keys_starting(store, "shop: s1")] == ["shop: s1"]
        assert names(boards_with_text(store, "of shed", 2)) == ["shed: s2", "shed: s1"]
        assert names(boards_of(store, "api: s0")) == ["api: s0"]


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


def test_old_boards_are_found_page_by_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their last change, and those that were put away only if they are asked for. No newer plan is read."""
    monkeypatch.setattr(changes, "PAGE_OF_BOARDS", 2)
    for number in range(9):
        Board(store=store, session=f"s{number}", clock=partial(float, 100 + number)).add("Do it")
    Board(store=store, session="s1", clock=lambda: 500.0).add("More")
    Board(store=store, session="s2", clock=lambda: 103.5).archive()
    found = [{board.key.session for board in boards_unchanged_since(store, 105.0, all)} for all in (False, True)]
    assert found == [{"s0", "s3", "s4"}, {"s0", "s2", "s3", "s4"}]
    assert list(boards_unchanged_since(store, 100.0, True)) == []
    if isinstance(store, FindsBoards):
        assert len(list(store.boards_unchanged_since(105.0, archived=False))) == 3


def test_old_boards_of_every_project_are_found(tmp_path: Path) -> None:
    """Also a damaged one, which a command leaves alone."""
    paths = [tmp_path / name / ".holdfast" / "plans.db" for name in ("api", "shed")]
    for path in paths:
        for session, at in (("old", 100), ("new", 500), ("lost", 100)):
            Board(store=path, session=session, clock=partial(float, at)).add("Do it")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("UPDATE boards SET plan = 'rubbish' WHERE session = 'lost'")
    with closing(CombinedStore(lambda: map(str, paths))) as store:
        assert [board.key.session for board in boards_unchanged_since(store, 200.0, True)] == ["api: old", "shed: old"]


turns = st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=40)


@given(turns, st.integers(1, 8), st.integers(1, 50), st.booleans())
def test_the_newest_of_a_file_are_those_of_all(
    turns: list[tuple[int, bool]], limit: int, looked: int, archived: bool
) -> None:
    """Wherever the search through the changes ends, and whichever board has most of them."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "MOST_LOOKED_THROUGH", looked)
        with closing(SQLiteStore(Path(folder) / "plans.db")) as store:
            compare_lists(store, turns, limit, archived)


@settings(max_examples=20, deadline=None)
@given(turns, st.integers(1, 8), st.integers(1, 50), st.booleans())
def test_the_newest_of_a_database_are_those_of_all(
    turns: list[tuple[int, bool]], limit: int, looked: int, archived: bool
) -> None:
    """The same, in two tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres_store, "LOOKED_THROUGH", (1, 2))
        patch.setattr(postgres_store, "MOST_LOOKED_THROUGH", looked)
        with closing(PostgresStore(postgres_server.shared().address())) as store:
            compare_lists(store, turns, limit, archived)


def compare_lists(store: Store, turns: list[tuple[int, bool]], limit: int, archived: bool) -> None:
    """Write or put away boards in turn; then a list with a limit is the start of the whole one."""
    for number, is_put_away in turns:
        write(store, f"s{number}")
        if is_put_away:
            Board(store=store, session=f"s{number}").archive()
    whole = [board for board in store.sessions() if archived or not board.plan.is_archived]
    assert sessions_with_damage(store, limit, archived) == whole[:limit]
    assert sessions_with_damage(store, None, archived) == whole


def test_a_damaged_plan_is_told_where_it_is_shown_and_only_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A list that does not come to it does not read it."""
    store = SQLiteStore(tmp_path / "plans.db")
    for session in ("old", "new", "newest"):
        write(store, session)
    with closing(sqlite3.connect(tmp_path / "plans.db")) as connection, connection:
        connection.execute("UPDATE boards SET plan = 'broken' WHERE session = 'new'")
    first, second = sessions_with_damage(store, 2)
    assert first.key == ("newest", "main")
    assert isinstance(second, DamagedRecord)
    assert [type(board) for board in sessions_with_damage(store, 1)] != [DamagedRecord]
    assert [type(board) for board in boards_of(store, "new")] == [DamagedRecord]
    assert names(store.sessions(1)) == ["newest"] and caplog.messages == []
    assert names(store.sessions(2)) == ["newest"] and len(caplog.messages) == 1
