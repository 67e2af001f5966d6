"""Everything that lists, in a file with 100,000 sessions against an empty one: a list costs what it shows.

Both sides are started anew, as a person starts them, and take turns.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

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


def listing_measurements() -> list[Measurement]:
    """Each list with very many sessions, against the same in a file with one plan."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: str(Path(folder) / f"{name}.db") for name in ("small", "grown")}
        grow(Path(files["small"]), 1, 10)
        grow(Path(files["grown"]), SESSIONS, CHANGES)
        rows = []
        for what, command in _commands().items():
            best = dict.fromkeys(files, float("inf"))
            for _ in range(ROUNDS):
                for name, file in files.items():
                    best[name] = min(best[name], _milliseconds(command, file))
            small, grown = best["small"], best["grown"]
            rows += [
                Measurement(f"{what}, one session", small, "ms"),
                Measurement(f"{what}, {SESSIONS:,} sessions, {CHANGES:,} changes", grown, "ms", grown / small, MOST),
            ]
    return rows


def _commands() -> dict[str, Sequence[str]]:
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    commands: dict[str, Sequence[str]] = {what: [holdfast, *words] for what, words in COMMANDS.items()}
    return {**commands, **{what: [sys.executable, "-c", program, "{file}"] for what, program in PROGRAMS.items()}}


def _milliseconds(command: Sequence[str], file: str) -> float:
    words = [file if word == "{file}" else word for word in command]
    started = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, env={**user_environment(), "HOLDFAST_DB": file}, check=True)
    return (time.perf_counter() - started) * 1000
