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
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import cycle
from pathlib import Path
from statistics import median

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

MEMORY_FOLDER = Path("/dev/shm")
"""Where files lie in memory, and a sync takes no time."""

USED_SESSIONS = 97
"""How many sessions are written in turn: more than a store caches, so that each load reads the file.

It shares no divisor with the number of lists that are written in turn, so that each session gets a new one each time.
"""

ACTIVE = 50
"""How many sessions of a grown store write at the same time."""

_CHANGES = """
    WITH RECURSIVE numbers (sequence) AS (SELECT 1 UNION ALL SELECT sequence + 1 FROM numbers WHERE sequence < :last)
    INSERT INTO changes
    SELECT sequence, (sequence - 1) / (:active * :rounds) * :active + (sequence - 1) % :active + 1,
        iif(turn = 0, 0, sequence - :active), turn + 1, 1, 1.5, 'model', 'write', 0, delta
    FROM numbers CROSS JOIN deltas ON turn = (sequence - 1) % (:active * :rounds) / :active
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
        Measurement(f"the same write in memory, beside {disk}", found["memory_us"], "µs"),
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
        Measurement("load and write, SQLite, an empty file", found["empty_us"], "µs"),
        Measurement(
            f"load and write, SQLite, {SESSIONS:,} sessions, {CHANGES:,} changes",
            found["grown_us"],
            "µs",
            found["times"],
            BUDGET,
        ),
    ]


def durable_write(rounds: int = ROUNDS) -> Measures:
    """The median microseconds of a durable write, of a bare insert of the same todos, and of a write in memory."""
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


def _times(actions: Mapping[str, Action], rounds: int) -> Measures:
    times: dict[str, list[float]] = {name: [] for name in actions}
    payloads = cycle([{"todos": todos} for todos in STATES])
    for _ in range(rounds):
        payload = next(payloads)
        for name, action in actions.items():
            started = time.perf_counter()
            action(payload)
            times[name].append((time.perf_counter() - started) * 1e6)
    return {name: median(values) for name, values in times.items()}


def _open_bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE lists (id INTEGER PRIMARY KEY, todos TEXT)")
    return connection


def _insert(connection: sqlite3.Connection, payload: Mapping[str, object]) -> None:
    connection.execute("INSERT INTO lists (todos) VALUES (?)", (json.dumps(payload),))


def grow(path: Path, sessions: int, changes: int) -> None:
    """Make a file in which every session has had its share of changes, as sessions come and go: some at a time."""
    create(str(path))
    rounds, active = changes // sessions, active_at_once(sessions)
    plans, deltas = plans_and_deltas(rounds)
    connection = sqlite3.connect(path, isolation_level=None)
    with closing(connection):
        connection.execute("PRAGMA journal_mode = OFF")  # it is built once, and never read after a crash
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute("CREATE TEMP TABLE deltas (turn INTEGER PRIMARY KEY, delta TEXT)")
        connection.executemany("INSERT INTO deltas VALUES (?, ?)", enumerate(deltas))
        connection.execute(_CHANGES, {"last": sessions * rounds, "rounds": rounds, "active": active})
        connection.executemany(
            "INSERT INTO boards VALUES (?, ?, 'main', ?, ?, ?)",
            (
                (board, f"session {board - 1}", rounds, last_change(board, rounds, active), plans[-1])
                for board in range(1, sessions + 1)
            ),
        )
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


def active_at_once(sessions: int) -> int:
    """How many sessions of a grown store write at the same time, in turn; the next ones begin when they have ended."""
    return next(count for count in (ACTIVE, 10, 1) if sessions % count == 0)


def last_change(board: int, rounds: int, active: int) -> int:
    """The sequence of the last change of a board, counted from 1, in a grown store."""
    before, place = divmod(board - 1, active)
    return (before + 1) * rounds * active - active + place + 1


def plans_and_deltas(rounds: int) -> tuple[list[str], list[str]]:
    """The plans and deltas of a board that was written so many times, as the file has them."""
    board = Board()
    for payload, _ in zip(cycle([{"todos": todos} for todos in STATES]), range(rounds), strict=False):
        board.write(payload)
    changes = [record.change for record in board.history()][::-1]
    return [codec.plan_to_json(one.after) for one in changes], [codec.delta_to_json(*one[:2]) for one in changes]


if __name__ == "__main__":
    print(json.dumps(durable_write(3 * ROUNDS)))
