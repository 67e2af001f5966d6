"""Everything that lists, in a file with 100,000 sessions against an empty one: a list costs what it shows.

Both sides are started anew, as a person starts them, and take turns. Memory is the most that the process had.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dev.bench.durable import grow
from dev.bench.measurement import Measurement, user_environment

SESSIONS, CHANGES = 100_000, 1_000_000
ROUNDS = 15
MOST = 1.5

COMMANDS: dict[str, tuple[str, ...]] = {
    "holdfast show": ("show",),
    "holdfast show --session S": ("show", "--session", "session 0"),
    "holdfast sessions": ("sessions",),
    "holdfast sessions --limit 10": ("sessions", "--limit", "10"),
}
PROGRAMS = {
    "what holdfast watch begins with": (
        "import sys; from holdfast.stores import open_store; from holdfast.stores.follow import News; "
        "News(open_store(sys.argv[1]))"
    ),
    "the MCP resource holdfast://sessions": (
        "import sys, json; from holdfast.stores import open_store; "
        "from holdfast.stores.newest import newest_with_damage; "
        "from holdfast.transfer.data import board_data; "
        "json.dumps([board_data(each) for each in newest_with_damage(open_store(sys.argv[1]), 100)])"
    ),
}


class Used(NamedTuple):
    """What a process took: milliseconds, and megabytes at most."""

    milliseconds: float
    megabytes: float


def listing_measurements() -> list[Measurement]:
    """Each list with very many sessions, against the same in a file with one plan."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: str(Path(folder) / f"{name}.db") for name in ("small", "grown")}
        grow(Path(files["small"]), 1, 10)
        grow(Path(files["grown"]), SESSIONS, CHANGES)
        rows = []
        for what, command in _commands().items():
            best = {name: Used(float("inf"), float("inf")) for name in files}
            for _ in range(ROUNDS):
                for name, file in files.items():
                    best[name] = Used(*map(min, best[name], _used(command, file)))
            small, grown = best["small"], best["grown"]
            times = grown.milliseconds / small.milliseconds
            rows += [
                Measurement(f"{what}, one session", small.milliseconds, "ms"),
                Measurement(
                    f"{what}, {SESSIONS:,} sessions, {CHANGES:,} changes", grown.milliseconds, "ms", times, MOST
                ),
                Measurement("  its memory", grown.megabytes, "MB", grown.megabytes / small.megabytes, MOST),
            ]
    return rows


def _commands() -> dict[str, Sequence[str]]:
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    commands: dict[str, Sequence[str]] = {what: [holdfast, *words] for what, words in COMMANDS.items()}
    return {**commands, **{what: [sys.executable, "-c", program, "{file}"] for what, program in PROGRAMS.items()}}


def _used(command: Sequence[str], file: str) -> Used:
    words = [file if word == "{file}" else word for word in command]
    environ = {**user_environment(), "HOLDFAST_DB": file}
    started = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environ)
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return Used((time.perf_counter() - started) * 1000, usage.ru_maxrss / 1024)
