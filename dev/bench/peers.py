"""Holdfast beside its Python peers: a write of ten todos, an import, and the tokens of a plan of ten steps.

Each peer runs in a process of its own, some in an environment of their own, which is made under `dev/bench/.peers`
once. The rounds of all of them take turns; a write is told in processor time, each figure is the best of its rounds.
A peer that needs a newer Python is measured on that one, and compared to Holdfast on the same. What could not be run is
said, with the reason.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from dev.bench.timing import Row, environment
from dev.bench.tokens import STEPS, worked
from dev.release.environments import places, pythons
from holdfast import __version__
from holdfast.board.tokens import compact, exact

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".peers"
ROUNDS, CALLS, IMPORTS = 20, 50, 3


class Peer(NamedTuple):
    """One of them: what it is called, its package, its program, and the version for an environment of its own.

    `needs` is the oldest Python for it, where that is not ours; `slower` how many times slower its write must be.
    """

    title: str
    package: str
    program: str
    own: str = ""
    needs: tuple[int, ...] = ()
    slower: float | None = 1.0


PEERS = (
    Peer("Holdfast", "holdfast", "with_holdfast.py", slower=None),
    Peer("langchain TodoListMiddleware", "langchain", "with_langchain.py", slower=10.0),
    Peer("pydantic-ai-todo", "pydantic-ai-todo", "with_pydantic_ai_todo.py"),
    Peer("pydantic-ai-harness Planning", "pydantic-ai-harness", "with_planning.py", "0.62.0"),
    Peer("Hermes Agent todo", "hermes-agent", "with_hermes.py", "0.19.0"),
    Peer("Holdfast", "holdfast", "with_holdfast.py", needs=(3, 12), slower=None),
    Peer("OpenHands task_tracker", "openhands-tools", "with_openhands.py", "1.49.1", (3, 12)),
)


class Process:
    """A peer's program at work."""

    def __init__(self, python: str, program: str) -> None:
        source = {"PYTHONPATH": str(HERE.parent / "src")}  # where Holdfast is on a Python that it is not installed on
        self.process = subprocess.Popen(
            [python, str(HERE / "peer" / program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(), **source},
        )
        self.import_seconds: float = self._answer()["import"]

    def ask(self, **request: Any) -> Any:
        """Ask it something. Raises RuntimeError with its last words if it has died."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End it."""
        self.process.communicate()

    def _answer(self) -> Any:
        assert self.process.stdout is not None and self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read().strip().splitlines()[-1])
        return json.loads(line)


class Found(NamedTuple):
    """What was measured of one peer, or why it was not."""

    peer: Peer
    version: str = ""
    microseconds: float = 0.0
    milliseconds: float = 0.0
    tokens: int = 0
    why_not: str = ""

    @property
    def name(self) -> str:
        """What it is called, with its version."""
        return f"{self.peer.title} {self.version}".rstrip()


def writes() -> list[Row]:
    """A validated write of ten todos, its reply rendered."""
    rows = [_row(found, "a write of ten todos", found.microseconds, "µs") for found in measured()]
    return [row._replace(least=found.peer.slower) for row, found in zip(rows, measured(), strict=True)]


def imports() -> list[Row]:
    """The import of what one needs for a todo tool."""
    return [_row(found, "import", found.milliseconds, "ms") for found in measured()]


def tokens() -> list[Row]:
    """Definition, prompt, calls and replies of a plan of ten steps, the whole list each time but for Holdfast."""
    return [_row(found, "tokens of a plan of ten steps", found.tokens, "tokens") for found in measured()]


def _row(found: Found, what: str, value: float, unit: str) -> Row:
    if found.why_not:
        return Row(f"{what}: {found.name}", 0.0, "", note=found.why_not)
    ours = next(each for each in measured() if each.peer.package == "holdfast" and each.peer.needs == found.peer.needs)
    floor = getattr(ours, {"µs": "microseconds", "ms": "milliseconds", "tokens": "tokens"}[unit])
    return Row(f"{what}: {found.name}", value, unit, value / floor)


@cache
def measured() -> list[Found]:
    """Everything, once; Holdfast first."""
    pythons = {peer: _python(peer) for peer in PEERS}
    with ExitStack() as stack:
        processes: dict[Peer, Process] = {}
        failed = {peer: reason for peer, (python, reason) in pythons.items() if not python}
        for peer, (python, _) in pythons.items():
            if python:
                try:
                    processes[peer] = Process(python, peer.program)
                except RuntimeError as error:
                    failed[peer] = str(error)
                else:
                    stack.callback(processes[peer].close)
        times = _by_turns(processes)
        loads = {peer: _import_ms(pythons[peer][0], peer.program) for peer in processes}
        spent = {peer: _tokens(peer, process) for peer, process in processes.items()}
    return [
        Found(peer, _version(peer), why_not=failed[peer])
        if peer in failed
        else Found(peer, _version(peer), times[peer], loads[peer], spent[peer])
        for peer in PEERS
    ]


def _by_turns(processes: dict[Peer, Process]) -> dict[Peer, float]:
    best = dict.fromkeys(processes, float("inf"))
    for _ in range(ROUNDS):
        for peer, process in processes.items():
            best[peer] = min(best[peer], process.ask(calls=CALLS) * 1e6)
    return best


def _import_ms(python: str, program: str) -> float:
    times = []
    for _ in range(IMPORTS):
        process = Process(python, program)
        times.append(process.import_seconds * 1000)
        process.close()
    return min(times)


def _tokens(peer: Peer, process: Process) -> int:
    if peer.package == "holdfast":
        return worked("holdfast").total
    count = exact()
    answer = process.ask(steps=[content for content, _ in STEPS])
    texts = [text if isinstance(text, str) else compact(text) for text in answer["fixed"]]
    return sum(map(count, texts)) + sum(count(compact(call)) + count(reply) for call, reply in answer["said"])


def _python(peer: Peer) -> tuple[str, str]:
    """The interpreter of the peer's environment, made if need be; or none, and why."""
    base = _base(peer.needs)
    if not base:
        return "", f"it needs Python {'.'.join(map(str, peer.needs))} or newer, and none is here"
    if not peer.own:
        return base, ""
    folder = ENVIRONMENTS / f"{peer.package}-{peer.own}"
    python = folder / "bin" / "python"
    if not (folder / "made").exists():
        subprocess.run([base, "-m", "venv", "--clear", str(folder)], check=True)
        install = [
            str(python),
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "install",
            f"{peer.package}=={peer.own}",
        ]
        ran = subprocess.run(install, capture_output=True, text=True, check=False)
        if ran.returncode:
            return "", f"it could not be installed: {ran.stderr.strip().splitlines()[-1]}"
        (folder / "made").touch()
    return str(python), ""


@cache
def _base(needs: tuple[int, ...]) -> str:
    """The Python that runs this, or if it is too old, the oldest here that is not; nothing if there is none."""
    if sys.version_info >= needs:
        return sys.executable
    return next((str(python.path) for python in pythons(places()) if python.numbers >= needs), "")


def _version(peer: Peer) -> str:
    """The peer's version, and the Python it is on where that is another one."""
    known = __version__ if peer.package == "holdfast" else peer.own or version(peer.package)
    on = _base(peer.needs)
    return known if on in ("", sys.executable) else f"{known} on {Path(on).name.replace('python', 'Python ')}"
