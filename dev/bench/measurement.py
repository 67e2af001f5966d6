"""How things are measured: side by side, interleaved, in one run, as a ratio to a floor that cannot be beaten."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Measurement(NamedTuple):
    """One line of the table: what was measured, in which unit, and its ratio to the floor.

    A budget is for the ratio where there is one, else for the value: `most` or `least` it may be. `note` is said in
    its place. Without a unit it was not run, and the note says why.
    """

    what: str
    value: float
    unit: str
    ratio: float | None = None
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def budget(self) -> str:
        """The budget in words."""
        if self.note or self.most is self.least is None:
            return self.note
        return f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}"

    @property
    def is_met(self) -> bool | None:
        """Whether it is within its budget; `None` if it has none, or was not run."""
        if not self.unit or self.most is self.least is None:
            return None
        found = self.value if self.ratio is None else self.ratio
        return (self.most is None or found <= self.most) and (self.least is None or found >= self.least)


def best_microseconds(
    actions: Mapping[str, Callable[[], object]], rounds: int = 200, calls: int = 50
) -> dict[str, float]:
    """The best time of each action, in microseconds per call; the rounds of all actions take turns."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(rounds):
        for name, action in actions.items():
            started = time.perf_counter()
            for _ in range(calls):
                action()
            best[name] = min(best[name], (time.perf_counter() - started) / calls * 1e6)
    return best


def user_environment() -> dict[str, str]:
    """The environment of a user's process: compiled modules are kept, as in any installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def import_milliseconds(statements: Mapping[str, str], rounds: int = 15) -> dict[str, float]:
    """The best time of each import statement in a fresh interpreter, in milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(rounds):
        for name, statement in statements.items():
            program = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
            ran = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=user_environment()
            )
            times[name].append(float(ran.stdout) * 1000)
    return {name: min(values) for name, values in times.items()}
