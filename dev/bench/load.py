"""Load held: hundreds of agents write while hundreds of pages and watchers follow, on one store.

Every agent has its own plan and pauses between its writes, as agents do. Every page and every watcher must have heard
of every write that was acknowledged. With a number of seconds, results and pictures are kept as those of `make bench`.

    python -m dev.bench.load [SECONDS]
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from dev import ROOT
from dev.bench.measurement import Measurement, user_environment
from dev.bench.plots import lines
from dev.bench.postgres import synced_server
from dev.bench.results import save_results
from dev.bench.web import PageServer, open_stream, page_server
from holdfast import Board
from holdfast.stores import open_store

AGENTS, PAGES, WATCHERS = 500, 200, 100
AGENT_PROCESSES, WATCHER_PROCESSES = 5, 4
PAUSE = 20.0
"""How many seconds an agent works between two writes, on the average."""

SECONDS = 60.0
CATCH_UP = 30.0
"""How many seconds pages and watchers have to hear of the last write."""

FLAT = 1.25
STEPS = 20
"""Into how many steps the time is divided for the pictures."""

SHARES = (0.5, 0.99, 0.999)

AGENT_CROWD = """
import json, random, sys, threading, time
from holdfast import Board
from holdfast.stores import open_store

address, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
seconds, pause, step = float(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6])
store, end = open_store(address), time.monotonic() + seconds
times, refused = {}, []


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
        times.setdefault(int(time.time() // step), []).append(time.perf_counter() - started)
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

address, count, step = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
store = open_store(address)
delays, heard = {}, [0] * count


def watch(place):
    for record in store.watch(since=0):
        heard[place] += 1
        at = float(record.change.after.todos[-1].content[3:])
        if at:
            delays.setdefault(int(at // step), []).append(time.time() - at)


for place in range(count):
    threading.Thread(target=watch, args=[place], daemon=True).start()
print("watching", flush=True)
expected = int(sys.stdin.readline())
deadline = time.monotonic() + float(sys.stdin.readline())
while min(heard) < expected and time.monotonic() < deadline:
    time.sleep(0.1)
print(json.dumps({"heard": heard, "delays": delays}), flush=True)
"""


Course = list[list[float]]
"""Seconds of each write, or until each watcher heard of it, step by step."""


class LoadFigures(NamedTuple):
    """What a load showed: writes, and how soon watchers heard, both step by step; megabytes; what was lost."""

    writes: Course
    delays: Course
    memory: list[float]
    lost: list[str]


def sqlite_load() -> list[Measurement]:
    """The load on an SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        return _rows("SQLite", put_under_load(str(Path(folder) / "plans.db"), SECONDS), SECONDS)


def postgres_load() -> list[Measurement]:
    """The load on a server of our own."""
    with synced_server(connections=400) as server:
        return _rows("PostgreSQL", put_under_load(server.address(), SECONDS), SECONDS)


def put_under_load(address: str, seconds: float) -> LoadFigures:
    """Agents write for so many seconds; then everybody has a while to hear of the last write."""
    with closing(open_store(address)) as store:
        Board(store=store, session="first").add("at 0")  # so that there is something to follow
    with page_server(address) as server:
        return asyncio.run(_load(address, server, seconds))


async def _load(address: str, server: PageServer, seconds: float) -> LoadFigures:
    step = seconds / STEPS
    pages = [Page(await open_stream(server.port)) for _ in range(PAGES)]
    following = [asyncio.create_task(page.follow()) for page in pages]
    each = WATCHERS // WATCHER_PROCESSES
    watchers = [await _start(WATCHER_CROWD, address, each, step) for _ in range(WATCHER_PROCESSES)]
    for watcher in watchers:
        assert watcher.stdout is not None
        await watcher.stdout.readline()
    each = AGENTS // AGENT_PROCESSES
    agents = [await _start(AGENT_CROWD, address, name, each, seconds, PAUSE, step) for name in range(AGENT_PROCESSES)]
    answers = asyncio.gather(*(agent.communicate() for agent in agents))
    memory = []
    for _ in range(STEPS):
        await asyncio.sleep(step)
        memory.append(server.megabytes)
    written = [json.loads(output) for output, _ in await answers]
    writes = _course([answer["times"] for answer in written])
    lost = [text for answer in written for text in answer["refused"]]
    count = sum(map(len, writes))
    heard = await asyncio.gather(*(_end(watcher, count - len(lost) + 1) for watcher in watchers))
    deadline = time.monotonic() + CATCH_UP
    while min(page.heard for page in pages) < count - len(lost) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    for task in following:
        task.cancel()
    lost += [f"a page heard {page.heard} of {count}" for page in pages if page.heard != count]
    told = [number for answer in heard for number in answer["heard"]]
    lost += [f"a watcher heard {number} of {count + 1}" for number in told if number != count + 1]
    return LoadFigures(writes, _course([answer["delays"] for answer in heard]), memory, lost)


def _course(found: Sequence[Mapping[str, list[float]]]) -> Course:
    """What several processes have noted step by step, as one. The last step may be a short one."""
    steps = sorted({int(step) for one in found for step in one})
    return [[value for one in found for value in one.get(str(step), ())] for step in steps]


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


def _rows(store: str, found: LoadFigures, seconds: float) -> list[Measurement]:
    writes, delays = _joined(found.writes), _joined(found.delays)
    before, after = found.memory[STEPS // 4], found.memory[-1]
    load, crowd = f"load on {store}", f"{AGENTS} agents, {PAGES} pages, {WATCHERS} watchers, {seconds:.0f} s"
    for loss in found.lost[:5]:
        print(f"  lost: {loss}")
    return [
        Measurement(f"{load}: writes, {crowd}", len(writes) / seconds, "/s"),
        *[Measurement(f"{load}: a write, {share:.1%} within", _within(writes, share), "ms") for share in SHARES],
        *[
            Measurement(f"{load}: a watcher hears, {share:.1%} within", _within(delays, share), "ms")
            for share in SHARES
        ],
        Measurement(f"{load}: lost, for a writer, a page or a watcher", len(found.lost), "changes", most=0),
        Measurement(f"{load}: memory of the page's server", after, "MB", after / before, FLAT, note="flat"),
    ]


def _joined(course: Course) -> list[float]:
    return [value for step in course for value in step]


def _within(values: Sequence[float], share: float) -> float:
    """Within how many milliseconds so great a share of the values is."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1e3


def pictures(found: Mapping[str, LoadFigures], seconds: float) -> dict[str, str]:
    """Pictures of loads, by the names of their files: how long things took on each store, and memory."""
    below = f"{seconds:.0f} seconds in {STEPS} steps"
    memory = {store: figures.memory for store, figures in found.items()}
    drawn = {"load-memory.svg": lines("Memory of the page's server under load, in MB", memory, below)}
    for store, figures in found.items():
        courses = {"write": figures.writes[:STEPS], "heard": figures.delays[:STEPS]}
        series = {
            f"{name}, {share:.0%}": [_within(step, share) for step in course if step]
            for name, course in courses.items()
            for share in SHARES[:2]
        }
        title = f"{AGENTS} agents, {PAGES} pages, {WATCHERS} watchers on {store}, in ms"
        drawn[f"load-{store.lower()}.svg"] = lines(title, series, below)
    return drawn


def main(seconds: float) -> None:
    """Put both stores under load, print what came of it, and keep it with its pictures."""
    found: dict[str, LoadFigures] = {}
    with tempfile.TemporaryDirectory() as folder, synced_server(connections=400) as server:
        for store, address in (("SQLite", str(Path(folder) / "plans.db")), ("PostgreSQL", server.address())):
            found[store] = put_under_load(address, seconds)
            print(store)
            for row in _rows(store, found[store], seconds):
                ratio = "" if row.ratio is None else f"{row.ratio:.2f} x"
                print(f"{row.what:60} {row.value:10.1f} {row.unit:8} {ratio}", flush=True)
    parts = {"load-sqlite": "SQLite", "load-postgres": "PostgreSQL"}
    save_results({part: _rows(store, found[store], seconds) for part, store in parts.items()})
    for name, picture in pictures(found, seconds).items():
        (ROOT / "docs" / "images" / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
