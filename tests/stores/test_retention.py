"""Nothing that is shown gets slower by age: what it costs is counted in a young store and in an old one.

Counted is the work of the database: steps of SQLite's machine, pages that PostgreSQL looks at. The old store has had
ten times as many sessions. They are all still there, or their history was pruned, or they were put away, or deleted
after that.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from postgres_server import shared

from holdfast import Board
from holdfast.stores import Key
from holdfast.stores.damage import sessions_with_damage
from holdfast.stores.follow import News
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.sqlite import SQLiteStore

Kept = SQLiteStore | PostgresStore

YOUNG, OLD, CHANGES = 40, 400, 10
IN_USE, SHOWN = 100, 20
SLOWER = 1.5
"""How much more work there may be: an index of few pages may be a page deeper."""

SCREENS: dict[str, Callable[[Kept], object]] = {
    "show": lambda store: sessions_with_damage(store, 1, archived=False),
    "sessions": lambda store: sessions_with_damage(store, SHOWN, archived=False),
    "watch": lambda store: News(store, most=SHOWN),
    "log": lambda store: list(store.history(Key("in use 1", "main"))),
}


def prune(store: Kept) -> None:
    """All but the last change of each plan go, those in use keep theirs."""
    assert store.prune(keep=CHANGES // 2) > 0


def put_away(store: Kept) -> None:
    """Every plan that is not in use."""
    for key, _ in store.sessions():
        if key.session.startswith("old"):
            Board.for_person(store, *key).archive()


def delete(store: Kept) -> None:
    """Put plans away, and delete them for good."""
    put_away(store)
    assert store.delete_archived(older_than=-60.0) > 0


AGES: dict[str, Callable[[Kept], None]] = {
    "all there": lambda store: None,
    "pruned": prune,
    "put away": put_away,
    "deleted": delete,
}


def fill(store: Kept, sessions: int, age: Callable[[Kept], None]) -> None:
    """Sessions of long ago, which age; and some in use, written last."""
    model = Board(clock=time.time)
    for number in range(CHANGES):
        model.write({"todos": [{"content": f"Step {at}"} for at in range(number % 3 + 1)]})
    changes = [record.change for record in model.history()][::-1]
    for number in range(sessions):
        store.commit_many(Key(f"old {number}", "main"), changes)
    age(store)
    for number in range(IN_USE):
        store.commit_many(Key(f"in use {number}", "main"), changes)


def steps(store: SQLiteStore, show: Callable[[Kept], object]) -> int:
    """How many steps SQLite takes for it, in tens."""
    taken: list[None] = []
    store._connection.run(lambda sqlite: sqlite.set_progress_handler(lambda: taken.append(None), 10))
    show(store)
    return len(taken)


def pages(schema: str, show: Callable[[Kept], object]) -> int:
    """At how many pages PostgreSQL looks for it."""
    asked = f"""
        SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::bigint
        FROM pg_statio_all_tables WHERE schemaname = '{schema}'
    """
    with closing(PostgresStore(shared().address("default", schema=schema))) as store:
        store.load(Key("in use 2", "main"))
        flush(store)
        before = cast(int, shared().execute(asked)[0][0])
        show(store)
        flush(store)
        return cast(int, shared().execute(asked)[0][0]) - before


def flush(store: PostgresStore) -> None:
    """What the server has counted so far can be asked for."""
    store._namespace.pool.run(lambda connection: connection.execute("SELECT pg_stat_force_next_flush()"))
    store._namespace.pool.run(lambda connection: connection.execute("SELECT 1"))


@pytest.fixture(scope="module")
def young_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLiteStore]:
    """A file with few sessions."""
    with closing(SQLiteStore(tmp_path_factory.mktemp("young") / "plans.db")) as store:
        fill(store, YOUNG, AGES["all there"])
        yield store


@pytest.mark.parametrize("age", AGES)
def test_an_old_file_is_as_quick(tmp_path: Path, young_file: SQLiteStore, age: str) -> None:
    """For every command that a person starts."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        fill(store, OLD, AGES[age])
        found = {name: (steps(store, show), steps(young_file, show)) for name, show in SCREENS.items()}
    assert {name: both for name, both in found.items() if both[0] > both[1] * SLOWER} == {}


@pytest.fixture(scope="module")
def young_schema() -> str:
    """A database with few sessions."""
    return filled_schema(YOUNG, AGES["all there"])


def filled_schema(sessions: int, age: Callable[[Kept], None]) -> str:
    """A schema of its own, filled."""
    schema = f"retention_{uuid.uuid4().hex}"
    with closing(PostgresStore(shared().address("default", schema=schema))) as store:
        fill(store, sessions, age)
    for table in ("boards", "archived_boards", "changes"):
        shared().execute(f"VACUUM ANALYZE {schema}.{table}")  # as every server does by itself
    return schema


@pytest.mark.parametrize("age", AGES)
def test_an_old_database_is_as_quick(young_schema: str, age: str) -> None:
    """For every command that a person starts."""
    old = filled_schema(OLD, AGES[age])
    found = {name: (pages(old, show), pages(young_schema, show)) for name, show in SCREENS.items()}
    assert all(both[1] > 0 for both in found.values())
    assert {name: both for name, both in found.items() if both[0] > both[1] * SLOWER + 5} == {}
