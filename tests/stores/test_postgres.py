"""What PostgreSQL's store promises beyond the contract: namespaces, migrations, order, watching without polling."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from itertools import islice, pairwise

import psycopg
import pytest
from forking import WRITTEN, write_around_a_fork
from patience import PATIENCE, wait_until
from postgres_server import Server, shared
from psycopg import sql

from holdfast import Board
from holdfast.errors import StaleRevision, StoreError, UsageError
from holdfast.plan import Change, Draft, Plan, Wish
from holdfast.plan.transitions import replace
from holdfast.stores import Key, Record, codec
from holdfast.stores.address import parse
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.changes import GAP_PAUSE
from holdfast.stores.postgres.connection import connect, options
from holdfast.stores.postgres.layout import MIGRATIONS
from holdfast.stores.postgres.migrations import channel
from holdfast.stores.postgres.names import digest
from holdfast.stores.postgres.statements import PAGE_OF_UNSETTLED

KEY = Key("default", "main")


@pytest.fixture
def server() -> Server:
    """The server of these tests."""
    return shared()


@pytest.fixture
def store(server: Server) -> Iterator[PostgresStore]:
    """A store in a namespace of its own."""
    with closing(PostgresStore(server.address())) as store:
        yield store


@pytest.fixture
def schema(server: Server) -> Iterator[str]:
    """The name of a schema that is not there yet."""
    name = f'try {uuid.uuid4().hex[:8]}"; DROP TABLE boards; --%s{{}}'
    yield name
    with server.connect() as connection:
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


def changes_of(count: int, start: Plan | None = None) -> list[Change]:
    """Changes that follow one upon the other."""
    plans = [Plan() if start is None else start]
    for number in range(count):
        plans.append(replace(plans[-1], Draft([Wish(content=f"step {number}")]), 1.0 + number))
    return [Change(before, after) for before, after in pairwise(plans)]


def test_a_namespace_sees_nothing_of_another(server: Server, store: PostgresStore) -> None:
    """Plans, histories, lists, changes, totals and leases are each namespace's own, under the same names."""
    Board(store=store).add("mine")
    store.tally(KEY, {"rejected": 1})
    store.acquire_lease(KEY, "1", "ann", 60)
    with closing(PostgresStore(server.address())) as other:
        assert other.load(KEY) == Plan()
        assert list(other.history(KEY)) == []
        assert other.sessions() == []
        assert list(other.watch(since=0, timeout=0)) == []
        assert other.tallies(KEY) == {}
        assert other.active_leases(KEY) == {}
        assert other.acquire_lease(KEY, "1", "bob", 60)
        Board(store=other).add("theirs")
        assert [record.sequence for record in other.history(KEY)] == [1]
    assert [todo.content for todo in store.load(KEY).todos] == ["mine"]


@pytest.mark.parametrize("name", ["'; DROP SCHEMA holdfast CASCADE; --", "../up", "字 👩", '%s {} \\ "', " "])
def test_the_name_of_a_namespace_is_data(server: Server, name: str) -> None:
    """It may be any text, in the address or beside it, and is the same one both ways."""
    unique = f"{uuid.uuid4().hex}{name}"
    with (
        closing(PostgresStore(server.address(unique))) as one,
        closing(PostgresStore(server.address("another"), namespace=unique)) as same,
    ):
        Board(store=one).add("a")
        assert same.load(KEY) == one.load(KEY) != Plan()


def test_ten_that_start_at_once_make_the_tables_once(server: Server, schema: str) -> None:
    """Whoever comes first makes them, the others wait for it; all of them write."""
    stores = [PostgresStore(server.address("same", schema=schema)) for _ in range(10)]
    start = threading.Barrier(len(stores))
    replies = []

    def writing(store: PostgresStore) -> None:
        start.wait()
        replies.append(Board(store=store).add("a"))

    threads = [threading.Thread(target=writing, args=[store]) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.text for reply in replies if not reply.ok] == []
    assert len(stores[0].load(KEY).todos) == 10
    assert stores[0].figures().layout == len(MIGRATIONS)
    for store in stores:
        store.close()


