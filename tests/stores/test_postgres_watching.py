"""Watching PostgreSQL in trouble: the server is away, a connection is cut, the store is closed meanwhile."""

import signal
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice

import pytest
from cut_wire import Wire
from patience import PATIENCE, wait_until
from postgres_server import Server, new_server, shared

from holdfast import Board
from holdfast.stores import Record
from holdfast.stores.postgres import PostgresStore, notifications


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


class Watcher:
    """A thread that watches until it has heard so many changes, or its watch ends."""

    def __init__(self, store: PostgresStore, count: int = 1) -> None:
        self.heard: list[Record] = []
        self.error: Exception | None = None
        self._watch = islice(store.watch(timeout=PATIENCE), count)
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, and raise what ended it."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error

    def _listen(self) -> None:
        try:
            self.heard.extend(self._watch)
        except Exception as error:
            self.error = error


@contextmanager
def in_place_of(server: Server) -> Iterator[socket.socket]:
    """End a server, and take its port: who tries to reach it is heard, and not answered."""
    server.stop()
    try:
        with socket.create_server(("127.0.0.1", server.port)) as port:
            port.settimeout(PATIENCE)
            yield port
    finally:
        server.start()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_watch_goes_on_when_the_server_is_back(breakable: Server, how: signal.Signals) -> None:
    """A server that was restarted or has crashed amid a watch costs no change, and none comes twice."""
    address, name = breakable.address(), f"watcher-{uuid.uuid4().hex}"
    with (
        closing(PostgresStore(f"{address}&application_name={name}", patience=PATIENCE)) as watching,
        closing(PostgresStore(address, patience=PATIENCE)) as writing,
    ):
        watcher = Watcher(watching, count=3)
        for number in range(3):
            breakable.wait_for_watcher(name)
            breakable.restart(how)
            assert Board(store=writing).add(f"{number}").ok
        watcher.join()
    assert [record.change.after.revision for record in watcher.heard] == [1, 2, 3]


@pytest.mark.parametrize("word", [b"search_path", b"LISTEN", b"mark_watched"])
def test_a_connection_that_is_lost_before_it_listens_is_opened_anew(server: Server, word: bytes) -> None:
    """At its settings, at LISTEN, or at the mark for the writers: a watcher tries again, and hears what comes."""
    address, name = server.address(), f"watcher-{uuid.uuid4().hex}"
    with Wire(server.port) as wire, closing(PostgresStore(address)) as writing:
        away = address.replace(f":{server.port}/", f":{wire.port}/")
        with closing(PostgresStore(f"{away}&application_name={name}")) as watching:
            watching.sessions()
            wire.swallow(word)
            watcher = Watcher(watching)
            server.wait_for_watcher(name)
            Board(store=writing).add("a")
            watcher.join()
        assert (len(watcher.heard), wire.cuts) == (1, 1)


def test_a_write_whose_watchers_could_not_be_told_is_stored_and_logged(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """Telling comes after the commit: its failure is a line in the log, and watchers find the change all the same."""
    address = server.address()
    with Wire(server.port) as wire, closing(PostgresStore(address)) as reading:
        with closing(PostgresStore(address.replace(f":{server.port}/", f":{wire.port}/"))) as writing:
            wire.swallow(b"tell_watchers")
            assert Board(store=writing).add("a").ok
            assert wire.cuts == 1
            assert Board(store=writing).add("b").ok
        assert [record.change.after.revision for record in reading.watch(since=0, timeout=0)] == [1, 2]
    (message,) = caplog.messages
    assert message.startswith("holdfast: the changes are stored, but watchers could not be told: ")


def test_a_watch_of_a_server_that_is_away_ends_when_the_store_is_closed(breakable: Server) -> None:
    """Whoever closes a store while it tries to reach the server gets an end, not an error."""
    name = f"watcher-{uuid.uuid4().hex}"
    store = PostgresStore(breakable.address(application_name=name), patience=PATIENCE)
    watcher = Watcher(store)
    breakable.wait_for_watcher(name)
    with in_place_of(breakable) as port, port.accept()[0]:
        store.close()
    watcher.join()
    assert watcher.heard == []


def test_a_watch_that_cannot_listen_ends_when_the_store_is_closed(server: Server) -> None:
    """It can read over the connection it has, and gets no other to listen on: that, too, is an end and no error."""
    with Wire(server.port) as wire:
        store = PostgresStore(server.address().replace(f":{server.port}/", f":{wire.port}/"), patience=PATIENCE)
        store.sessions()
        wire.dead = True
        watcher = Watcher(store)
        wait_until(lambda: wire.refused)
        store.close()
        watcher.join()
    assert watcher.heard == []


def test_a_watcher_asks_to_be_told_for_as_long_as_it_waits(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mark for the writers runs out after a minute, and is renewed long before."""
    monkeypatch.setattr(notifications, "HEARTBEAT", 0.05)
    name = f"watcher-{uuid.uuid4().hex}"
    with closing(PostgresStore(server.address(application_name=name))) as store:
        watcher = Watcher(store)
        server.wait_for_watcher(name)
        namespace = f"name = '{store.namespace}'"
        server.execute(f"UPDATE holdfast.namespaces SET watched_until = clock_timestamp() WHERE {namespace}")
        marked = f"SELECT 1 FROM holdfast.namespaces WHERE {namespace} AND watched_until > clock_timestamp() + '50 s'"
        wait_until(lambda: server.execute(marked))
        Board(store=store).add("a")
        watcher.join()
    assert len(watcher.heard) == 1
