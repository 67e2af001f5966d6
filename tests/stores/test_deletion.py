"""Deleting a board, in every store: nothing of it is left but numbers, and no number is given twice."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from patience import PATIENCE
from postgres_server import shared
from test_contract import KEY, OTHER, opened

from holdfast import Board
from holdfast.errors import StaleRevision
from holdfast.plan import Change, transitions
from holdfast.stores import Key, Record, Store
from holdfast.stores.follow import News
from holdfast.stores.newest import boards_with_text, keys_starting
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.layout import MIGRATIONS
from holdfast.stores.sqlite import SQLiteStore
from holdfast.stores.store import Deletes
from holdfast.transfer.json_file import export_json, import_json
from holdfast.transfer.migration import migrate

SECRET = "tell nobody"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Each store in turn."""
    with opened(request.param) as store:
        yield store


def board(store: Store, key: Key = KEY) -> Board:
    """An agent's board."""
    return Board(store=store, session=key.session, agent=key.agent)


def filled(store: Store, key: Key = KEY) -> Board:
    """A board with some history, and all that is kept beside a plan."""
    filled = board(store, key)
    filled.write({"todos": [{"content": SECRET}, {"content": "b"}]})
    filled.rename(SECRET)
    filled.record_tool_use("bash", {"command": SECRET})
    filled.claim("bob", "1")
    store.tally(key, {"rejected": 1})
    return filled


def newest(store: Store, key: Key = KEY) -> int:
    """The sequence of a board's newest change."""
    return next(iter(store.history(key))).sequence


def test_nothing_of_a_deleted_board_is_left(store: Store) -> None:
    """No list has it, its history is one change without a text, and what was kept beside it is gone. Others stay."""
    gone, stays = filled(store), filled(store, OTHER)
    assert gone.delete().ok
    assert [key for key, _ in store.sessions()] == [OTHER]
    assert [key for key, _ in store.sessions(limit=1)] == [OTHER]
    assert keys_starting(store, "") == [OTHER]
    assert [board.key for board in boards_with_text(store, SECRET, 5)] == [OTHER]
    assert store.tallies(KEY) == {} and not gone.leases.active_leases(KEY)
    assert gone.plan.is_deleted and not gone.plan.todos and not gone.plan.title
    (record,) = store.history(KEY)
    assert record.change.action == "delete" and SECRET not in str(record)
    assert len(stays.plan.todos) == 2 and store.tallies(OTHER)["rejected"] == 1


def test_no_number_is_given_twice(store: Store) -> None:
    """Sequence, revision and number of what comes later are higher, on this board and on a new one."""
    gone = filled(store)
    before, sequence = gone.plan, newest(store)
    gone.delete()
    board(store, OTHER).add("on another board")
    assert newest(store, OTHER) > newest(store) > sequence
    assert board(store).write({"todos": [{"content": "again"}]}).ok
    after = board(store).plan
    assert after.revision > before.revision + 1 and after.number > before.number and not after.is_deleted
    assert newest(store) > newest(store, OTHER)
    assert {key for key, _ in store.sessions()} == {KEY, OTHER}
    assert [record.change.action for record in store.history(KEY)] == ["write", "delete"]
    assert not board(store).at(after.revision - 1).todos


def test_a_write_that_has_not_seen_it_is_refused(store: Store) -> None:
    """Whether it starts from the plan that was deleted, or from before there was one."""
    empty, gone = store.load(KEY), filled(store)
    old = gone.plan
    gone.delete()
    for before in (old, empty):
        with pytest.raises(StaleRevision):
            store.commit(KEY, Change(before, before._replace(revision=before.revision + 1)))
    assert store.sessions() == []
    assert isinstance(store, Deletes)
    with pytest.raises(StaleRevision):
        store.delete(KEY, Change(old, transitions.delete(old, 9.0)))


def test_a_host_that_is_at_work_begins_anew(store: Store) -> None:
    """Its next write is kept, on a plan of its own, and an undo does not reach behind the deletion."""
    agent, person = filled(store), Board.for_person(store, *KEY)
    assert person.delete().ok
    assert agent.write({"todos": [{"content": "new"}]}).ok
    assert [(todo.id, todo.content) for todo in agent.plan.todos] == [("1", "new")]
    assert person.undo().ok
    assert not person.plan.todos
    assert not person.undo().ok