def test_a_schema_of_a_newer_holdfast_is_left_alone(server: Server, schema: str) -> None:
    """Tables that this version does not know are not touched, and the error says what to do."""
    with closing(PostgresStore(server.address(schema=schema))) as store:
        store.sessions()
    with server.connect() as connection:
        table = sql.Identifier(schema, "migrations")
        connection.execute(sql.SQL("INSERT INTO {} (number, name) VALUES (99, 'of tomorrow')").format(table))
    with closing(PostgresStore(server.address(schema=schema))) as store:
        reply = Board(store=store).add("a")
    assert "newer Holdfast" in reply.text and "update Holdfast" in reply.text


def test_the_search_path_of_a_role_is_not_trusted(server: Server, schema: str) -> None:
    """A role whose path leads to look-alikes of our tables and of the server's functions still uses the real ones."""
    server.execute("CREATE SCHEMA evil; CREATE TABLE evil.boards (a int); CREATE ROLE misled LOGIN SUPERUSER")
    server.execute(
        "CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil'; END $$"
    )
    server.execute("ALTER ROLE misled SET search_path = evil, pg_catalog")
    with closing(PostgresStore(server.address(user="misled", schema=schema))) as store:
        assert Board(store=store).add("a").ok
        assert store.acquire_lease(KEY, "1", "ann", 60)
        assert len(list(store.watch(since=0, timeout=0.1))) == 1


def test_an_acknowledged_write_is_synced_whatever_the_default(server: Server) -> None:
    """A server or a role that acknowledges before the disk has it does not do so for plans."""
    server.execute("CREATE ROLE hasty LOGIN")
    server.execute("ALTER ROLE hasty SET synchronous_commit = off")
    for user, setting in (("hasty", "on"), ("postgres", "remote_apply")):
        address = parse(
            server.address(user=user, options=f"-c synchronous_commit={setting}" if user != "hasty" else "")
        )
        with closing(connect(options(address), 5.0)) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == (setting,)


def test_a_slow_commit_holds_up_no_other_writer_and_is_told_in_its_place(server: Server, store: PostgresStore) -> None:
    """A write in the same namespace is acknowledged while another is not committed; a watcher waits for both."""
    seen: list[tuple[int, str]] = []
    store.sessions()

    def watching() -> None:
        records = islice(store.watch(since=0, timeout=PATIENCE), 2)
        seen.extend((record.sequence, record.key.session) for record in records)

    watcher = threading.Thread(target=watching)
    watcher.start()
    slow = connect(options(parse(server.address())), PATIENCE)
    with closing(slow), slow.transaction():
        keep_slowly(slow, store)
        assert Board(store=store, session="quick").add("b").ok
        time.sleep(3 * GAP_PAUSE)  # long enough to ask whether the missing change will come
        assert seen == []
        assert [record.sequence for record in store.watch(since=0, timeout=0)] == []
    watcher.join()
    assert seen == [(1, "slow"), (2, "quick")]


def test_a_watch_from_now_on_hears_of_what_was_under_way(server: Server, store: PostgresStore) -> None:
    """What was committed before is not told, even if its number is higher than that of a change which comes later."""
    store.sessions()
    slow = connect(options(parse(server.address())), PATIENCE)
    with closing(slow), slow.transaction():
        keep_slowly(slow, store)
        assert Board(store=store, session="quick").add("before").ok
        watch = store.watch(timeout=PATIENCE)
        assert store.position() == 0
    assert Board(store=store, session="quick").add("after").ok
    told = [(record.sequence, record.key.session) for record in islice(watch, 2)]
    assert told == [(1, "slow"), (3, "quick")]


def test_a_number_that_is_never_committed_is_passed_over(server: Server, store: PostgresStore) -> None:
    """A writer that is killed leaves a gap: a watcher finds out that nothing will come, and goes on."""
    store.sessions()
    slow = connect(options(parse(server.address())), PATIENCE)
    with closing(slow):
        with slow.transaction(force_rollback=True):
            keep_slowly(slow, store)
            watch = store.watch(since=0, timeout=PATIENCE)
            assert Board(store=store, session="quick").add("b").ok
        assert next(watch).sequence == 2
        assert [record.sequence for record in store.watch(since=0, timeout=0)] == [2]
    assert store.position() == 2


