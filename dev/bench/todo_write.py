"""The `TodoWrite` command, start to exit with a durable write, against a bare Python that does nothing.

Both run with the same interpreter, flags and environment, by turns, so that a busy machine slows both alike.

    python -m dev.bench.todo_write
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dev.bench.measurement import Measurement

BUDGET = 4.0
"""How many times as long as a bare start the command may take."""

ROUNDS = 60
STATUSES = ("completed", "in_progress", *["pending"] * 8)

Measures = dict[str, float]


def measure_command(rounds: int = ROUNDS) -> Measures:
    """The median milliseconds of a bare start and of the command, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        environ = _environment(Path(folder))
        bare, todo_write = [sys.executable, "-c", "pass"], [str(Path(sys.executable).with_name("TodoWrite"))]
        for _ in range(3):  # compiles what Python loads, and makes the plan file
            _milliseconds([*todo_write, _payload(0)], environ)
        times: dict[str, list[float]] = {"bare": [], "command": []}
        for number in range(rounds):
            times["bare"].append(_milliseconds(bare, environ))
            times["command"].append(_milliseconds([*todo_write, _payload(number + 1)], environ))
    bare_ms, command_ms = statistics.median(times["bare"]), statistics.median(times["command"])
    return {"bare_ms": bare_ms, "command_ms": command_ms, "times": command_ms / bare_ms, "budget": BUDGET}


def command_measurements() -> list[Measurement]:
    """The measurements for the table."""
    found = measure_command()
    return [
        Measurement("python -c pass (the floor)", found["bare_ms"], "ms"),
        Measurement("TodoWrite, start to exit, durable", found["command_ms"], "ms", found["times"], BUDGET),
    ]


def _environment(folder: Path) -> dict[str, str]:
    """A separate environment. Compiled files are kept, as in an installation."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HOLDFAST", "TODO_"))}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "HOLDFAST_DB": str(folder / "plans.db")}


def _payload(number: int) -> str:
    """A list of ten todos, different for each number, so that every write changes the plan."""
    todos = [
        {"content": f"Step {step} of {number}", "activeForm": f"Doing step {step}", "status": status}
        for step, status in enumerate(STATUSES)
    ]
    return json.dumps({"todos": todos})


def _milliseconds(arguments: Sequence[str], environ: Mapping[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(arguments, env=dict(environ), stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Print the measures, and fail if the command is over its budget."""
    found = measure_command()
    print(f"python -c pass   {found['bare_ms']:6.1f} ms")
    print(f"TodoWrite        {found['command_ms']:6.1f} ms   {found['times']:.2f} times, budget {found['budget']:.0f}")
    sys.exit(found["times"] > found["budget"])


if __name__ == "__main__":
    main()
