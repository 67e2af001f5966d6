"""Holdfast compared with its Python peers: a write of ten todos, an import, and the tokens of a plan of ten steps.

All of them write the lists that were recorded in Claude Code, with those of their fields that the peer's schema has;
the ratio is to Holdfast on the same fields. Each peer runs in its own process, some in their own environment, which is
made once under `dev/bench/.peers`. The rounds of all of them take turns. A write is measured in processor time; each
figure is the best of its rounds. A peer that needs a newer Python is measured on that one, and compared with Holdfast
on the same. A peer that could not run is listed with the reason.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from dev.bench.measurement import Measurement, user_environment
from dev.bench.tokens import STEPS, total_tokens
from dev.release.environments import find_interpreters, interpreter_folders
from holdfast import __version__
from holdfast.board.tokens import compact, exact

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".peers"
ROUNDS, CALLS, IMPORTS = 20, 54, 3


class Peer(NamedTuple):
    """One peer: its title, its package, its program, and the version for its own environment.

    `fields` are those of an item that it takes. `needs` is the oldest Python for it, if not ours; `slower` is how many
    times slower its write must be.
    """

    title: str
    package: str
    program: str
    fields: str
    own: str = ""
    needs: tuple[int, ...] = ()
    slower: float | None = 1.0


PLAIN = "content, status"
WITH_FORM = "content, status, activeForm"
WITH_ID = "id, content, status"

PEERS = (
    Peer("Holdfast", "holdfast", "with_holdfast.py", PLAIN, slower=None),
    Peer("langchain TodoListMiddleware", "langchain", "with_langchain.py", PLAIN, slower=10.0),
    Peer("pydantic-ai-harness Planning", "pydantic-ai-harness", "with_planning.py", PLAIN, "0.62.0"),
    Peer("Holdfast", "holdfast", "with_holdfast.py", WITH_FORM, slower=None),
    Peer("pydantic-ai-todo", "pydantic-ai-todo", "with_pydantic_ai_todo.py", WITH_FORM),
    Peer("Holdfast", "holdfast", "with_holdfast.py", WITH_ID, slower=None),
    Peer("Hermes Agent todo", "hermes-agent", "with_hermes.py", WITH_ID, "0.19.0"),
    Peer("Holdfast", "holdfast", "with_holdfast.py", PLAIN, needs=(3, 12), slower=None),
    Peer("OpenHands task_tracker", "openhands-tools", "with_openhands.py", PLAIN, "1.49.1", (3, 12)),
)


class PeerProcess:
    """A running peer's program."""

    def __init__(self, python: str, program: str, fields: str) -> None:
        source = {
            "PYTHONPATH": str(HERE.parents[1] / "src")
        }  # where Holdfast is on a Python that it is not installed on
        self.process = subprocess.Popen(
            [python, str(HERE / "peer" / program), fields],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**user_environment(), **source},
        )
        self.import_seconds: float = self._answer()["import"]

    def ask(self, **request: Any) -> Any:
        """Send a request. Raises RuntimeError with its last line of output if it has died."""
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


class PeerFigures(NamedTuple):
    """What was measured of one peer, or why it was not."""

    peer: Peer
    version: str = ""
    microseconds: float = 0.0
    milliseconds: float = 0.0
    tokens: int = 0
    why_not: str = ""

    @property
    def name(self) -> str:
        """Its title, with its version."""
        return f"{self.peer.title} {self.version}".rstrip()


def write_measurements() -> list[Measurement]:
    """A validated write of ten todos, its reply rendered."""
    rows = [
        _measurement(found, f"a write of ten todos, {found.peer.fields}", found.microseconds, "µs")
        for found in measure_peers()
    ]
    return [row._replace(least=found.peer.slower) for row, found in zip(rows, measure_peers(), strict=True)]


def import_measurements() -> list[Measurement]:
    """The import of a todo tool."""
    return [_measurement(found, "import", found.milliseconds, "ms") for found in _each_once()]


