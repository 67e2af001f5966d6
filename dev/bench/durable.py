"""A durable write against a bare insert and commit, and a plan file with a million changes against an empty one.

Both sides of each pair are synced to the same disk alike, and take turns, so that a slow moment of it slows both. The
bare side is one connection in autocommit, in WAL mode with `synchronous = FULL` as ours, all else as SQLite has it.

    python -m dev.bench.durable
"""

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import cycle
from pathlib import Path

from dev import ROOT
from dev.bench.measurement import Measurement, user_environment
from dev.bench.payloads import CLAUDE, STATES
from dev.slow_sync import slow_sync_environment
from holdfast import Board
from holdfast.stores import codec
from holdfast.stores.sqlite import SQLiteStore
from holdfast.stores.sqlite.file import create

BUDGET = 1.3
SESSIONS = 10_000
CHANGES = 1_000_000
ROUNDS = 500
QUICK_SYNC = 0.1
"""How many milliseconds a sync of a quick disk takes."""

FASTEST = 0.05
"""Where the length of a sync is known, the fastest twentieth of the writes counts: others waited for something else."""

MEMORY_FOLDER = Path("/dev/shm")
"""Where files lie in memory, and a sync takes no time."""

USED_SESSIONS = 97
"""How many sessions are written in turn: more than a store caches, so that each load reads the file.

It shares no divisor with the number of lists that are written in turn, so that each session gets a new one each time.
"""

Measures = dict[str, float]
Action = Callable[[Mapping[str, object]], object]


def write_measurements() -> list[Measurement]:
    """The measurements of a durable write."""
    return [*_write_rows(durable_write(), "this disk"), *_quick_disk_measurements()]


def _write_rows(found: Measures, disk: str) -> list[Measurement]:
    return [
        Measurement(f"json, insert and commit, bare sqlite3, {disk} (the floor)", found["bare_us"], "µs"),
        Measurement(f"a durable write of ten todos, {CLAUDE}, {disk}", found["write_us"], "µs", found["times"], BUDGET),
        Measurement("  of it, the same write in memory", found["memory_us"], "µs"),
    ]


def _quick_disk_measurements() -> list[Measurement]:
    """The same where a sync takes 0.1 ms: files in memory, and a library that waits in each sync."""
    what = f"a sync of {QUICK_SYNC:g} ms"
    if not MEMORY_FOLDER.is_dir():
        return [Measurement(f"a durable write of ten todos, {what}", 0.0, "", note=f"there is no {MEMORY_FOLDER}")]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**user_environment(), **slow_sync_environment(Path(folder), QUICK_SYNC)}
        ran = subprocess.run(
            [sys.executable, "-m", "dev.bench.durable"],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**environment, "TMPDIR": str(MEMORY_FOLDER)},
        )
    return _write_rows(json.loads(ran.stdout), what)


def growth_measurements() -> list[Measurement]:
    """The measurements of growth."""
    found = growth()
    return [
        Measurement("load and write, an empty file", found["empty_us"], "µs"),
        Measurement(
            f"load and write, {SESSIONS:,} sessions, {CHANGES:,} changes",
            found["grown_us"],
            "µs",
            found["times"],
            BUDGET,
        ),
    ]


def durable_write(rounds: int = ROUNDS, quantile: float = 0.5) -> Measures:
    """The microseconds of a durable write, of a bare insert of the same todos, and of a write in memory."""
    with tempfile.TemporaryDirectory() as folder:
        store, bare = SQLiteStore(Path(folder) / "plans.db"), _open_bare(Path(folder) / "bare.db")
        with closing(store), closing(bare):
            board, in_memory = Board(store=store), Board()
            times = _times(
                {
                    "bare": lambda payload: _insert(bare, payload),
                    "write": lambda payload: board.write(payload),
                    "memory": lambda payload: in_memory.write(payload),
                },
                rounds,
                quantile,
            )
    return {**{f"{name}_us": value for name, value in times.items()}, "times": times["write"] / times["bare"]}


def growth(sessions: int = SESSIONS, changes: int = CHANGES, rounds: int = ROUNDS) -> Measures:
    """The median microseconds of loading and writing a plan in a file with so many changes, and in an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        grow(Path(folder) / "grown.db", sessions, changes)
        chosen = random.Random(1).sample(range(sessions), min(USED_SESSIONS, sessions))
        grown, empty = SQLiteStore(Path(folder) / "grown.db"), SQLiteStore(Path(folder) / "empty.db")
        with closing(grown), closing(empty):
            times = _times({"grown": _board_writer(grown, chosen), "empty": _board_writer(empty, chosen)}, rounds)
    return {**{f"{name}_us": value for name, value in times.items()}, "times": times["grown"] / times["empty"]}


def _board_writer(store: SQLiteStore, sessions: list[int]) -> Action:
    """Writes the boards of a store in turn. Each was written once before, so that it exists."""
    boards = [Board(store=store, session=f"session {number}") for number in sessions]
    for board in boards:
        board.write({"todos": STATES[-1]})
    turns = cycle(boards)
    return lambda payload: next(turns).write(payload)


def _times(actions: Mapping[str, Action], rounds: int, quantile: float = 0.5) -> Measures:
    times: dict[str, list[float]] = {name: [] for name in actions}
    payloads = cycle([{"todos": todos} for todos in STATES])
    for _ in range(rounds):
        payload = next(payloads)
        for name, action in actions.items():
            started = time.perf_counter()
            action(payload)
            times[name].append((time.perf_counter() - started) * 1e6)
    return {name: sorted(values)[int(rounds * quantile)] for name, values in times.items()}


def _open_bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE lists (id INTEGER PRIMARY KEY, todos TEXT)")
    return connection


def _insert(connection: sqlite3.Connection, payload: Mapping[str, object]) -> None:
    connection.execute("INSERT INTO lists (todos) VALUES (?)", (json.dumps(payload),))


def grow(path: Path, sessions: int, changes: int) -> None:
    """Make a file in which every session has had its share of changes, in turn with the others."""
    create(str(path))
    rounds = changes // sessions
    plans, deltas = plans_and_deltas(rounds)
    connection = sqlite3.connect(path, isolation_level=None)
    with closing(connection):
        connection.execute("PRAGMA journal_mode = OFF")  # it is built once, and never read after a crash
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _change_rows(sessions, deltas)
        )
        last = sessions * (rounds - 1)
        connection.executemany(
            "INSERT INTO boards VALUES (?, ?, 'main', ?, ?, ?)",
            ((board, f"session {board - 1}", rounds, last + board, plans[-1]) for board in range(1, sessions + 1)),
        )
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


def plans_and_deltas(rounds: int) -> tuple[list[str], list[str]]:
    """The plans and deltas of a board that was written so many times, as the file has them."""
    board = Board()
    for payload, _ in zip(cycle([{"todos": todos} for todos in STATES]), range(rounds), strict=False):
        board.write(payload)
    changes = [record.change for record in board.history()][::-1]
    return [codec.plan_to_json(one.after) for one in changes], [codec.delta_to_json(*one[:2]) for one in changes]


def _change_rows(sessions: int, deltas: list[str]) -> Iterator[tuple[object, ...]]:
    for index, delta in enumerate(deltas):
        for board in range(1, sessions + 1):
            sequence = index * sessions + board
            previous = sequence - sessions if index else 0
            yield sequence, board, previous, index + 1, 1, 1.5, "model", "write", 0, delta


if __name__ == "__main__":
    print(json.dumps(durable_write(3 * ROUNDS, FASTEST)))
