"""What many sessions a day need: measured figures of one server, and a simulated busy hour on several of them.

Measured here, on a server of our own: its CPU time for a write, and for each watcher that hears of one; bytes in
tables, indexes and log; plans that one process puts away in a second. Simulated: writes come at random, as many as
in the busiest hour; each takes its share of a core, and its commit joins the next sync of its server. The fewest
servers that hold the budget are found.

    python -m dev.bench.simulation [SESSIONS A DAY]
"""

import heapq
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dev.bench.payloads import STATES
from dev.bench.postgres import (
    CROWD,
    KEY,
    SECONDS,
    SLOW_SYNC,
    changes_of_one_board,
    synced_server,
    writes_per_second,
)
from holdfast import Board
from holdfast.stores.postgres import PostgresStore

if TYPE_CHECKING:
    from postgres_server import Server

SESSIONS = 10_000_000
WRITES = 12
"""Writes of a session: a plan, and one for each step of a plan of ten, with one correction."""

PEAK = 2.5
"""How many times as many sessions as on the average there are in the busiest hour."""

CORES, SYNC = 8, 0.004
"""A server: its cores, and the seconds of a sync, of its disk or of a synchronous replica."""

BUSY = 0.6
"""How busy the cores of a server may be, so that it stands the loss of a neighbour."""

BUDGET = 0.05
"""Within how many seconds 99 of 100 writes are acknowledged."""

SIMULATED = 20.0
"""How many seconds of the busiest hour are simulated."""

WATCHERS = 8
"""How many watchers are measured."""

NAMESPACES = 1_000
"""Over how many namespaces the sessions are spread, where they are."""

DAYS = 30
"""How many days of history are kept."""

FIRST_WRITES = 400
"""How many new sessions are written to find out what one takes."""

LATER_WRITES = 10_000
"""How many changes are written to find out what one takes."""

TICKS = 100.0
"""How many units of CPU time a second has in /proc."""


class ServerCost(NamedTuple):
    """What a write costs a server: seconds of CPU, bytes in tables and indexes, bytes in the log.

    `first` are the bytes of the first write of a session: its plan comes with it. `heard` are the seconds of CPU for
    each watcher that hears of a write, `put_away` the plans that one process puts away in a second.
    """

    cpu: float
    stored: float
    logged: float
    first: float
    heard: float = 0.0
    put_away: float = 0.0


class Day(NamedTuple):
    """A number of sessions a day, and the servers that hold it."""

    sessions: int
    peak_writes: float
    servers: int
    median: float
    late: float
    writes_per_sync: float


def measure() -> ServerCost:
    """What a write costs, by many writers in one namespace."""
    with synced_server(SLOW_SYNC) as server:
        first, stored, put_away = _stored(server)
        address = server.address()
        with closing(PostgresStore(address)) as store:
            store.sessions()
            cpu, log = _cpu_seconds(server.pid), _logged(server)
            writes_per_second([address] * CROWD)
            writes = store.figures().changes
            used, logged = _cpu_seconds(server.pid) - cpu, _logged(server) - log
        heard = _cost_of_hearing(server, address, used / writes)
        return ServerCost(used / writes, stored, logged / writes, first, heard, put_away)


def _stored(server: "Server") -> tuple[float, float, float]:
    """The bytes of a session's first write and of any other, and how many plans are put away in a second.

    In tables of their own, by one writer: for many at once the server takes more room than they need. A write after the
    first adds a change; the plan is written over.
    """
    with closing(PostgresStore(server.address(schema="stored"))) as store:
        store.sessions()
        empty = store.figures().size
        for number in range(FIRST_WRITES):
            Board(store=store, session=f"new {number}").write({"todos": STATES[0]})
        first = (store.figures().size - empty) / FIRST_WRITES
        before = _size_of_history(server)
        store.commit_many(KEY, changes_of_one_board(LATER_WRITES))
        later = (_size_of_history(server) - before) / LATER_WRITES
        return first, later, _plans_put_away_per_second(store)


def _size_of_history(server: "Server") -> int:
    asked = "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('stored.changes')"
    return int(str(server.execute(asked)[0][0]))


def _plans_put_away_per_second(store: PostgresStore) -> float:
    """As `holdfast archive --older-than` does it, over the connections of one store."""
    started = time.perf_counter()
    boards = [Board.for_person(store, f"new {number}", "main") for number in range(FIRST_WRITES)]
    list(store.threads.map(lambda board: board.archive(), boards))
    return FIRST_WRITES / (time.perf_counter() - started)


def _cost_of_hearing(server: "Server", address: str, cpu: float) -> float:
    """The seconds of the server's CPU for each watcher and write: what a write costs more while there are watchers."""
    with closing(PostgresStore(address)) as store:
        for _ in range(WATCHERS):
            threading.Thread(target=lambda: list(store.watch()), daemon=True).start()
        time.sleep(0.5)
        before, written = _cpu_seconds(server.pid), store.figures().changes
        writes_per_second([address] * CROWD)
        used, writes = _cpu_seconds(server.pid) - before, store.figures().changes - written
    return max(used / writes - cpu, 0.0) / WATCHERS