def test_a_watcher_is_told_and_not_confused(store: Store) -> None:
    """One that has seen the plan hears of the deletion, then of the new plan; one that comes late hears both, too."""
    gone = filled(store)
    start = newest(store)
    watch = store.watch(0, timeout=PATIENCE)
    while next(watch).sequence < start:
        pass
    gone.delete()
    gone.write({"todos": [{"content": "new"}]})
    told = list(islice(watch, 2))
    assert [record.change.action for record in told] == ["delete", "write"]
    assert told[0].change.after.is_deleted and not told[0].change.before.todos
    assert [todo.content for todo in told[1].change.after.todos] == ["new"]
    assert list(store.watch(0, timeout=0.1)) == told


def test_what_a_view_knows_of_it_goes(store: Store) -> None:
    """Its texts are neither among the boards nor among the recent changes."""
    gone = filled(store)
    news = News(store)
    gone.delete()
    (record,) = store.history(KEY)
    assert isinstance(record, Record) and news.hear(record)
    assert SECRET not in str([*news.records, *news.boards])


def test_an_export_brings_it_back(store: Store) -> None:
    """A backup from before the deletion can be imported, once; what is deleted is in no export."""
    gone = filled(store)
    todos, backup = gone.plan.todos, export_json(store)
    gone.delete()
    assert SECRET not in export_json(store)
    assert import_json(backup, store) == {KEY: True}
    assert board(store).plan.todos == todos
    assert import_json(backup, store) == {KEY: False}


def test_a_migration_does_not_bring_it_back(store: Store) -> None:
    """What was deleted in the target stays deleted when the source still has it."""
    with opened("memory") as source:
        filled(source)
        assert len(list(migrate(source, store))) == 1
        board(store).delete()
        assert list(migrate(source, store)) == []
    assert store.sessions() == []


def test_deleting_what_is_not_there_changes_nothing(store: Store) -> None:
    """Neither an unknown board nor one that is deleted already."""
    assert board(store).delete().ok and store.load(KEY).revision == 0
    gone = filled(store)
    gone.delete()
    revision = gone.plan.revision
    assert gone.delete().ok and gone.plan.revision == revision


def test_its_texts_are_overwritten_in_the_file(tmp_path: Path) -> None:
    """No byte of a deleted plan is left in the file or its log."""
    path = tmp_path / "plans.db"
    with closing(SQLiteStore(path)) as store:
        filled(store)
        assert SECRET.encode() in b"".join(file.read_bytes() for file in tmp_path.iterdir())
        board(store).delete()
        assert SECRET.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_new_board_does_not_get_the_id_of_a_deleted_one(tmp_path: Path) -> None:
    """Otherwise its changes would be told under the other's name."""
    path = tmp_path / "plans.db"
    with closing(SQLiteStore(path)) as store:
        filled(store).delete()
        board(store, OTHER).add("x")
        assert [record.key for record in store.watch(0, timeout=0.1)] == [KEY, OTHER]
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT (SELECT id FROM boards) - (SELECT id FROM deleted_boards)").fetchone() == (1,)


def test_an_older_database_is_brought_up_to_date_with_its_roles() -> None:
    """Roles that were admitted before the migration can write after a deletion; only the owner can delete."""
    server = shared()
    name = "deletion"
    address = server.address("roles of old", schema=name)
    with closing(PostgresStore(address)) as store:
        filled(store)
    for statement in (
        f"DROP TRIGGER refuse_deleted_board ON {name}.boards",
        f"DROP TRIGGER grant_deleted_boards ON {name}.members",
        f"DROP FUNCTION {name}.refuse_deleted_board, {name}.grant_deleted_boards, {name}.delete_board, "
        f"{name}.revive_board",
        f"DROP TABLE {name}.deleted_boards",
        f"DELETE FROM {name}.migrations WHERE number >= {list(MIGRATIONS).index('deleted boards')}",
        "CREATE ROLE agent_of_old LOGIN",
        f"SELECT {name}.admit_agent('agent_of_old', 'roles of old')",
    ):
        server.execute(statement)
    with closing(PostgresStore(address)) as store, closing(PostgresStore(_as(address, "agent_of_old"))) as agents:
        assert len(store.sessions()) == 1
        agent = board(agents)
        reply = agent.delete()
        assert not reply.ok and "permission denied" in reply.faults[0].message
        assert len(agent.plan.todos) == 2
        assert board(store).delete().ok
        assert agent.write({"todos": [{"content": "new"}]}).ok
        assert [todo.content for todo in board(store).plan.todos] == ["new"]


def _as(address: str, role: str) -> str:
    return address.replace("postgres@", f"{role}@")
