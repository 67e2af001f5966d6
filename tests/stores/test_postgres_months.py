"""History by months: each is a table that can be dropped or moved, and archived plans are out of the hot table."""

import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import pytest
from postgres_server import Server, shared

from holdfast import Board
from holdfast.stores import Key
from holdfast.stores.newest import boards_unchanged_since
from holdfast.stores.postgres import PostgresStore, pruning

KEY = Key("default", "main")
DAY = 86_400.0


@pytest.fixture
def server() -> Server:
    """The server of these tests."""
    return shared()


@pytest.fixture
def schema(server: Server) -> Iterator[str]:
    """The name of a schema of its own: months are of all namespaces."""
    name = f"months_{uuid.uuid4().hex[:8]}"
    yield name
    server.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.fixture
def store(server: Server, schema: str) -> Iterator[PostgresStore]:
    """A store in this schema."""
    with closing(PostgresStore(server.address(schema=schema))) as store:
        yield store


def age_all(server: Server, schema: str, months: int) -> None:
    """Everything that is there was written so many months ago."""
    ago = f"{schema}.month_after(-{months})"
    server.execute(f"SELECT {schema}.add_month({ago})")
    server.execute(f"UPDATE {schema}.changes SET month = {ago}, previous_month = {ago}")
    for table in ("boards", "archived_boards"):
        server.execute(f"UPDATE {schema}.{table} SET month = {ago}")


def months_of(server: Server, schema: str) -> int:
    """How many tables of months there are."""
    found = server.execute(
        f"SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}' AND tablename LIKE 'changes\\_2%'"
    )
    return int(str(found[0][0]))


def test_history_goes_on_over_the_border_of_months(server: Server, schema: str, store: PostgresStore) -> None:
    """A plan's changes of several months are one history, forward and backward, with undo."""
    board = Board(store=store)
    for age, text in ((3, "a"), (2, "b"), (1, "c")):
        board.add(text)
        if age > 1:
            age_all(server, schema, age)
    board.add("d")
    assert [record.change.after.revision for record in store.history(KEY)] == [4, 3, 2, 1]
    assert [record.sequence for record in store.watch(since=0, timeout=0)] == [1, 2, 3, 4]
    assert board.undo().ok
    assert [todo.content for todo in board.plan.todos] == ["a", "b", "c"]


def test_whole_months_are_dropped_and_every_plan_stays(server: Server, schema: str, store: PostgresStore) -> None:
    """Plans in use keep their last change; archived ones stay without history; both can be written to afterwards."""
    board, away = Board(store=store), Board(store=store, session="away")
    for text in "ab":
        board.add(text)
        away.add(text)
    away.archive()
    age_all(server, schema, 5)
    before = months_of(server, schema)
    assert store.drop_months(60 * DAY, dry_run=True) == store.drop_months(60 * DAY, dry_run=True) != []
    assert months_of(server, schema) == before
    assert len(store.drop_months(60 * DAY)) == 1
    assert months_of(server, schema) == before - 1
    assert store.drop_months(60 * DAY) == []
    assert [record.change.after.revision for record in board.history()] == [2]
    assert list(away.history()) == []
    assert [todo.content for todo in away.plan.todos] == ["a", "b"]
    assert board.add("c").ok and away.add("c").ok
    assert [record.change.after.revision for record in board.history()] == [3, 2]
    assert [record.change.after.revision for record in away.history()] == [4]
    assert [record.key.session for record in store.watch(since=0, timeout=0)] == ["default", "default", "away"]


def test_a_month_can_be_moved_out(server: Server, schema: str, store: PostgresStore) -> None:
    """A database administrator detaches it: the rest works on, and what was moved can be read as a table."""
    board = Board(store=store)
    board.add("a")
    age_all(server, schema, 2)
    board.add("b")
    name = f"(SELECT 'changes_' || to_char({schema}.month_after(-2), 'YYYY_MM'))"
    month = server.execute(f"SELECT {name}")[0][0]
    server.execute(f"ALTER TABLE {schema}.changes DETACH PARTITION {schema}.{month}")
    assert [record.change.after.revision for record in board.history()] == [2]
    assert board.add("c").ok
    assert server.execute(f"SELECT count(*) FROM {schema}.{month}") == [(1,)]


