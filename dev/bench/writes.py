"""A validated write of ten todos in memory, and what importing Holdfast costs, each against its floor."""

from itertools import cycle

from dev.bench.measurement import Measurement, best_microseconds, import_milliseconds
from holdfast import Board

STATES = [
    [
        {
            "content": f"Step {step} of the work",
            "status": "completed" if step < now else "in_progress" if step == now else "pending",
        }
        for step in range(10)
    ]
    for now in (*range(10), *range(8, 0, -1))
]
"""Ten todos worked through in order, and all the way back, so that each list changes two of them."""


def write_measurements() -> list[Measurement]:
    """A write with its reply, whole list and by id, against a copy of ten dicts."""
    whole = Board()
    lists = cycle([{"todos": todos} for todos in STATES])
    single = Board()
    single.write({"todos": STATES[0]})
    statuses = cycle(["pending", "in_progress"])
    best = best_microseconds(
        {
            "copy": lambda: [dict(todo) for todo in STATES[0]],
            "whole": lambda: whole.write(next(lists)),
            "by id": lambda: single.write({"todos": [{"id": "1", "status": next(statuses)}]}),
        }
    )
    floor = best["copy"]
    return [
        Measurement("a copy of ten dicts (the floor)", floor, "µs"),
        Measurement(
            "a write of ten todos, reply rendered", best["whole"], "µs", best["whole"] / floor, 16.5, note="about 15"
        ),
        Measurement("an update of one todo by id", best["by id"], "µs", best["by id"] / floor),
    ]


def import_measurements() -> list[Measurement]:
    """`import holdfast` against what it needs of the standard library."""
    statements = {"holdfast": "import holdfast", "board": "from holdfast import Board; Board()"}
    times = import_milliseconds({"floor": "import json, dataclasses", **statements})
    return [
        Measurement("import json, dataclasses (the floor)", times["floor"], "ms"),
        Measurement("import holdfast", times["holdfast"], "ms", times["holdfast"] / times["floor"], 1.5),
        Measurement("import holdfast, and a first board", times["board"], "ms", times["board"] / times["floor"], 1.5),
    ]