def simulate(writes: float, cost: ServerCost, chance: random.Random) -> tuple[list[float], int]:
    """The seconds that each write took on one server that gets so many a second, and the number of syncs."""
    free, done, times = [0.0] * CORES, list[tuple[float, float]](), list[float]()
    for came in _arrivals(writes, chance):
        core = max(came, heapq.heappop(free))
        heapq.heappush(free, core + cost.cpu)
        done.append((core + cost.cpu, came))
    done.sort()
    syncs, sync_ends, place = 0, 0.0, 0
    while place < len(done):
        starts = max(sync_ends, done[place][0])
        sync_ends, syncs = starts + SYNC, syncs + 1
        while place < len(done) and done[place][0] <= starts:
            times.append(sync_ends - done[place][1])
            place += 1
    return times, syncs


def hold(sessions: int, cost: ServerCost, seed: int = 1) -> Day:
    """The fewest servers that hold so many sessions a day."""
    peak = sessions * WRITES * PEAK / 86_400
    servers = max(int(peak * cost.cpu / (CORES * BUSY)), 1)
    while True:
        times, syncs = simulate(peak / servers, cost, random.Random(seed))
        times.sort()
        late = times[int(len(times) * 0.99)]
        if peak / servers * cost.cpu <= CORES * BUSY and late <= BUDGET:
            return Day(sessions, peak, servers, times[len(times) // 2], late, len(times) / syncs)
        servers += 1


def _arrivals(writes: float, chance: random.Random) -> Iterator[float]:
    now = chance.expovariate(writes)
    while now < SIMULATED:
        yield now
        now += chance.expovariate(writes)


def _logged(server: "Server") -> float:
    return float(str(server.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")[0][0]))


def _cpu_seconds(pid: int) -> float:
    """What a server and its children have used, also those that have ended."""
    total = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if path.parent.name == str(pid):
            total += sum(map(int, fields[11:15]))
        elif fields[1] == str(pid):
            total += sum(map(int, fields[11:13]))
    return total / TICKS


def main(sessions: int) -> None:
    cost = measure()
    print(f"measured for {SECONDS:g} s with {CROWD} writers, a sync of {SLOW_SYNC:g} ms more:")
    print(f"  a write: {cost.cpu * 1e3:.2f} ms of CPU, {cost.stored:.0f} bytes stored, {cost.logged:.0f} bytes of log")
    print(f"  the first write of a session: {cost.first:.0f} bytes stored")
    print(f"  a watcher that hears of a write: {cost.heard * 1e3:.3f} ms of CPU")
    print(f"  one process puts {cost.put_away:.0f} plans away in a second\n")
    print(
        f"{'sessions a day':>15} {'writes/s':>9} {'servers':>8} {'50 %':>8} {'99 %':>8} {'per sync':>9} {'GB a day':>9}"
    )
    for count in sorted({10_000, 100_000, 1_000_000, sessions}):
        day = hold(count, cost)
        print(
            f"{day.sessions:15,} {day.peak_writes:9,.0f} {day.servers:8} {day.median * 1e3:6.1f} ms "
            f"{day.late * 1e3:5.1f} ms {day.writes_per_sync:9.1f} {stored_a_day(count, cost) / 1e9:9.1f}"
        )
    print("\n" + "\n".join(needs(sessions, cost)))


def stored_a_day(sessions: int, cost: ServerCost) -> float:
    """The bytes that so many sessions add to tables and indexes."""
    return sessions * (cost.first + (WRITES - 1) * cost.stored)


def watchers_of_a_replica(writes: float, cost: ServerCost) -> int:
    """How many watchers a replica can serve, if each hears of so many writes a second."""
    return int(CORES * BUSY / max(writes * cost.heard, 1e-9))


def needs(sessions: int, cost: ServerCost) -> list[str]:
    """What so many sessions a day need beside the servers, line by line."""
    peak = sessions * WRITES * PEAK / 86_400
    kept = stored_a_day(sessions, cost) * DAYS / 1e12
    return [
        f"{sessions:,} sessions a day:",
        f"  {DAYS} days of history: {kept:.1f} TB; log, for replicas and backups: "
        f"{sessions * WRITES * cost.logged / 1e9:,.0f} GB a day",
        f"  watchers of a replica with {CORES} cores: {watchers_of_a_replica(peak, cost):,} if all sessions are in one "
        f"namespace, {watchers_of_a_replica(peak / NAMESPACES, cost):,} if they are in {NAMESPACES:,}",
        f"  to put the plans of a day away, by one process: {sessions / cost.put_away / 3600:,.1f} hours",
    ]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
