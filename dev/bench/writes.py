"""A validated write of ten todos in memory, and what importing Holdfast costs, each against its floor.

Each payload is measured in a process of its own, beside its own floor: a program that mixes dialects runs slower.

    python -m dev.bench.writes PAYLOAD
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from itertools import cycle

from dev import ROOT
from dev.bench.measurement import Measurement, best_microseconds, import_milliseconds
from dev.bench.payloads import CLAUDE, LONG_REPLIES, PAYLOADS, UPDATES, Recorded, items
from holdfast import Board

MOST_WHOLE, MOST_BY_ID = 17, 10
"""How many copies of ten dicts a write may cost."""


def write_measurements() -> list[Measurement]:
    """A write with its reply, whole list and by id, against a copy of ten dicts of the same payload."""
    floor = measure(CLAUDE)["copy"]
    return [
        Measurement(f"a copy of ten dicts ({CLAUDE}; the floor)", floor, "µs"),
        *(_row(f"a write of ten todos, {name}", name, MOST_WHOLE) for name in PAYLOADS),
        *(_row(f"an update of one todo by id, {name}", name, MOST_BY_ID) for name in UPDATES),
        *(_row(f"a write with a long reply, {name}", name) for name in LONG_REPLIES),
    ]


def _row(what: str, name: str, most: float | None = None) -> Measurement:
    found = measure(name)
    return Measurement(what, found["write"], "µs", found["write"] / found["copy"], most)


def measure(name: str) -> Mapping[str, float]:
    """The best microseconds of a payload's write and of its floor, in a process of their own."""
    ran = subprocess.run(
        [sys.executable, "-m", "dev.bench.writes", name], capture_output=True, text=True, check=True, cwd=ROOT
    )
    found: Mapping[str, float] = json.loads(ran.stdout)
    return found


def _measure_here(recorded: Recorded) -> dict[str, float]:
    board = Board(dialect=recorded.dialect)
    for call in recorded.before:
        board.write(call, "TaskCreate" if recorded.tool else None)
    calls, tool = cycle(recorded.calls), recorded.tool or None
    if not board.write(next(calls), tool).ok:
        raise SystemExit(f"{recorded.dialect} refuses its own payload")
    ten = items(["pending"] * 10, "content", "status", "activeForm")
    return best_microseconds(
        {"copy": lambda: [dict(todo) for todo in ten], "write": lambda: board.write(next(calls), tool)}
    )


def import_measurements() -> list[Measurement]:
    """`import holdfast` against what it needs of the standard library."""
    statements = {"holdfast": "import holdfast", "board": "from holdfast import Board; Board()"}
    times = import_milliseconds({"floor": "import json, dataclasses", **statements})
    return [
        Measurement("import json, dataclasses (the floor)", times["floor"], "ms"),
        Measurement("import holdfast", times["holdfast"], "ms", times["holdfast"] / times["floor"], 1.5),
        Measurement("import holdfast, and a first board", times["board"], "ms", times["board"] / times["floor"], 1.5),
    ]


if __name__ == "__main__":
    print(json.dumps(_measure_here({**PAYLOADS, **UPDATES, **LONG_REPLIES}[sys.argv[1]])))
