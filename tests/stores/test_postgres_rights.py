"""Who may do what: the rights that the docs tell to grant are enough, and no more than needed."""

import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import psycopg
import pytest
from patience import PATIENCE, wait_until
from postgres_server import Server, new_server, shared

from holdfast import Board
from holdfast.errors import StoreError
from holdfast.stores import Key, Record
from holdfast.stores.postgres import PostgresStore

KEY = Key("default", "main")
DOCS = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.fixture(scope="session")
def server() -> Server:
    """A server on which the owner has made the tables and granted what the docs say."""
    server = shared()
    with closing(PostgresStore(server.address("made by the owner"))) as store:
        store.sessions()
    for block in re.findall(r"```sql\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL):
        server.execute(block)
    return server


def as_role(server: Server, role: str, statement: str) -> None:
    """Run a statement as a role."""
    with psycopg.connect(server.address().partition("?")[0].replace("postgres@", f"{role}@")) as connection:
        connection.execute(statement.encode())


@contextmanager
def heard_by(store: PostgresStore) -> Iterator[list[Record]]:
    """What a watcher is told first, once the block is over."""
    heard: list[Record] = []
    watch = store.watch(timeout=PATIENCE)
    watcher = threading.Thread(target=lambda: heard.extend(islice(watch, 1)))
    watcher.start()
    yield heard
    watcher.join()


def wait_until_it_pauses(server: Server, role: str) -> None:
    """Wait for a watcher that cannot listen: nothing of a role is under way, between two of its looks."""
    others = f"SELECT max(query_start) FROM pg_stat_activity WHERE usename = '{role}' AND pid <> pg_backend_pid()"
    wait_until(lambda: server.execute(f"SELECT 1 WHERE ({others}) < clock_timestamp() - interval '0.2 s'"))


def test_an_agent_can_do_all_its_work(server: Server) -> None:
    """Writing, reading, watching, claiming, in a namespace that is made for it."""
    with closing(PostgresStore(server.address(user="holdfast_agent"))) as store:
        board = Board(store=store)
        assert board.write({"todos": [{"content": "a"}, {"content": "b"}]}).ok
        assert not board.write({"todos": [{"id": "9", "status": "completed"}]}).ok
        assert store.tallies(KEY) == {"rejected": 1}
        claim = board.claim("ann")
        assert claim.todo is not None and board.finish("ann", claim.todo.id).ok
        with heard_by(store) as heard:
            assert board.add("c").ok
        assert len(heard) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM holdfast.changes",
        "UPDATE holdfast.changes SET delta = ''",
        "DELETE FROM holdfast.boards",
        "UPDATE holdfast.boards SET session = 'another'",
        "UPDATE holdfast.namespaces SET name = 'another'",
        "DELETE FROM holdfast.tallies",
        "DROP TABLE holdfast.leases",
        "CREATE TABLE holdfast.mine (a int)",
        "INSERT INTO holdfast.migrations (number, name) VALUES (99, 'mine')",
    ],
)
def test_an_agent_can_do_nothing_else(server: Server, statement: str) -> None:
    """Its role cannot rewrite history, nor rename, delete or make anything."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        as_role(server, "holdfast_agent", statement)


def test_a_viewer_reads_and_watches_and_cannot_write(server: Server) -> None:
    """A role that may only read looks once a second for what is new; a write is refused in plain words."""
    address = server.address()
    viewers = address.replace("postgres@", "holdfast_viewer@")
    with closing(PostgresStore(address)) as writing, closing(PostgresStore(viewers)) as viewing:
        board = Board(store=writing)
        board.add("a")
        assert viewing.load(KEY) == writing.load(KEY)
        assert list(viewing.watch(timeout=0.1)) == []
        with heard_by(viewing) as heard:
            wait_until_it_pauses(server, "holdfast_viewer")
            board.add("b")
        assert [record.change.after.todos[-1].content for record in heard] == ["b"]
        refused = Board(store=viewing).add("c")
        assert "the role lacks a right" in refused.text and "docs/scale.md" in refused.text


def test_a_role_that_may_not_make_the_tables_says_who_must(server: Server) -> None:
    """Where nobody has made them yet, the error tells what the owner has to do."""
    store = PostgresStore(server.address(user="holdfast_agent", schema="not_there"))
    with closing(store), pytest.raises(StoreError, match="let the owner of the schema run `holdfast doctor"):
        store.load(KEY)


@pytest.fixture
def replica(server: Server) -> Iterator[Server]:
    """A server that follows the other one."""
    follower = new_server(replica_of=server)
    yield follower
    follower.remove()


def test_a_replica_can_be_read_and_watched(server: Server, replica: Server) -> None:
    """What is written at the primary is heard at the replica within a second or so; writing there is refused."""
    with closing(PostgresStore(server.address("made by the owner"))) as primary:
        board = Board(store=primary, session="replicated")
        board.add("a")
        with closing(PostgresStore(replica.address("made by the owner"))) as copy:
            watch = copy.watch(since=0, timeout=PATIENCE)
            seen = next(watch)
            while seen.key.session != "replicated":
                seen = next(watch)
            assert seen.change.after.todos[0].content == "a"
            with heard_by(copy) as heard:
                wait_until_it_pauses(replica, "postgres")
                board.add("b")
            assert heard[0].change.after == primary.load(board.key) == copy.load(board.key)
            assert [kept.key for kept in copy.sessions()] == [kept.key for kept in primary.sessions()]
            assert "write to the primary server" in Board(store=copy).add("c").text
