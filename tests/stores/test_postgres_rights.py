"""Who may do what: the rights that the docs tell to grant are enough, and no more than needed."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice

import psycopg
import pytest
from patience import PATIENCE, wait_until
from postgres_roles import CHANGES_OF_A_TABLE, KEEP, OTHERS, ROLES, TABLES, WAYS_INTO_OTHERS, as_role, grant_roles
from postgres_server import Server, new_server, shared

from holdfast import Board
from holdfast.errors import StoreError
from holdfast.stores import Key, Record
from holdfast.stores.postgres import PostgresStore

KEY = Key("default", "main")


@pytest.fixture(scope="session")
def server() -> Server:
    """A server on which the owner has made the tables and granted what the docs say."""
    server = shared()
    grant_roles(server)
    return server


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
    """Writing, reading, watching, claiming, archiving, in the namespace that it is admitted to."""
    with closing(PostgresStore(server.address("team-a", user="team_a_agent"))) as store:
        board = Board(store=store)
        assert board.write({"todos": [{"content": "a"}, {"content": "b"}]}).ok
        assert not board.write({"todos": [{"id": "9", "status": "completed"}]}).ok
        assert store.tallies(KEY) == {"rejected": 1}
        claim = board.claim("ann")
        assert claim.todo is not None and board.finish("ann", claim.todo.id).ok
        store.keep_work(KEY, "something")
        assert store.kept_work(KEY) == "something"
        assert board.archive().ok and board.add("back again").ok
        with heard_by(store) as heard:
            server.wait_for_watcher("holdfast")
            assert board.add("c").ok
        assert len(heard) == 1
        assert next(store.history(KEY)).change.action == "add"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", TABLES)
def test_a_role_sees_nothing_of_another_namespace(server: Server, role: str, table: str) -> None:
    """The owner sees the rows of both; a role those of its own namespace alone, however it asks."""
    with closing(PostgresStore(server.address("team-b"))) as store:
        board = Board(store=store, session="put away")
        board.update([{"content": "a"}])
        board.claim("bob")
        store.tally(KEY, {"rejected": 1})
        store.keep_work(KEY, "work")
        board.archive()
        gone = Board(store=store, session="gone")
        gone.add("b")
        gone.delete()
    column = "id" if table == "namespaces" else "namespace"
    names = f"SELECT DISTINCT n.name FROM holdfast.{table} AS t JOIN holdfast.namespaces AS n ON n.id = t.{column}"
    assert ("team-b",) in server.execute(names)
    assert {name for (name,) in as_role(server, role, names)} <= {"team-a"}
    number = server.execute(OTHERS[1:-1])[0][0]
    assert as_role(server, role, f"SELECT * FROM holdfast.{table} WHERE {column} = {number}") == []


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", [*TABLES, "members", "migrations"])
@pytest.mark.parametrize("statement", CHANGES_OF_A_TABLE)
def test_no_role_changes_a_table(server: Server, role: str, table: str, statement: str) -> None:
    """Its role cannot rewrite history, nor delete, make or lock anything, not even in its own namespace."""
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFunction)):
        as_role(server, role, statement.format(table=table))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("statement", WAYS_INTO_OTHERS)
def test_no_role_gets_into_another_namespace(server: Server, role: str, statement: str) -> None:
    """No function, sequence, partition or setting lets a role write, count or look there."""
    number = server.execute(OTHERS[1:-1])[0][0]
    before = server.execute(f"SELECT * FROM holdfast.boards WHERE namespace = {number} ORDER BY id")
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedTable)):
        as_role(server, role, statement.format(number=number))
    assert server.execute(f"SELECT * FROM holdfast.boards WHERE namespace = {number} ORDER BY id") == before


def test_a_viewer_of_one_namespace_who_is_an_agent_of_another_writes_only_there(server: Server) -> None:
    """Being an agent somewhere is no right to write anywhere else."""
    server.execute("CREATE ROLE double LOGIN; SELECT holdfast.admit_agent('double', 'team-a')")
    server.execute("SELECT holdfast.admit_viewer('double', 'team-b')")
    with closing(PostgresStore(server.address("team-b", user="double"))) as store:
        assert store.load(Key("secret", "main")).todos
        assert "is no agent of namespace" in Board(store=store).add("mine").text
    with closing(PostgresStore(server.address("team-a", user="double"))) as store:
        assert Board(store=store, session="of both").add("mine").ok
    server.execute("DELETE FROM holdfast.members WHERE role = 'double'::regrole")
    with closing(PostgresStore(server.address("team-a", user="double"))) as store:
        assert "not admitted" in Board(store=store).add("late").text


def test_look_alikes_on_the_search_path_are_not_called(server: Server) -> None:
    """The functions look nowhere but in the server's own catalog, whatever path and temporary tables the caller has."""
    number = server.execute("SELECT id FROM holdfast.namespaces WHERE name = 'team-a'")[0][0]
    server.execute("CREATE SCHEMA IF NOT EXISTS traps; GRANT ALL ON SCHEMA traps TO team_a_agent")
    address = server.address().partition("?")[0].replace("postgres@", "team_a_agent@")
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in (
            "CREATE FUNCTION traps.format(text, VARIADIC anyarray) RETURNS text LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE 'trapped as %', current_user; END $$",
            "CREATE FUNCTION traps.pg_has_role(name, name, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
            "CREATE TEMP TABLE members (namespace integer, role regrole, may_write boolean)",
            "CREATE TEMP TABLE namespaces (id integer, name text)",
            "SET search_path = traps, pg_temp, pg_catalog",
        ):
            connection.execute(statement.encode())
        connection.execute(KEEP.format(namespace=number).encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(KEEP.format(namespace=server.execute(OTHERS[1:-1])[0][0]).encode())


def test_an_agent_cannot_have_its_write_acknowledged_unsynced(server: Server) -> None:
    """Whatever the session has set, the function syncs."""
    number = server.execute("SELECT id FROM holdfast.namespaces WHERE name = 'team-a'")[0][0]
    address = server.address().partition("?")[0].replace("postgres@", "team_a_agent@")
    with psycopg.connect(address) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute(KEEP.replace("x00", "x01").format(namespace=number).encode())
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
        connection.rollback()


def test_every_function_that_acts_for_the_owner_has_a_fixed_path_and_no_public_right(server: Server) -> None:
    """So that a function that is added later is not forgotten."""
    found = server.execute(
        """
        SELECT p.proname, p.prosecdef, p.proconfig, has_function_privilege('public', p.oid, 'EXECUTE')
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'holdfast'
        """
    )
    assert len(found) >= 14
    assert [name for name, _, settings, _ in found if settings != ["search_path=pg_catalog, pg_temp"]] == []
    assert [name for name, _, _, is_public in found if is_public] == []
    assert {name for name, acts_for_owner, _, _ in found if not acts_for_owner} == {
        "add_month",
        "month_after",
        "move_board",
        "admit_agent",
        "admit_viewer",
        "delete_board",
        "grant_deleted_boards",
    }


def test_a_viewer_reads_and_watches_and_cannot_write(server: Server) -> None:
    """A role that may only read looks once a second for what is new; a write is refused in plain words."""
    address = server.address("team-a")
    viewers = address.replace("postgres@", "team_a_viewer@")
    with closing(PostgresStore(address)) as writing, closing(PostgresStore(viewers)) as viewing:
        board = Board(store=writing)
        board.add("a")
        assert viewing.load(KEY) == writing.load(KEY)
        assert list(viewing.watch(timeout=0.1)) == []
        with heard_by(viewing) as heard:
            wait_until_it_pauses(server, "team_a_viewer")
            board.add("b")
        assert [record.change.after.todos[-1].content for record in heard] == ["b"]
        assert [kept.key for kept in viewing.sessions()] == [kept.key for kept in writing.sessions()]
        refused = Board(store=viewing).add("c")
        assert "the role lacks a right" in refused.text and "docs/scale.md" in refused.text


def test_a_role_that_may_not_make_the_tables_says_who_must(server: Server) -> None:
    """Where nobody has made them yet, the error tells what the owner has to do."""
    store = PostgresStore(server.address(user="team_a_agent", schema="not_there"))
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
