"""Coverage-guided fuzzing of the readers and of the command line, by atheris, in a process of its own.

python -m dev.torture.fuzz readers 60 1
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dev import ROOT

from .tally import TortureResult

TARGETS = ("readers", "command lines")


def torture_fuzz(target: str, seed: int, seconds: int) -> TortureResult:
    """So many seconds of inputs that reach new code."""
    what = f"coverage-guided inputs, {target}"
    if find_spec("atheris") is None:
        return TortureResult(what, not_run="atheris is not installed (requirements/torture.txt)")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dev.torture.fuzz", target, str(seconds), str(seed)]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=_environment(), errors="replace")
    counted = re.search(r"stat::number_of_executed_units:\s*(\d+)", ran.stderr)
    lost = () if ran.returncode == 0 and counted else (ran.stderr[-2000:],)
    return TortureResult(what, int(counted[1]) if counted else 0, lost)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]]), "HOLDFAST_DB": "plans.db"}


def main(target: str, seconds: str, seed: str) -> None:
    """Fuzz one target until the time is over, then end the process."""
    atheris: Any = import_module("atheris")  # it has no types

    with atheris.instrument_imports(include=["holdfast"]):
        one_input = _reader_target() if target == "readers" else _command_line_target()
    options = [f"-max_total_time={seconds}", f"-seed={seed}", "-print_final_stats=1", "-max_len=4096", "-verbosity=1"]
    atheris.Setup([sys.argv[0], *options], one_input)
    atheris.Fuzz()


def _reader_target() -> Callable[[bytes], None]:
    from holdfast import Board, dialects

    boards = [Board(dialect=name) for name in dialects.names()]

    def one_input(data: bytes) -> None:
        board = boards[data[0] % len(boards)] if data else boards[0]
        tools = board.tools("json")
        tool = tools[data[1] % len(tools)] if len(data) > 1 else tools[0]
        reply = board.write(data[2:], tool=tool["name"])
        assert all(fault.code != "internal" for fault in reply.faults), reply.text
        reply.text.encode()

    return one_input


def _command_line_target() -> Callable[[bytes], None]:
    from holdfast import Board
    from holdfast.cli.main import run
    from holdfast.shell import run as run_line

    board = Board(dialect="shell")
    kinds = ("show", "log", "sessions", "stats", "add", "done", "undo", "export", "import", "convert")

    def one_input(data: bytes) -> None:
        text = data.decode("utf-8", "replace").replace("\0", "")
        run_line(f"TodoWrite {text}", board)
        kind = kinds[data[0] % len(kinds)] if data else kinds[0]
        words = [word for word in text.split("\n") if word not in ("-", "--follow")][:6]
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet), contextlib.suppress(SystemExit):
            run([kind, *words])

    return one_input


if __name__ == "__main__":
    main(*sys.argv[1:])