def keep_slowly(connection: psycopg.Connection[tuple[object, ...]], store: PostgresStore) -> None:
    """Keep a change in a transaction that is not ended yet."""
    key, after = Key("slow", "main"), changes_of(1)[0].after
    plan, delta = codec.plan_to_json(after), codec.delta_to_json(Plan(), after)
    connection.execute(
        """
        SELECT holdfast.keep_change(n.id, %s, %s, %s, 0, 1, 1, 1.0, 'model', 'write', 0, %s, %s, gen_random_uuid(),
            false)
        FROM holdfast.namespaces AS n WHERE n.name = %s
        """,
        (digest(*key), *key, plan, delta, store.namespace),
    )


def test_writers_note_up_to_where_everything_is_settled(server: Server, store: PostgresStore) -> None:
    """Now and then a writer does so, so that a replica, which cannot, knows that a gap stays one."""
    settled = f"SELECT settled FROM holdfast.namespaces WHERE name = '{store.namespace}'"
    board = Board(store=store)
    board.add("a")
    assert server.execute(settled) == [(1,)]
    for age in ("2 seconds", "2 minutes"):
        server.execute(f"UPDATE holdfast.namespaces SET settled_at = now() - interval '{age}'")
        board.add("c")
        assert server.execute(settled) == [(board.plan.revision,)]


def test_writers_tell_watchers_only_while_there_are_some(server: Server, store: PostgresStore) -> None:
    """NOTIFY makes commits of the whole server wait for one another, so nobody is notified who is not there."""
    board = Board(store=store)
    board.add("nobody watches")
    with server.connect() as listening:
        namespace = server.execute(f"SELECT id FROM holdfast.namespaces WHERE name = '{store.namespace}'")[0][0]
        listening.execute(sql.SQL("LISTEN {}").format(sql.Identifier(f"{channel('holdfast')}{namespace}")))
        board.add("still nobody")
        assert list(listening.notifies(timeout=0.2)) == []
        assert list(store.watch(timeout=0.1)) == []
        board.add("somebody was here")
        assert len(list(listening.notifies(timeout=PATIENCE, stop_after=1))) == 1


def test_a_watcher_that_waits_asks_the_server_nothing(server: Server) -> None:
    """Between two changes no statement is sent: it is told of them."""
    name = f"watcher-{uuid.uuid4().hex}"
    asked = f"SELECT max(query_start) FROM pg_stat_activity WHERE application_name = '{name}'"

    def is_quiet() -> bool:
        before = server.execute(asked)
        time.sleep(1.2)
        return server.execute(asked) == before

    with closing(PostgresStore(server.address(application_name=name))) as store:
        watch = store.watch(timeout=PATIENCE)
        heard: list[object] = []
        thread = threading.Thread(target=lambda: heard.append(next(watch)))
        thread.start()
        server.wait_for_watcher(name)
        wait_until(is_quiet, "the look that follows upon listening is over")
        Board(store=store).add("a")
        thread.join()
    assert len(heard) == 1


def test_nothing_is_missed_over_a_reconnect(server: Server) -> None:
    """Whenever a watcher's connections are cut, it catches up by sequence, and tells each change once."""
    name = f"watcher-{uuid.uuid4().hex}"
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{name}'"
    writes = 45
    address = server.address()
    seen: list[int] = []
    with (
        closing(PostgresStore(f"{address}&application_name={name}")) as watching,
        closing(PostgresStore(address)) as writing,
    ):
        watch = watching.watch(since=0, timeout=PATIENCE)
        watcher = threading.Thread(target=lambda: seen.extend(record.sequence for record in islice(watch, writes)))
        watcher.start()
        board = Board(store=writing)
        for number in range(writes):
            assert board.add(f"{number}").ok
            if number % 15 == 5:
                server.execute(cut)
        watcher.join(PATIENCE)
    assert seen == list(range(1, writes + 1))


def test_a_watch_ends_when_the_store_is_closed(server: Server) -> None:
    """A watcher that waits without end is let go by close()."""
    name = f"watcher-{uuid.uuid4().hex}"
    store = PostgresStore(server.address(application_name=name))
    watcher = threading.Thread(target=lambda: list(store.watch()))
    watcher.start()
    server.wait_for_watcher(name)
    store.close()
    watcher.join(PATIENCE)
    assert not watcher.is_alive()
    with pytest.raises(StoreError, match="closed"):
        store.load(KEY)


