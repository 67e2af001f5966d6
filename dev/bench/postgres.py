"""Plans in PostgreSQL: a write against a bare insert of the same row, many writers at once, and a watcher's delay.

The server is our own, on this machine, and syncs to the disk. Both sides of each pair take turns.
"""

import statistics
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from itertools import cycle
from typing import TYPE_CHECKING

import psycopg

from dev.bench.measurement import Measurement
from dev.bench.payloads import STATES
from dev.database import database_server
from holdfast import Board
from holdfast.plan import Change, Plan
from holdfast.stores import Key, codec
from holdfast.stores.postgres import PostgresStore

if TYPE_CHECKING:
    from postgres_server import Server

ROUNDS = 500
SECONDS = 3.0
WRITERS = 8
CROWD = 16
SLOW_SYNC = 4.0
"""How many milliseconds a sync takes in addition where the growth with the writers is measured."""

GROWTH = 5.0
KEY = Key("default", "main")

BARE = """
    CREATE TABLE IF NOT EXISTS public.bare (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text, agent text, revision integer, number integer,
        at double precision, made_by text, action text, undoes integer, token uuid, delta text, plan text
    )
"""
INSERT = """
    INSERT INTO public.bare (session, agent, revision, number, at, made_by, action, undoes, token, delta, plan)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


def synced_server(sync_ms: float = 0.0, connections: int = 60) -> AbstractContextManager["Server"]:
    """A server whose writes are safe on the disk. Raises NotRun if there is none."""
    most = str(connections)
    return database_server(
        sync_ms, fsync="on", shared_buffers="128MB", autovacuum="on", max_wal_size="4GB", max_connections=most
    )


def postgres_measurements() -> list[Measurement]:
    """Every measurement of this part."""
    with synced_server() as server:
        with server.connect() as connection:
            connection.execute(BARE)
        return [*_one_writer(server), *_many_writers(server), *_watching(server)]


def slow_sync_measurements() -> list[Measurement]:
    """How the writes of one namespace grow with its writers where a sync takes long."""
    with synced_server(SLOW_SYNC) as server:
        rows = [
            ("one writer", 1, False),
            (f"{CROWD} writers", CROWD, False),
            (f"{CROWD} writers, watched", CROWD, True),
        ]
        rates = [_rate_in_one_namespace(server, writers, is_watched) for _, writers, is_watched in rows]
    sync = f"a sync of {SLOW_SYNC:g} ms more"
    return [
        Measurement(f"one namespace, {sync}: {rows[0][0]}", rates[0], "/s"),
        *[
            Measurement(f"one namespace, {sync}: {row[0]}", rate, "/s", rate / rates[0], least=GROWTH)
            for row, rate in zip(rows[1:], rates[1:], strict=True)
        ],
    ]


def _rate_in_one_namespace(server: "Server", writers: int, is_watched: bool) -> float:
    address = server.address()
    with closing(PostgresStore(address)) as watching:
        if is_watched:
            threading.Thread(target=lambda: list(watching.watch()), daemon=True).start()
            time.sleep(0.5)
        return writes_per_second([address] * writers)


def _one_writer(server: "Server") -> list[Measurement]:
    with closing(PostgresStore(server.address())) as store, closing(PostgresStore(server.address())) as other:
        board, changes = Board(store=other), changes_of_one_board(ROUNDS)
        payloads = cycle([{"todos": todos} for todos in STATES])
        with server.connect() as connection:
            times: dict[str, list[float]] = {"bare": [], "commit": [], "write": []}
            for change in changes:
                row = _row(change)
                times["bare"].append(_microseconds(connection.execute, INSERT, row))
                times["commit"].append(_microseconds(store.commit, KEY, change))
                times["write"].append(_microseconds(board.write, next(payloads)))
    bare, commit, write = (statistics.median(times[name]) for name in ("bare", "commit", "write"))
    return [
        Measurement("insert and commit, bare psycopg (the floor)", bare, "µs"),
        Measurement("bare psycopg: writes a second", 1e6 / bare, "/s"),
        Measurement("a commit: compare-and-swap, history, plan", commit, "µs", commit / bare),
        Measurement("commits: writes a second", 1e6 / commit, "/s"),
        Measurement("a write of ten todos: load, check, commit, reply", write, "µs", write / bare),
        Measurement("whole writes: writes a second", 1e6 / write, "/s"),
    ]


def _many_writers(server: "Server") -> list[Measurement]:
    shared, watched = server.address(), [server.address() for _ in range(WRITERS)]
    with ExitStack() as watching:
        rows = [
            (f"{WRITERS} at once, bare psycopg", _bare_inserts_per_second(server)),
            (f"{WRITERS} at once, one namespace", writes_per_second([shared] * WRITERS)),
            (
                f"{WRITERS} at once, {WRITERS} namespaces",
                writes_per_second([server.address() for _ in range(WRITERS)]),
            ),
        ]
        for address in watched:
            store = watching.enter_context(closing(PostgresStore(address)))
            threading.Thread(target=lambda store=store: list(store.watch()), daemon=True).start()
        time.sleep(0.5)
        rows.append((f"{WRITERS} at once, {WRITERS} namespaces, each watched", writes_per_second(watched)))
    return [Measurement(what, rate, "/s") for what, rate in rows]


def _watching(server: "Server") -> list[Measurement]:
    """How long it takes until a watcher sees a write: from its start, and from its acknowledgement."""
    address = server.address()
    heard: dict[int, float] = {}
    begun, acknowledged = [], []
    with closing(PostgresStore(address)) as writing, closing(PostgresStore(address)) as listening:
        board = Board(store=writing)
        watch = listening.watch(timeout=SECONDS)
        watcher = threading.Thread(target=lambda: heard.update((one.sequence, time.perf_counter()) for one in watch))
        watcher.start()
        time.sleep(0.5)
        for _, todos in zip(range(ROUNDS), cycle(STATES), strict=False):
            begun.append(time.perf_counter())
            board.write({"todos": todos})
            acknowledged.append(time.perf_counter())
            time.sleep(0.002)
        watcher.join()
    delays = [(heard[at + 1] - begun[at]) * 1e3 for at in range(ROUNDS)]
    late = sorted((heard[at + 1] - acknowledged[at]) * 1e3 for at in range(ROUNDS))
    return [
        Measurement("a watcher hears: after a write began", statistics.median(delays), "ms"),
        Measurement("a watcher hears: after a write was acknowledged", statistics.median(late), "ms"),
        Measurement("a watcher hears: after a write was acknowledged, 99 of 100", late[int(ROUNDS * 0.99)], "ms"),
    ]


def changes_of_one_board(count: int) -> list[Change]:
    """So many changes that follow each other."""
    board = Board()
    for _, todos in zip(range(count), cycle(STATES), strict=False):
        board.write({"todos": todos})
    return [record.change for record in board.history()][::-1]


def _row(change: Change) -> tuple[object, ...]:
    before, after, by, action, undoes = change
    delta, plan = codec.delta_to_json(before, after), codec.plan_to_json(after)
    return (*KEY, after.revision, after.number, after.updated_at, by, action, undoes, uuid.uuid4(), delta, plan)


def _microseconds(act: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    act(*arguments)
    return (time.perf_counter() - started) * 1e6


def _bare_inserts_per_second(server: "Server") -> float:
    row = _row(Change(Plan(), changes_of_one_board(1)[0].after))

    def writing() -> Callable[[], object]:
        connection: psycopg.Connection[tuple[object, ...]] = server.connect()
        return lambda: connection.execute(INSERT, row)

    return _calls_per_second([writing] * WRITERS)


def writes_per_second(addresses: list[str]) -> float:
    """Writes per second, by one agent with its own plan at each address."""

    def writer(address: str, name: str) -> Callable[[], Callable[[], object]]:
        def writing() -> Callable[[], object]:
            board = Board(store=PostgresStore(address, connections=1), session=name)
            payloads = cycle([{"todos": todos} for todos in STATES])
            return lambda: board.write(next(payloads))

        return writing

    return _calls_per_second([writer(address, str(number)) for number, address in enumerate(addresses)])


def _calls_per_second(writers: list[Callable[[], Callable[[], object]]]) -> float:
    """How many calls per second threads can make, all at once."""
    counts = [0] * len(writers)
    start = threading.Barrier(len(writers) + 1)
    ends = [0.0]

    def run(place: int) -> None:
        act = writers[place]()
        act()
        start.wait()
        while time.perf_counter() < ends[0]:
            act()
            counts[place] += 1

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(writers))]
    for thread in threads:
        thread.start()
    ends[0] = time.perf_counter() + 3600
    start.wait()
    ends[0] = time.perf_counter() + SECONDS
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS
