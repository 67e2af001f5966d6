"""A hook of a coding agent, start to exit, against a bare Python: alone, and with the resident process.

All take turns. Processor time counts the hook and what the resident process does for it, and is the same on a busy
machine, in the median. The time on the clock, the best of all rounds, also has the waiting for the disk in it.
"""

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dev import NotRun
from dev.bench.measurement import Measurement, user_environment
from holdfast.coding_agents.hooks import relay

ROUNDS = 40
MOST = 2.0
"""How many times as much processor time as a bare start a hook may take, together with the resident process."""

MOST_LINE = 50.0
"""How many milliseconds a status line may take."""

LAUNCHER = """#!{python}
import sys
from holdfast.cli.main import main
if __name__ == '__main__':
    sys.exit(main())
"""
"""The command as uv and pip since 26 install it; older ones load one more module in it."""


class Spent(NamedTuple):
    """What a command took, in milliseconds."""

    clock: float
    processor: float


class Case(NamedTuple):
    """A command line, what it reads, and its environment."""

    words: list[str]
    event: dict[str, object]
    environ: dict[str, str]


def hook_measurements() -> list[Measurement]:
    """Each kind of hook, alone and with the resident process."""
    if sys.platform != "linux":
        raise NotRun("the resident process is only on Linux")
    with tempfile.TemporaryDirectory(prefix="hf-") as name:
        folder = Path(name)
        cases = _cases(folder)
        times: dict[str, list[Spent]] = {what: [] for what in cases}
        for number in range(3):  # compiles what Python loads, makes the plan file, starts the resident process
            for case in cases.values():
                _run(case, -number)
            time.sleep(0.5)
        with _resident(folder) as process:
            for number in range(ROUNDS):
                for what, case in cases.items():
                    times[what].append(_run(case, number))
            found = {what: _summary(spent) for what, spent in times.items()}
            for what, case in cases.items():
                if relay.VARIABLE not in case.environ:
                    extra = _resident_share(case, process)
                    found[what] = found[what]._replace(processor=found[what].processor + extra)
    return _rows(found)


def _resident_share(case: Case, process: int) -> float:
    """What the resident process spends on one event, in milliseconds of processor time."""
    before = _processor_time(process)
    for number in range(ROUNDS):
        _run(case, number)
    return (_processor_time(process) - before) / ROUNDS


def _rows(found: dict[str, Spent]) -> list[Measurement]:
    bare = found.pop("python -c pass (the floor)")
    rows = [Measurement("python -c pass (the floor), processor time", bare.processor, "ms")]
    for what, spent in found.items():
        most = MOST if "resident" in what else None
        ratio = spent.processor / bare.processor
        rows.append(Measurement(f"{what}, processor time", spent.processor, "ms", ratio, most))
    rows.append(Measurement("python -c pass (the floor), on the clock", bare.clock, "ms"))
    for what, spent in found.items():
        is_line = what.startswith("status line")
        rows.append(Measurement(f"{what}, on the clock", spent.clock, "ms", most=MOST_LINE if is_line else None))
    return rows


def _cases(folder: Path) -> dict[str, Case]:
    launcher = folder / "holdfast"
    launcher.write_text(LAUNCHER.format(python=sys.executable))
    launcher.chmod(0o755)
    environ = {
        **{name: value for name, value in user_environment().items() if not name.startswith("HOLDFAST_")},
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_RUNTIME_DIR": str(folder),
        "HOLDFAST_DB": str(folder / "plans.db"),
    }
    todos = [{"content": f"Step {step}", "status": "pending", "activeForm": f"Doing {step}"} for step in range(10)]
    asked: dict[str, object] = {"session_id": "s", "cwd": str(folder)}
    used: dict[str, object] = {**asked, "hook_event_name": "PostToolUse", "tool_response": {}}
    kinds: dict[str, tuple[list[str], dict[str, object]]] = {
        "hook that counts a tool": ([], {**used, "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        "hook that records a plan of ten": ([], {**used, "tool_name": "TodoWrite", "tool_input": {"todos": todos}}),
        "status line": (["--status-line"], asked),
    }
    cases = {"python -c pass (the floor)": Case([sys.executable, "-c", "pass"], {}, {**environ, relay.VARIABLE: "off"})}
    for what, (words, event) in kinds.items():
        command = [str(launcher), "hook", "claude-code", *words]
        cases[f"{what}, alone"] = Case(command, event, {**environ, relay.VARIABLE: "off"})
        cases[f"{what}, with the resident process"] = Case(command, event, environ)
    return cases


def _run(case: Case, number: int) -> Spent:
    """Run one, with an event that has not been there before."""
    given = case.event.get("tool_input")
    if isinstance(given, dict) and "todos" in given:
        status = ("pending", "in_progress", "completed")[number % 3]
        given["todos"][0] = {**given["todos"][0], "status": status}
    with tempfile.TemporaryFile() as event:
        event.write(json.dumps({**case.event, "at": time.time_ns()}).encode())
        event.seek(0)
        started = time.perf_counter()
        with subprocess.Popen(case.words, env=case.environ, stdin=event, stdout=subprocess.DEVNULL, cwd="/") as running:
            _, status_code, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status_code)
    clock = (time.perf_counter() - started) * 1000
    if running.returncode:
        raise NotRun(f"{case.words[-1]} ended with {running.returncode}")
    return Spent(clock, (used.ru_utime + used.ru_stime) * 1000)


@contextmanager
def _resident(folder: Path) -> Iterator[int]:
    """The resident process that the first hooks have started, ended at the end."""
    process = _call(folder)
    try:
        yield process
    finally:
        os.kill(process, signal.SIGKILL)


def _call(folder: Path) -> int:
    """Call the resident process; its number."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(relay.socket_path({"XDG_RUNTIME_DIR": str(folder)}))
            connection.recv(1)
        except OSError as error:
            raise NotRun(f"no resident process: {error}") from error
        return relay.peer(connection)[0]


def _processor_time(process: int) -> float:
    """What the resident process has used until now, in milliseconds."""
    return int(Path(f"/proc/{process}/schedstat").read_text(encoding="utf-8").split()[0]) / 1e6


def _summary(found: list[Spent]) -> Spent:
    return Spent(min(spent.clock for spent in found), statistics.median(spent.processor for spent in found))
