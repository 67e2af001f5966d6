"""How things are measured here: side by side, interleaved, in one run, and told as a ratio to what cannot be beaten."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: what was measured, in which unit, how it stands to its floor, and what it may cost."""

    what: str
    value: float
    unit: str
    ratio: float | None = None
    budget: str = ""


def microseconds(actions: Mapping[str, Callable[[], object]], rounds: int = 40, calls: int = 200) -> dict[str, float]:
    """The best time of each action, in microseconds a call; the rounds of all actions take turns."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(rounds):
        for name, action in actions.items():
            started = time.perf_counter()
            for _ in range(calls):
                action()
            best[name] = min(best[name], (time.perf_counter() - started) / calls * 1e6)
    return best


def environment() -> dict[str, str]:
    """The environment of a user's process: compiled modules are kept, as in any installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def import_milliseconds(statements: Mapping[str, str], rounds: int = 15) -> dict[str, float]:
    """The median time of each import statement in a fresh interpreter, in milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(rounds):
        for name, statement in statements.items():
            program = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
            ran = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment()
            )
            times[name].append(float(ran.stdout) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}
