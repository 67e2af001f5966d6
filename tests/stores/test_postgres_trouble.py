"""PostgreSQL in trouble: killed, cut off, silent, busy, full. What was acknowledged is there, and none of it twice."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

import pytest
from cut_wire import Wire
from patience import PATIENCE, wait_until
from postgres_server import LOCKED, Server, new_server, shared

from holdfast import Board
from holdfast.errors import StoreError
from holdfast.plan import Plan
from holdfast.stores import Key
from holdfast.stores.address import parse
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.connection import DatabaseConnection
from holdfast.stores.postgres.pool import Pool

KEY = Key("default", "main")
SECRET = "s3cr3t"


@pytest.fixture
def server() -> Server:
    """A server that is not broken."""
    return shared()


@pytest.fixture(scope="module")
def breakable() -> Iterator[Server]:
    """A server to break; each test leaves it running."""
    server = new_server(max_connections="20")
    yield server
    server.remove()


def through(wire: Wire, server: Server, **options: str) -> str:
    """The address of a server at the other end of a wire."""
    return server.address(**options).replace(f":{server.port}/", f":{wire.port}/")


class Writers:
    """Threads that write until they are told to stop, each its own plan, and remember what was acknowledged."""

    def __init__(self, address: str, count: int = 4) -> None:
        self._store = PostgresStore(address, patience=PATIENCE)
        self._stop = threading.Event()
        self.acknowledged: dict[str, list[str]] = {f"writer {number}": [] for number in range(count)}
        self.refusals: list[str] = []
        self._threads = [threading.Thread(target=self._write, args=[name]) for name in self.acknowledged]

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._store.close()

    def wait_for(self, more: int) -> None:
        """Wait until each has written so many more."""
        goals = {name: len(done) + more for name, done in self.acknowledged.items()}
        wait_until(
            lambda: self.refusals or all(len(self.acknowledged[name]) >= goal for name, goal in goals.items()),
            "the writers get on",
        )

    def _write(self, name: str) -> None:
        board = Board(store=self._store, session=name)
        number = 0
        while not self._stop.is_set():
            number += 1
            reply = board.write({"todos": [{"content": f"{name}, write {number}"}]})
            if reply.ok:
                self.acknowledged[name].append(f"{name}, write {number}")
            else:
                self.refusals.append(reply.text)
                return


def check_every_write(server: Server, address: str, writers: Writers) -> None:
    """What was acknowledged is what is stored, each once, in order, and in no other place."""
    assert writers.refusals == []
    with closing(PostgresStore(address)) as store:
        records = list(store.watch(since=0, timeout=0))
        assert all(one.sequence < next.sequence for one, next in pairwise(records))
        for name, acknowledged in writers.acknowledged.items():
            mine = [record.change for record in records if record.key.session == name]
            assert [change.after.todos[-1].content for change in mine] == acknowledged
            assert [change.after.revision for change in mine] == list(range(1, len(mine) + 1))
            assert [record.change for record in store.history(Key(name, "main"))] == mine[::-1]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL])
def test_a_server_that_goes_down_amid_writes_loses_and_doubles_nothing(breakable: Server, how: signal.Signals) -> None:
    """Restarted, ended at once, or killed: the writers wait for it, and every write is there once."""
    address = breakable.address()
    with Writers(address) as writers:
        for _ in range(3):
            writers.wait_for(3)
            breakable.restart(how)
        writers.wait_for(3)
    check_every_write(breakable, address, writers)


def test_connections_that_are_cut_amid_writes_lose_and_double_nothing(breakable: Server) -> None:
    """Every connection is ended again and again, while statements run on them."""
    address = breakable.address(application_name="cut")
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut'"
    with Writers(address) as writers:
        for _ in range(15):
            writers.wait_for(1)
            breakable.execute(cut)
        writers.wait_for(2)
    check_every_write(breakable, address, writers)


def test_a_write_whose_answer_is_lost_is_not_done_twice(server: Server) -> None:
    """The server has committed it and the answer never comes: the second try finds it there, by its token."""
    with Wire(server.port) as wire, closing(PostgresStore(through(wire, server))) as store:
        board = Board(store=store)
        for number in range(3):
            wire.swallow(b"a write")
            assert board.write({"todos": [{"content": f"a write, number {number}"}]}).ok
            assert wire.cuts == number + 1
        contents = [record.change.after.todos[-1].content for record in store.history(KEY)]
    assert contents == [f"a write, number {number}" for number in (2, 1, 0)]


def test_a_lost_answer_is_known_even_if_others_wrote_since(server: Server) -> None:
    """Between the lost answer and the second try others may go on from our change; it is still known as ours."""
    address = server.address()
    with Wire(server.port) as wire, closing(PostgresStore(address)) as other:
        with closing(PostgresStore(address.replace(f":{server.port}/", f":{wire.port}/"), connections=1)) as store:
            Board(store=store).add("first")
            wire.swallow(b"second", and_die=True)
            wire_is_cut = threading.Thread(target=_go_on_when_cut, args=[wire, other])
            wire_is_cut.start()
            reply = Board(store=store).add("second")
            wire_is_cut.join()
        assert reply.ok
        contents = [record.change.after.todos[-1].content for record in other.history(KEY)][::-1]
        assert contents == ["first", "second", "third", "fourth"]


def _go_on_when_cut(wire: Wire, other: PostgresStore) -> None:
    wait_until(lambda: wire.cuts)
    Board(store=other).add("third")
    Board(store=other).add("fourth")
    wire.dead = False


def test_a_batch_whose_answer_is_lost_is_not_done_twice(server: Server) -> None:
    """Many changes in one transaction are known again, too."""
    with Wire(server.port) as wire, closing(PostgresStore(through(wire, server))) as store:
        source = Board()
        for number in range(30):
            source.add(f"todo {number}")
        changes = [record.change for record in source.history()][::-1]
        store.load(KEY)
        wire.swallow(b"COMMIT")
        store.commit_many(KEY, changes)
        assert wire.cuts == 1
        assert [record.change for record in store.history(KEY)] == changes[::-1]


def test_a_write_that_stays_in_doubt_is_told_as_such(server: Server) -> None:
    """If the server cannot be asked again, the error says that nobody knows, and names no password."""
    with Wire(server.port) as wire:
        address = through(wire, server, password=SECRET)
        with closing(PostgresStore(address, patience=2.0)) as store:
            board = Board(store=store)
            board.add("first")
            wire.swallow(b"second", and_die=True)
            reply = board.add("second")
            assert not reply.ok
            assert "it is not known whether the write was kept" in reply.text
            assert reply.text.startswith("it is not known whether the write was kept")
            wire.dead = False
            assert [todo.content for todo in board.plan.todos] == ["first", "second"]


def test_a_dead_database_is_told_within_a_bound_and_the_loop_lives(breakable: Server) -> None:
    """An async host writes in a thread: it gets a clear error in time, its loop goes on, and so does the next write."""
    patience = 1.0
    with closing(PostgresStore(breakable.address(), patience=patience)) as store:
        board = Board(store=store)
        assert board.add("before").ok
        breakable.stop()

        async def host() -> tuple[str, float, int]:
            started, ticks = time.monotonic(), 0
            write = asyncio.create_task(asyncio.to_thread(board.add, "meanwhile"))
            while not write.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return (await write).text, time.monotonic() - started, ticks

        text, seconds, ticks = asyncio.run(host())
        assert "cannot be reached" in text and "check that the server runs" in text
        assert "not known" not in text, "nothing was sent: nothing is in doubt"
        assert seconds < 10 * patience
        assert ticks > 5
        breakable.start()
        assert board.add("after").ok
        assert [todo.content for todo in board.plan.todos] == ["before", "after"]


def test_a_server_that_was_never_there_is_told_at_once(breakable: Server) -> None:
    """Who names a wrong place need not wait to hear of it, and does not read its password."""
    address = breakable.address(password=SECRET).replace(f":{breakable.port}/", ":1/")
    with closing(PostgresStore(address, patience=PATIENCE)) as store:
        started = time.monotonic()
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            store.load(KEY)
    assert time.monotonic() - started < PATIENCE / 2
    assert SECRET not in str(caught.value)


def test_a_wrong_password_is_told_without_it(server: Server) -> None:
    """What the server says of it is passed on; the password is not."""
    server.execute(f"CREATE ROLE {LOCKED} LOGIN PASSWORD 'another'")
    store = PostgresStore(server.address(user=LOCKED, password=SECRET))
    with closing(store), pytest.raises(StoreError, match="password authentication failed") as caught:
        store.load(KEY)
    assert SECRET not in f"{caught.value}{caught.value.__cause__}"


def test_a_server_that_falls_silent_is_given_up(server: Server) -> None:
    """It takes statements and never answers: the caller is told within the bound, and is served again afterwards."""
    with closing(PostgresStore(server.address(application_name="silent"), patience=2.0, connections=1)) as store:
        store.load(KEY)
        found = server.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'silent'")
        backend = int(str(found[0][0]))
        os.kill(backend, signal.SIGSTOP)
        try:
            with pytest.raises(StoreError, match="no answer within"):
                store.load(KEY)
        finally:
            os.kill(backend, signal.SIGCONT)
        assert store.load(KEY) == Plan()


def test_a_pool_that_is_used_up_is_told(server: Server) -> None:
    """Who gets no connection in time is told how many there are; who had one goes on, and gives it back."""
    pool = Pool(parse(server.address()), 1, patience=2.0)
    is_taken, may_end = threading.Event(), threading.Event()

    def work(connection: DatabaseConnection) -> None:
        is_taken.set()
        assert may_end.wait(PATIENCE)

    busy = threading.Thread(target=pool.run, args=[work])
    busy.start()
    assert is_taken.wait(PATIENCE)
    with pytest.raises(StoreError, match=r"all 1 connections to .* were in use for 2 seconds"):
        pool.run(lambda connection: None)
    may_end.set()
    busy.join()
    assert pool.run(lambda connection: connection.execute("SELECT 1").fetchone()) == (1,)
    pool.close()


def test_threads_share_few_connections(server: Server) -> None:
    """However many threads use a store, the server sees no more connections than it was allowed."""
    name = "few"
    most = 0
    with closing(PostgresStore(server.address(application_name=name), connections=2)) as store:
        threads = [threading.Thread(target=Board(store=store).add, args=[str(number)]) for number in range(12)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            count = f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'"
            most = max(most, int(str(server.execute(count)[0][0])))
        assert len(store.load(KEY).todos) == 12
    assert most <= 2


def test_a_plan_that_somebody_has_locked_is_told_as_busy(server: Server) -> None:
    """A transaction that somebody forgot to end holds a write up only so long, and the write leaves nothing behind."""
    with closing(PostgresStore(server.address(), patience=2.0)) as store:
        board = Board(store=store)
        board.add("a")
        with server.connect() as other, other.transaction():
            other.execute("SELECT 1 FROM holdfast.boards FOR UPDATE")
            reply = board.add("b")
            assert "is busy" in reply.text and "pg_stat_activity" in reply.text
        assert board.add("c").ok
        assert [todo.content for todo in board.plan.todos] == ["a", "c"]


def test_a_transaction_that_the_server_undid_is_tried_again(server: Server) -> None:
    """A deadlock or a serialization failure is nobody's fault: it is tried again, up to the bound."""
    pool = Pool(parse(server.address()), 1, patience=PATIENCE)
    tries: list[int] = []

    def work(connection: DatabaseConnection) -> str:
        tries.append(1)
        if len(tries) < 4:
            code = "40P01" if len(tries) % 2 else "40001"
            connection.execute(f"DO $$ BEGIN RAISE 'undone' USING ERRCODE = '{code}'; END $$".encode())
        return "done"

    assert pool.run(work) == "done"
    assert len(tries) == 4
    impatient = Pool(parse(server.address()), 1, patience=2.0)
    undone = b"DO $$ BEGIN RAISE 'undone' USING ERRCODE = '40001'; END $$"
    with pytest.raises(StoreError, match="undone"):
        impatient.run(lambda connection: connection.execute(undone))
    pool.close()
    impatient.close()


def test_clocks_of_hosts_that_differ_do_no_harm(server: Server) -> None:
    """Hosts an hour apart: leases run by the server's clock, and what came last is what was committed last."""
    address = server.address()
    with closing(PostgresStore(address)) as slow, closing(PostgresStore(address)) as fast:
        behind = Board(store=slow, session="behind", clock=lambda: time.time() - 3600)
        ahead = Board(store=fast, session="behind", clock=lambda: time.time() + 3600)
        behind.update([{"content": "one"}, {"content": "two"}])
        assert (todo := behind.claim("slow host", seconds=60).todo) is not None and todo.id == "1"
        assert ahead.claim("fast host", "1").reply.faults[0].code == "held"
        assert (todo := ahead.claim("fast host", seconds=60).todo) is not None and todo.id == "2"
        assert behind.claim("slow host", "2").reply.faults[0].code == "held"
        Board(store=fast, session="earlier", clock=lambda: time.time() + 3600).add("a")
        assert behind.finish("slow host", "1").ok
        assert [kept.key.session for kept in slow.sessions()] == ["behind", "earlier"]
        assert [record.change.after.revision for record in behind.history()] == [4, 3, 2, 1]
