"""What many sessions a day need: measured figures of one server, and a simulated busy hour on several of them.

Measured here, on a server of our own: its CPU time per write, and bytes in tables, indexes and log. Simulated: writes
come at random, as many as in the busiest hour; each takes its share of a core, and its commit joins the next sync of
its server. The fewest servers that hold the budget are found.

    python -m dev.bench.simulation [SESSIONS A DAY]
"""

import heapq
import random
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dev.bench.payloads import STATES
from dev.bench.postgres import CROWD, SECONDS, SLOW_SYNC, synced_server, writes_per_second
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

FIRST_WRITES = 400
"""How many new sessions are written to find out what one takes."""

TICKS = 100.0
"""How many units of CPU time a second has in /proc."""


class ServerCost(NamedTuple):
    """What a write costs a server: seconds of CPU, bytes in tables and indexes, bytes in the log.

    `first` are the bytes of the first write of a session: its plan comes with it.
    """

    cpu: float
    stored: float
    logged: float
    first: float


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
        address = server.address()
        with closing(PostgresStore(address)) as store:
            store.sessions()
            cpu, log, size = _cpu_seconds(server.pid), _logged(server), store.figures().size
            writes_per_second([address] * CROWD)
            boards, writes, after, _ = store.figures()
            used, logged = _cpu_seconds(server.pid) - cpu, _logged(server) - log
            for number in range(FIRST_WRITES):
                Board(store=store, session=f"new {number}").write({"todos": STATES[0]})
            first = (store.figures().size - after) / FIRST_WRITES
            return ServerCost(used / writes, (after - size - boards * first) / writes, logged / writes, first)


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
    print(f"  the first write of a session: {cost.first:.0f} bytes stored\n")
    print(
        f"{'sessions a day':>15} {'writes/s':>9} {'servers':>8} {'50 %':>8} {'99 %':>8} {'per sync':>9} {'GB a day':>9}"
    )
    for count in sorted({10_000, 100_000, 1_000_000, sessions}):
        day = hold(count, cost)
        stored = count * (cost.first + (WRITES - 1) * cost.stored) / 1e9
        print(
            f"{day.sessions:15,} {day.peak_writes:9,.0f} {day.servers:8} {day.median * 1e3:6.1f} ms "
            f"{day.late * 1e3:5.1f} ms {day.writes_per_sync:9.1f} {stored:9.1f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