def test_many_changes_are_kept_in_few_transactions(store: PostgresStore) -> None:
    """They are all there, in their order; a batch that comes too late leaves nothing."""
    changes = changes_of(1_200)
    store.commit_many(KEY, changes)
    assert [record.change for record in store.history(KEY)] == changes[::-1]
    with pytest.raises(StaleRevision):
        store.commit_many(KEY, changes_of(3))
    late = changes_of(2, changes[-1].after)
    with pytest.raises(StaleRevision):
        store.commit_many(KEY, [late[0], late[0]])
    assert store.load(KEY) == changes[-1].after
    assert store.figures()[:2] == (1, 1_200)


def test_a_batch_that_comes_too_late_leaves_nothing(store: PostgresStore) -> None:
    """A batch is kept as a whole or not at all: none of it is there when the plan has moved on."""
    store.commit(KEY, changes_of(1)[0])
    with pytest.raises(StaleRevision, match="no longer at revision 0"):
        store.commit_many(KEY, changes_of(3))
    assert len(list(store.history(KEY))) == 1


def test_a_watcher_starts_after_everything_that_is_there(store: PostgresStore) -> None:
    """However many changes came at once: none of them is told again, and the next one is."""
    for session in "ab":
        store.commit_many(Key(session, "main"), changes_of(PAGE_OF_UNSETTLED))
    assert store.position() == 2 * PAGE_OF_UNSETTLED
    watching = store.watch(timeout=PATIENCE)
    assert list(store.watch(timeout=0)) == []
    watched: list[Record] = []
    thread = threading.Thread(target=lambda: watched.append(next(watching)))
    thread.start()
    Board(store=store).add("a")
    thread.join(PATIENCE)
    assert [record.sequence for record in watched] == [2 * PAGE_OF_UNSETTLED + 1]


def test_old_changes_are_forgotten_and_the_rest_is_whole(server: Server, store: PostgresStore) -> None:
    """On each board the oldest go, the plan and its newest change stay, and other namespaces keep theirs."""
    other = Key("default", "helper")
    with closing(PostgresStore(server.address())) as elsewhere:
        elsewhere.commit_many(KEY, changes_of(10))
        changes = changes_of(30)
        store.commit_many(KEY, changes)
        store.commit_many(other, changes_of(2))
        assert store.prune(keep=4) == 26
        assert [record.change for record in store.history(KEY)] == changes[:-5:-1]
        assert len(list(store.history(other))) == 2
        assert store.prune(older_than=-1) == 4
        assert [len(list(store.history(key))) for key in (KEY, other)] == [1, 1]
        assert store.load(KEY) == changes[-1].after
        assert len(list(elsewhere.history(KEY))) == 10
    assert Board(store=store).add("and on").ok
    assert [record.sequence for record in store.history(KEY)] == [33, 30]
    with pytest.raises(UsageError):
        store.prune()


def test_a_name_that_is_no_text_is_told(store: PostgresStore) -> None:
    """Half a surrogate pair cannot be stored anywhere; the reply says so."""
    reply = Board(store=store, session="a\ud800").add("a")
    assert "not valid text" in reply.text


def test_a_damaged_record_is_told_and_left_as_it_is(server: Server, store: PostgresStore) -> None:
    """One plan that cannot be read is an error that names it; the others can be."""
    damaged, sound = Board(store=store, session="broken"), Board(store=store)
    damaged.add("a")
    sound.add("b")
    where = f"session = 'broken' AND namespace = (SELECT id FROM holdfast.namespaces WHERE name = '{store.namespace}')"
    server.execute(f"UPDATE holdfast.boards SET plan = '[[\"?\"]]', revision = 7 WHERE {where}")
    reply = damaged.add("c")
    assert "session 'broken', agent 'main' is damaged" in reply.text
    assert server.execute(f"SELECT plan FROM holdfast.boards WHERE {where}") == [('[["?"]]',)]
    assert sound.add("d").ok


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")  # pytest-xdist has threads
def test_a_fork_may_come_at_any_time(store: PostgresStore) -> None:
    """A store that is connected in the parent works in its children, and goes on in the parent."""
    board = Board(store=store)
    write_around_a_fork(board, PATIENCE)
    assert board.add("at last").ok
    assert {todo.content for todo in board.plan.todos} == {*WRITTEN, "at last"}
