"""A database that has grown: what is asked at every write and by every watcher finds its rows by an index."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from postgres_server import shared

from dev.bench.postgres_growth import ARCHIVED, NAMESPACE, SCAN, grow, hot_plans
from holdfast import Board
from holdfast.stores.postgres import PostgresStore

SESSIONS = 2_000
CHANGES = 20_000


@pytest.fixture(scope="session")
def grown() -> Iterator[PostgresStore]:
    """A namespace with many sessions, among many others."""
    server = shared()
    with closing(PostgresStore(server.address(NAMESPACE, schema=NAMESPACE))) as store:
        store.sessions()
        with server.connect() as connection:
            grow(connection, SESSIONS, CHANGES)
        yield store


def test_no_hot_statement_scans_a_table(grown: PostgresStore) -> None:
    """Load, history, watch and every part of a commit: the server says how it goes about each."""
    with shared().connect() as connection:
        plans = hot_plans(connection)
    assert {"load", "history", "watch", "commit, part 1", "commit, part 4"} <= plans.keys()
    assert all("Limit" in plans[name] for name in ("a watcher's start", "the newest boards"))
    assert {name: plan for name, plan in plans.items() if SCAN in plan} == {}
    assert all("Index" in plans[name] for name in ("load", "history", "watch"))


def test_no_statement_is_compiled_by_the_server() -> None:
    """That takes longer than any of ours, and the server does it for what it takes for long."""
    store = PostgresStore(shared().address(application_name="plain"))
    with closing(store):
        assert store._namespace.pool.run(lambda connection: connection.execute("SHOW jit").fetchone()) == ("off",)


def test_a_grown_namespace_is_used_as_any_other(grown: PostgresStore) -> None:
    """What was loaded in bulk is a plan like any other: it can be read, written and looked back on."""
    board = Board(store=grown, session="session 7")
    assert len(list(board.history())) == CHANGES // SESSIONS
    assert board.add("one more").ok
    newest = next(board.history()).sequence
    assert newest > CHANGES
    assert grown.figures()[:2] == (SESSIONS + ARCHIVED, newest)
