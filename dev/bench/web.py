"""The page's server with ten thousand sessions and two hundred open pages: how soon it answers, how soon a change is
shown, and whether its memory stays flat.

    python -m dev.bench web
"""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from dev.bench.durable import grow
from dev.bench.measurement import Measurement, user_environment
from holdfast import Board
from holdfast.stores.sqlite import SQLiteStore

SESSIONS = 10_000
PAGES = 200
CHANGES = 300
WARM_UP = 100
"""How many changes are made before memory is measured for the first time."""


class PageServer(NamedTuple):
    """A running server: its process, its port, and how long it took to answer."""

    pid: int
    port: int
    seconds: float

    @property
    def megabytes(self) -> float:
        """How much memory it uses."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0


def web_measurements() -> list[Measurement]:
    """The measurements of the page's server."""
    with tempfile.TemporaryDirectory() as folder:
        with page_server(Path(folder) / "empty.db") as server:
            empty = server.seconds
        path = Path(folder) / "plans.db"
        grow(path, SESSIONS, SESSIONS)
        with page_server(path) as server:
            overview = [_seconds(f"http://127.0.0.1:{server.port}/api/sessions?limit=60") for _ in range(20)]
            before, after, seconds = asyncio.run(_measure_pages(server, path))
    return [
        Measurement("holdfast serve, to the first answer, an empty store", empty * 1000, "ms", most=2000),
        Measurement(f"holdfast serve, to the first answer, {SESSIONS:,} sessions", server.seconds * 1000, "ms"),
        Measurement(f"the page's overview, {SESSIONS:,} sessions", statistics.median(overview) * 1000, "ms"),
        Measurement(f"a change, from the disk to each of {PAGES} pages", seconds * 1000, "ms", most=200),
        Measurement(f"memory of holdfast serve, {SESSIONS:,} sessions, {PAGES} pages", before, "MB"),
        Measurement(
            f"memory of holdfast serve after {CHANGES:,} more changes", after, "MB", after / before, 1.1, note="flat"
        ),
    ]


@contextmanager
def page_server(path: Path | str) -> Iterator[PageServer]:
    """The command in its own process, once it has read the store."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "holdfast", "serve", "--port", "0", "--db", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=user_environment())
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^/ ]*:(\d+)/", process.stdout.readline())
        assert found is not None
        _seconds(f"http://127.0.0.1:{found[1]}/api/sessions?limit=1")
        yield PageServer(process.pid, int(found[1]), time.perf_counter() - started)
    finally:
        process.terminate()
        process.communicate()


def _seconds(url: str) -> float:
    started = time.perf_counter()
    with urlopen(url) as answer:
        json.load(answer)
    return time.perf_counter() - started


async def _measure_pages(server: PageServer, path: Path) -> tuple[float, float, float]:
    """Memory before and after, and the median time from a write's return until the last page has it."""
    streams = [await open_stream(server.port) for _ in range(PAGES)]
    with closing(SQLiteStore(path)) as store:
        await _write_and_wait(streams, store, WARM_UP)
        before = server.megabytes
        times = await _write_and_wait(streams, store, CHANGES)
    after = server.megabytes
    return before, after, statistics.median(times)


async def open_stream(port: int) -> asyncio.StreamReader:
    """An open page's stream of changes, once it is ready."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await reader.readuntil(b"event: ready")
    await reader.readuntil(b"\n\n")
    reader._writer = writer  # type: ignore[attr-defined]  # a connection lives as long as its writer
    return reader


async def _write_and_wait(streams: list[asyncio.StreamReader], store: SQLiteStore, changes: int) -> list[float]:
    times = []
    for number in range(changes):
        board = Board(store=store, session=f"session {number * 31 % SESSIONS}")
        await asyncio.to_thread(board.write, {"todos": [{"content": f"Step {os.urandom(4).hex()}"}]})
        started = time.perf_counter()
        await asyncio.gather(*(stream.readuntil(b"event: change") for stream in streams))
        times.append(time.perf_counter() - started)
    return times