def token_measurements() -> list[Measurement]:
    """Definition, prompt, calls and replies of a plan of ten steps, the whole list each time except for Holdfast."""
    return [_measurement(found, "tokens of a plan of ten steps", found.tokens, "tokens") for found in _each_once()]


def _each_once() -> list[PeerFigures]:
    """The figures without those of Holdfast on other fields: they make no difference to its import and its tokens."""
    return [found for found in measure_peers() if found.peer.package != "holdfast" or found.peer.fields == PLAIN]


def _measurement(found: PeerFigures, what: str, value: float, unit: str) -> Measurement:
    if found.why_not:
        return Measurement(f"{what}: {found.name}", 0.0, "", note=found.why_not)
    peer = found.peer
    ours = next(
        each
        for each in measure_peers()
        if (each.peer.package, each.peer.needs) == ("holdfast", peer.needs)
        and each.peer.fields == (peer.fields if unit == "µs" else PLAIN)
    )
    floor = getattr(ours, {"µs": "microseconds", "ms": "milliseconds", "tokens": "tokens"}[unit])
    return Measurement(f"{what}: {found.name}", value, unit, value / floor)


@cache
def measure_peers() -> list[PeerFigures]:
    """All measurements, made once; Holdfast first."""
    pythons = {peer: _peer_python(peer) for peer in PEERS}
    with ExitStack() as stack:
        processes: dict[Peer, PeerProcess] = {}
        failed = {peer: reason for peer, (python, reason) in pythons.items() if not python}
        for peer, (python, _) in pythons.items():
            if python:
                try:
                    processes[peer] = PeerProcess(python, peer.program, peer.fields)
                except RuntimeError as error:
                    failed[peer] = str(error)
                else:
                    stack.callback(processes[peer].close)
        times = _best_times(processes)
        loads = {peer: _import_ms(pythons[peer][0], peer) for peer in processes}
        spent = {peer: _tokens(peer, process) for peer, process in processes.items()}
    return [
        PeerFigures(peer, _version(peer), why_not=failed[peer])
        if peer in failed
        else PeerFigures(peer, _version(peer), times[peer], loads[peer], spent[peer])
        for peer in PEERS
    ]


def _best_times(processes: dict[Peer, PeerProcess]) -> dict[Peer, float]:
    best = dict.fromkeys(processes, float("inf"))
    for _ in range(ROUNDS):
        for peer, process in processes.items():
            best[peer] = min(best[peer], process.ask(calls=CALLS) * 1e6)
    return best


def _import_ms(python: str, peer: Peer) -> float:
    times = []
    for _ in range(IMPORTS):
        process = PeerProcess(python, peer.program, peer.fields)
        times.append(process.import_seconds * 1000)
        process.close()
    return min(times)


def _tokens(peer: Peer, process: PeerProcess) -> int:
    if peer.package == "holdfast":
        return total_tokens("holdfast").total
    count = exact()
    answer = process.ask(steps=STEPS)
    texts = [text if isinstance(text, str) else compact(text) for text in answer["fixed"]]
    return sum(map(count, texts)) + sum(count(compact(call)) + count(reply) for call, reply in answer["said"])


def _peer_python(peer: Peer) -> tuple[str, str]:
    """The interpreter of the peer's environment, made if needed; or empty, and why."""
    base = _base_python(peer.needs)
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
def _base_python(needs: tuple[int, ...]) -> str:
    """This Python, or if it is too old, the oldest installed one that is not; empty if there is none."""
    if sys.version_info >= needs:
        return sys.executable
    return next(
        (str(python.path) for python in find_interpreters(interpreter_folders()) if python.numbers >= needs), ""
    )


def _version(peer: Peer) -> str:
    """The peer's version, and its Python if that is another one."""
    known = __version__ if peer.package == "holdfast" else peer.own or version(peer.package)
    on = _base_python(peer.needs)
    return known if on in ("", sys.executable) else f"{known} on {Path(on).name.replace('python', 'Python ')}"