def test_a_month_that_is_missing_is_made_by_who_writes(server: Server, schema: str, store: PostgresStore) -> None:
    """Nobody wrote in the month before, so nobody made the table ahead: the first writer does."""
    store.sessions()
    for months in (0, 1):
        name = server.execute(f"SELECT 'changes_' || to_char({schema}.month_after({months}), 'YYYY_MM')")[0][0]
        server.execute(f"DROP TABLE {schema}.{name}")
    assert months_of(server, schema) == 0
    assert Board(store=store).add("a").ok
    assert months_of(server, schema) == 2


def test_an_archived_plan_leaves_the_hot_table_and_comes_back(
    server: Server, schema: str, store: PostgresStore
) -> None:
    """It is listed, loaded and watched as before; its next change brings it back under the same history."""

    def counts() -> list[tuple[object, ...]]:
        return server.execute(
            f"SELECT (SELECT count(*) FROM {schema}.boards), (SELECT count(*) FROM {schema}.archived_boards)"
        )

    board = Board(store=store)
    board.add("a")
    assert counts() == [(1, 0)]
    assert board.archive().ok
    assert counts() == [(0, 1)]
    with closing(PostgresStore(server.address(store.namespace, schema=schema))) as other:
        assert other.load(KEY).is_archived
        assert [kept.key for kept in other.sessions()] == [KEY]
        assert len(list(other.watch(since=0, timeout=0))) == 2
        assert not Board(store=other, session="new").plan.todos
    assert board.add("b").ok
    assert counts() == [(1, 0)]
    assert [record.change.after.revision for record in store.history(KEY)] == [3, 2, 1]


def test_a_writer_that_knows_nothing_of_an_archived_plan_makes_no_second_one(
    server: Server, schema: str, store: PostgresStore
) -> None:
    """Its change starts from nothing, and is refused like any that comes too late; then it is applied to the plan."""
    with closing(PostgresStore(server.address(store.namespace, schema=schema))) as late:
        stale = Board(store=late)
        assert stale.plan.revision == 0
        board = Board(store=store)
        board.add("a")
        board.archive()
        assert stale.add("b").ok
    assert [todo.content for todo in store.load(KEY).todos] == ["a", "b"]
    assert server.execute(f"SELECT count(*) FROM {schema}.boards") == [(1,)]


def test_plans_put_away_long_ago_are_deleted_page_by_page(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few are looked at in one statement, each old one goes, and no other."""
    monkeypatch.setattr(pruning, "BOARDS_AT_ONCE", 2)
    for number in range(7):
        board = Board(store=store, session=f"s{number}", clock=partial(float, 100 if number % 2 else time.time()))
        board.add("Do it")
        board.archive()
    Board(store=store, session="in use", clock=partial(float, 100)).add("Do it")
    assert store.delete_archived(3600.0, dry_run=True) == 3 == store.delete_archived(3600.0)
    assert {board.key.session for board in store.sessions()} == {"s0", "s2", "s4", "s6", "in use"}
    assert store.delete_archived(3600.0) == 0


def test_a_plan_that_was_copied_here_long_after_its_last_change_is_old(
    server: Server, schema: str, store: PostgresStore
) -> None:
    """Also when its history is gone: the month of its last change is then the one of the copy."""
    board = Board(store=store, clock=partial(float, 100))
    board.add("Do it")
    board.archive()
    age_all(server, schema, 2)
    assert store.drop_months(DAY) != []
    before = time.time() - 90 * DAY
    assert [board.key for board in boards_unchanged_since(store, before, archived=True)] == [KEY]


@pytest.mark.parametrize("zone", ["UTC", "Etc/GMT-14", "Etc/GMT+12"])
def test_a_month_ends_at_the_same_moment_in_every_time_zone(
    server: Server, schema: str, store: PostgresStore, zone: str
) -> None:
    """Without its history, an archived plan is as old as the end of its month, whatever the role's time zone is."""
    board = Board(store=store)
    board.add("Do it")
    board.archive()
    age_all(server, schema, 2)
    assert store.drop_months(DAY) != []
    ((age,),) = server.execute(
        f"SELECT extract(epoch FROM now() AT TIME ZONE 'UTC' - {schema}.month_after(-1))::double precision"
    )
    assert isinstance(age, float)
    address = server.address(store.namespace, schema=schema, options=f"-c TimeZone={zone}")
    with closing(PostgresStore(address)) as other:
        assert other.delete_archived(age + 3600.0, dry_run=True) == 0
        assert other.delete_archived(age - 3600.0, dry_run=True) == 1
