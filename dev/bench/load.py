"""Load held: hundreds of agents write while hundreds of pages and watchers follow, on one store.

Every agent has its own plan and pauses between its writes, as agents do. Every page and every watcher must have heard
of every write that was acknowledged.

    python -m dev.bench.load [SECONDS]
"""

import asyncio
import json
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from dev.bench.measurement import Measurement, user_environment
from dev.bench.postgres import synced_server
from dev.bench.web import PageServer, open_stream, page_server
from holdfast import Board
from holdfast.stores import open_store
from holdfast.stores.address import without_password

AGENTS, PAGES, WATCHERS = 500, 200, 100
AGENT_PROCESSES, WATCHER_PROCESSES = 5, 4
PAUSE = 20.0
"""How many seconds an agent works between two writes, on the average."""

SECONDS = 60.0
CATCH_UP = 30.0
"""How many seconds pages and watchers have to hear of the last write."""

FLAT = 1.25
SHARES = (0.5, 0.99, 0.999)

AGENT_CROWD = """
import json, random, sys, threading, time
from holdfast import Board
from holdfast.stores import open_store

address, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
seconds, pause = float(sys.argv[4]), float(sys.argv[5])
store, end = open_store(address), time.monotonic() + seconds
times, refused = [], []


def work(number):
    chance = random.Random(f"{name} {number}")
    board, done = Board(store=store, session=f"agent {name} {number}"), 0
    time.sleep(chance.uniform(0, pause))
    while time.monotonic() < end:
        states = ["completed"] * (done % 10) + ["pending"] * (10 - done % 10)
        todos = [{"content": f"Step {step}", "status": status} for step, status in enumerate(states)]
        todos[-1]["content"] = f"at {time.time()}"
        started = time.perf_counter()
        reply = board.write({"todos": todos})
        times.append(time.perf_counter() - started)
        refused.extend([] if reply.ok else [reply.text])
        done += 1
        time.sleep(chance.uniform(0, 2 * pause))


threads = [threading.Thread(target=work, args=[number]) for number in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"times": times, "refused": refused}))
"""

WATCHER_CROWD = """
import json, sys, threading, time
from holdfast.stores import open_store

address, count = sys.argv[1], int(sys.argv[2])
store = open_store(address)
delays, heard = [], [0] * count


def watch(place):
    for record in store.watch(since=0):
        heard[place] += 1
        delays.append(time.time() - float(record.change.after.todos[-1].content[3:]))


for place in range(count):
    threading.Thread(target=watch, args=[place], daemon=True).start()
print("watching", flush=True)
expected = int(sys.stdin.readline())
deadline = time.monotonic() + float(sys.stdin.readline())
while min(heard) < expected and time.monotonic() < deadline:
    time.sleep(0.1)
print(json.dumps({"heard": heard, "delays": delays}), flush=True)
"""


class LoadFigures(NamedTuple):
    """What a load showed: seconds of writes and until watchers heard, memory before and after, what was lost."""

    writes: list[float]
    delays: list[float]
    memory: tuple[float, float]
    lost: list[str]


def sqlite_load() -> list[Measurement]:
    """The load on an SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        return _rows(put_under_load(str(Path(folder) / "plans.db"), SECONDS))


def postgres_load() -> list[Measurement]:
    """The load on a server of our own."""
    with synced_server(connections=400) as server:
        return _rows(put_under_load(server.address(), SECONDS))


def put_under_load(address: str, seconds: float) -> LoadFigures:
    """Agents write for so many seconds; then everybody has a while to hear of the last write."""
    with closing(open_store(address)) as store:
        Board(store=store, session="first").add("at 0")  # so that there is something to follow
    with page_server(address) as server:
        return asyncio.run(_load(address, server, seconds))


async def _load(address: str, server: PageServer, seconds: float) -> LoadFigures:
    pages = [Page(await open_stream(server.port)) for _ in range(PAGES)]
    following = [asyncio.create_task(page.follow()) for page in pages]
    watchers = [await _start(WATCHER_CROWD, address, WATCHERS // WATCHER_PROCESSES) for _ in range(WATCHER_PROCESSES)]
    for watcher in watchers:
        assert watcher.stdout is not None
        await watcher.stdout.readline()
    each = AGENTS // AGENT_PROCESSES
    agents = [await _start(AGENT_CROWD, address, name, each, seconds, PAUSE) for name in range(AGENT_PROCESSES)]
    answers = asyncio.gather(*(agent.communicate() for agent in agents))
    await asyncio.sleep(seconds / 4)
    before = server.megabytes
    written = [json.loads(output) for output, _ in await answers]
    writes = [one for answer in written for one in answer["times"]]
    lost = [text for answer in written for text in answer["refused"]]
    heard = await asyncio.gather(*(_end(watcher, len(writes) - len(lost) + 1) for watcher in watchers))
    deadline = time.monotonic() + CATCH_UP
    while min(page.heard for page in pages) < len(writes) - len(lost) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    for task in following:
        task.cancel()
    lost += [f"a page heard {page.heard} of {len(writes)}" for page in pages if page.heard != len(writes)]
    counts = [count for answer in heard for count in answer["heard"]]
    lost += [f"a watcher heard {count} of {len(writes) + 1}" for count in counts if count != len(writes) + 1]
    delays = [delay for answer in heard for delay in answer["delays"] if delay < 1e6]
    return LoadFigures(writes, delays, (before, server.megabytes), lost)


class Page:
    """An open page: it counts the changes that it is told of."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self.heard = 0

    async def follow(self) -> None:
        """Read until it is cancelled, or the stream ends."""
        rest = b""
        while data := await self._stream.read(65536):
            *events, rest = (rest + data).split(b"\n\n")
            self.heard += sum(event.startswith(b"event: change") or b"\nevent: change" in event for event in events)


async def _start(program: str, *words: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, *map(str, words)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=user_environment(),
        limit=2**26,
    )


async def _end(watcher: asyncio.subprocess.Process, expected: int) -> Any:
    """What a process of watchers has heard, once it was told how much there is to hear."""
    output, _ = await watcher.communicate(f"{expected}\n{CATCH_UP}\n".encode())
    return json.loads(output)


def _rows(found: LoadFigures, seconds: float = SECONDS) -> list[Measurement]:
    writes, delays = sorted(found.writes), sorted(found.delays)

    def at(values: list[float], share: float) -> float:
        return values[min(int(len(values) * share), len(values) - 1)] * 1e3

    before, after = found.memory
    what = f"{AGENTS} agents, {PAGES} pages, {WATCHERS} watchers, {seconds:.0f} s"
    for loss in found.lost[:5]:
        print(f"  lost: {loss}")
    return [
        Measurement(f"{what}: writes", len(writes) / seconds, "/s"),
        *[Measurement(f"  a write, {share:.1%} within", at(writes, share), "ms") for share in SHARES],
        *[Measurement(f"  a watcher hears, {share:.1%} within", at(delays, share), "ms") for share in SHARES],
        Measurement("  lost, for a writer, a page or a watcher", len(found.lost), "changes", most=0),
        Measurement("  memory of the page's server, from a quarter on", after, "MB", after / before, FLAT, note="flat"),
    ]


def main(seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder, synced_server(connections=400) as server:
        for address in (str(Path(folder) / "plans.db"), server.address()):
            print(without_password(address))
            for row in _rows(put_under_load(address, seconds), seconds):
                ratio = "" if row.ratio is None else f"{row.ratio:.2f} x"
                print(f"{row.what:60} {row.value:10.1f} {row.unit:8} {ratio}", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
