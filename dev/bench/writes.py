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
from dev.bench.payloads import CLAUDE, LONG_REPLIES, NEW_TEXTS, PAYLOADS, STATES, UPDATES, Payload
from holdfast import Board
from holdfast.board.model_write import ModelWrite
from holdfast.dialects import Outcome
from holdfast.plan.work import NO_WORK
from holdfast.stores import MemoryStore

BY_ID = next(iter(UPDATES))
STAGES = "stages"
_ALL = {**PAYLOADS, **UPDATES, **NEW_TEXTS, **LONG_REPLIES}

MOST_WHOLE, MOST_BY_ID = 17, 10
"""How many copies of ten dicts a write may cost."""


def write_measurements() -> list[Measurement]:
    """A write with its reply, whole list and by id, against a copy of ten dicts of the same payload."""
    floor = measure(CLAUDE)["copy"]
    return [
        Measurement(f"a copy of ten dicts ({CLAUDE}; the floor)", floor, "µs"),
        *(_row("a write of ten todos", name, MOST_WHOLE) for name in PAYLOADS),
        *(_row("an update of one todo by id", name, MOST_BY_ID) for name in UPDATES),
        *(_row("a write of new texts", name) for name in NEW_TEXTS),
        *(_row("a write with a long reply", name) for name in LONG_REPLIES),
    ]


def _row(what: str, name: str, most: float | None = None) -> Measurement:
    found, origin = measure(name), _ALL[name].origin
    return Measurement(f"{what}, {name} ({origin})", found["write"], "µs", found["write"] / found["copy"], most)


def measure(name: str) -> Mapping[str, float]:
    """The best microseconds of a payload's write and of its floor, in a process of their own."""
    ran = subprocess.run(
        [sys.executable, "-m", "dev.bench.writes", name], capture_output=True, text=True, check=True, cwd=ROOT
    )
    found: Mapping[str, float] = json.loads(ran.stdout)
    return found


def _measure_here(payload: Payload) -> dict[str, float]:
    board = Board(dialect=payload.dialect, rules=payload.rules)
    for call in payload.before:
        board.write(call, "TaskCreate" if payload.tool else None)
    calls, tool = cycle(payload.calls), payload.tool or None
    for _ in payload.calls:
        reply = board.write(next(calls), tool)
        if not reply.ok or reply.change is None or reply.change.after is reply.change.before:
            raise SystemExit(f"{payload.dialect}: a call of its own payload changes nothing: {reply.text}")
    ten = STATES[0]
    return best_microseconds(
        {"copy": lambda: [dict(todo) for todo in ten], "write": lambda: board.write(next(calls), tool)},
        calls=len(payload.calls) * 3,
    )


def stage_measurements() -> list[Measurement]:
    """Where the time of an update by id goes: its stages one by one, each repeated alone on the plan of the update."""
    found = json.loads(
        subprocess.run(
            [sys.executable, "-m", "dev.bench.writes", STAGES], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout
    )
    floor, whole = found.pop("copy"), found.pop("whole")
    rest = whole - sum(found.values())
    return [
        Measurement(f"an update of one todo by id, {BY_ID}, all of it", whole, "µs", whole / floor),
        *(Measurement(f"  {stage}", value, "µs", value / floor) for stage, value in found.items()),
        Measurement("  the rest: the call, the lock, the clock, checks and listeners", rest, "µs", rest / floor),
    ]


def _measure_stages_here(payload: Payload) -> dict[str, float]:
    board = Board(dialect=payload.dialect)
    board.write(payload.before[0])
    calls = cycle(payload.calls)
    reply = board.write(payload.calls[0])
    change = reply.change
    assert change is not None
    before, dialect, store = change.before, board.dialect, MemoryStore()
    call = ModelWrite(payload.calls[0], dialect, "", NO_WORK)
    compared = (before.todos, {todo.id: place for place, todo in enumerate(before.todos)})
    outcome = Outcome(change.after, change=change, payload=payload.calls[0], is_update=True)

    def compare() -> None:
        dialect.compared = compared  # as it is when one update follows another
        call.write(before, 1.0)

    def commit() -> None:
        store._plans[board.key] = before
        store.commit(board.key, change)

    return best_microseconds(
        {
            "copy": lambda: [dict(todo) for todo in STATES[0]],
            "whole": lambda: board.write(next(calls)),
            "compared with the plan, and the next plan made": compare,
            "committed to the store in memory: compare-and-swap, history": commit,
            "the reply: how far the plan is, and what is next": lambda: dialect.reply(outcome),
        },
        calls=54,
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
    asked = sys.argv[1]
    print(json.dumps(_measure_stages_here(UPDATES[BY_ID]) if asked == STAGES else _measure_here(_ALL[asked])))
