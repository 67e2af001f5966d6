"""Everything that lists, in a store with 100,000 sessions against one with a single one: a list costs what it shows.

Both sides are started anew, as a person starts them, and take turns, on SQLite and on PostgreSQL. The sessions of the
large store have come and gone, fifty at a time, with a hundred changes each. `watch` and the page are measured until
they show something; what they read after that counts as their memory.

    python -m dev.bench.listings [CHANGES]
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from dev.bench import durable, postgres_growth
from dev.bench.measurement import Measurement, user_environment
from dev.bench.postgres import synced_server
from dev.bench.web import open_stream, page_server
from holdfast import Board
from holdfast.stores.postgres import PostgresStore

SESSIONS, CHANGES = 100_000, 10_000_000
ROUNDS = 11
MOST = 1.5

COMMANDS: dict[str, tuple[str, ...]] = {
    "holdfast show": ("show",),
    "holdfast show --session S": ("show", "--session", "session 0"),
    "holdfast sessions": ("sessions",),
    "holdfast sessions --limit 10": ("sessions", "--limit", "10"),
    "holdfast watch's first screen": ("watch",),
}
PROGRAMS = {
    "the MCP resource holdfast://sessions": (
        "import sys; from holdfast import Board; from holdfast.mcp.resources import SESSIONS, read; "
        "read(SESSIONS, Board(store=sys.argv[1]))"
    ),
    "store.sessions(20)": "import sys; from holdfast.stores import open_store; open_store(sys.argv[1]).sessions(20)",
}
# A process of its own: what is measured would else begin with the memory of the process that starts it. What does not
# end by itself is measured in a terminal, until it shows a session.
TIMER = """
import fcntl, json, os, pty, resource, struct, subprocess, sys, termios, time
from pathlib import Path
processor = None
if sys.argv[-1] == "watch":
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    started, shown = time.perf_counter(), b""
    process = subprocess.Popen(sys.argv[1:], stdin=terminal, stdout=terminal)
    while b"session " not in shown:
        shown += os.read(screen, 65536)
    seconds = time.perf_counter() - started
    threads = Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    processor = sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6
    os.write(screen, b"q")
    while process.poll() is None:
        os.set_blocking(screen, False)
        try:
            os.read(screen, 65536)
        except BlockingIOError:
            time.sleep(0.01)
else:
    started = time.perf_counter()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
    seconds = time.perf_counter() - started
used = resource.getrusage(resource.RUSAGE_CHILDREN)
processor = (used.ru_utime + used.ru_stime) * 1000 if processor is None else processor
print(json.dumps([seconds * 1000, processor, used.ru_maxrss / 1024]))
"""
PAGE = "holdfast serve's first answer"


class Cost(NamedTuple):
    """What a list costs: milliseconds from its start, those of them on a processor, and megabytes at most."""

    milliseconds: float
    processor: float
    megabytes: float


def listing_measurements(changes: int = CHANGES) -> list[Measurement]:
    """Each list in a file with very many sessions, against the same in a file with one plan."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: str(Path(folder) / f"{name}.db") for name in ("small", "grown")}
        durable.grow(Path(files["small"]), 1, 10)
        durable.grow(Path(files["grown"]), SESSIONS, changes)
        return _rows("SQLite", files, changes, is_alone=True)


def postgres_listing_measurements(changes: int = CHANGES) -> list[Measurement]:
    """The same in a database."""
    with synced_server() as server:
        stores = {name: server.address(name, schema=name) for name in ("small", "grown")}
        with closing(PostgresStore(stores["small"])) as store:
            Board(store=store, session="session 0").write({"todos": [{"content": "Step 1"}]})
        with closing(PostgresStore(stores["grown"])) as store, server.connect() as connection:
            store.sessions()
            postgres_growth.grow(connection, SESSIONS, changes)
        return _rows("PostgreSQL", stores, changes, is_alone=False)


def _rows(kind: str, stores: Mapping[str, str], changes: int, is_alone: bool) -> list[Measurement]:
    """The best of some rounds. Of a process that does all by itself, the processor time: other work moves it less."""
    rows, unit, size = [], "ms of CPU" if is_alone else "ms", f"{SESSIONS:,} sessions, {changes:,} changes, {kind}"
    for what, command in _commands().items():
        found: dict[str, list[Cost]] = {name: [] for name in stores}
        for _ in range(ROUNDS):
            for name, address in stores.items():
                found[name].append(_page_cost(address) if what == PAGE else _cost(command, address))
        best = {name: min(cost.processor if is_alone else cost.milliseconds for cost in found[name]) for name in stores}
        memory = {name: max(cost.megabytes for cost in found[name]) for name in stores}
        ratios = [each["grown"] / each["small"] for each in (best, memory)]
        rows += [
            Measurement(f"{what}, one session, {kind}", best["small"], unit),
            Measurement(f"{what}, {size}", best["grown"], unit, ratios[0], MOST),
            Measurement(f"memory of {what}, {size}", memory["grown"], "MB", ratios[1], MOST),
        ]
    return rows


def _commands() -> dict[str, Sequence[str]]:
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    commands: dict[str, Sequence[str]] = {what: [holdfast, *words] for what, words in COMMANDS.items()}
    programs = {what: [sys.executable, "-c", program, "{store}"] for what, program in PROGRAMS.items()}
    return {**commands, **programs, PAGE: []}


def _cost(command: Sequence[str], store: str) -> Cost:
    words = [store if word == "{store}" else word for word in command]
    environment = {**user_environment(), "HOLDFAST_DB": store}
    ran = subprocess.run(
        [sys.executable, "-c", TIMER, *words], stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    return Cost(*json.loads(ran.stdout))


def _page_cost(store: str) -> Cost:
    with page_server(store) as server:
        processor = processor_milliseconds(server.pid)
        asyncio.run(open_stream(server.port))  # it is open when the rest was read, too
        return Cost(server.seconds * 1000, processor, server.megabytes)


def processor_milliseconds(pid: int) -> float:
    """How long the threads of a process were on a processor so far."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6


def main(changes: int) -> None:
    for measure in (listing_measurements, postgres_listing_measurements):
        for row in measure(changes):
            ratio = "" if row.ratio is None else f"{row.ratio:.2f} x"
            print(f"{row.what:60} {row.value:10.1f} {row.unit:8} {ratio}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CHANGES)
