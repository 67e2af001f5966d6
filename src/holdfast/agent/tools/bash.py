"""The tool `bash`: one command per call, in the workspace, with a time limit. Nothing that it starts outlives it."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from . import supervisor
from .files import MOST_OUTPUT
from .tool import AgentTool, NonzeroExit, ToolFailure, schema
from .workspace import Workspace

BASH = "bash"
TIMEOUT = 120
LONGEST_TIMEOUT = 600
DRAIN_SECONDS = 0.1
"""How many seconds to read what a command left in its pipe when it ended."""

LONGEST_END = 20.0
"""How many seconds a supervisor may take to end what its command has started, before it is ended itself."""

UNCONFINED_VARIABLE = "HOLDFAST_UNCONFINED"
"""Set, commands may look at other processes, send them signals, mount file systems, and gain rights as by `sudo`."""

SUPERVISOR = supervisor.__file__
PR_SET_DUMPABLE = 4

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which a person or a system ends a process."""

PASSED_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE"),
    *("TMPDIR", "TZ", "VIRTUAL_ENV", "PYTHONPATH"),
)
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")
QUIET = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""What keeps programs from printing colours, and from waiting for input."""


def bash_tool(
    workspace: Workspace,
    environ: Mapping[str, str] = os.environ,
    passed: Iterable[str] = (),
    more: Mapping[str, str] | None = None,
    most_output: int = MOST_OUTPUT,
    timeout: int = TIMEOUT,
) -> AgentTool:
    """The tool over one workspace.

    Commands get a few known variables of the environment, those in `passed`, and those in `more`.
    """
    variables = environment(environ, passed) | dict(more or {})

    def bash(command: str, timeout: int = timeout) -> str:
        if "\0" in command:
            raise ToolFailure("a command cannot hold a NUL character")
        seconds = min(max(timeout, 1), LONGEST_TIMEOUT)
        return _describe_result(
            run_command(["bash", "-c", command], workspace.root, variables, seconds, most_output), seconds
        )

    does = "Run a command in the workspace. It has no input, and what it leaves in the background ends with it."
    seconds = {"type": "integer", "description": f"seconds, {timeout} if not said"}
    return AgentTool(BASH, does, schema({"command": "for bash -c"}, {"timeout": seconds}), bash, needs_permission=True)


def environment(environ: Mapping[str, str], passed: Iterable[str] = ()) -> dict[str, str]:
    """The variables that a command gets: known names, never one that sounds like a secret."""
    names = {*PASSED_VARIABLES, *passed, *(name for name in environ if name.startswith("LC_"))}
    secret = {name for name in names if any(word in name.upper() for word in SECRET_WORDS)}
    return {name: environ[name] for name in sorted(names - secret) if name in environ} | QUIET


class CommandResult(NamedTuple):
    """The result of a command: its exit code (`None` if it took too long) and its output, within bounds."""

    code: int | None
    output: str


def run_command(
    command: Sequence[str], folder: Path, variables: Mapping[str, str], seconds: float, most_output: int
) -> CommandResult:
    """Run a command in a folder, without input, for at most `seconds`. Nothing that it has started outlives it."""
    output = BoundedOutput(most_output)
    confinement = supervisor.UNCONFINED if os.environ.get(UNCONFINED_VARIABLE) else "--confined"
    process = None
    try:
        with _signals_deferred():
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", SUPERVISOR, confinement, *command],
                cwd=folder,
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        in_time = collect_output(process, output, seconds)
    finally:
        if process is not None:
            end_command(process, output)
    assert process is not None, "it has begun"
    return CommandResult(process.returncode if in_time else None, str(output))


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Signals take effect at the end, not midway: a process that was started must be known, so that it can be ended.

    Only the main thread gets signals.
    """
    came: list[int] = []
    handled = threading.current_thread() is threading.main_thread()
    numbers = [number for number in ENDING if handled and callable(signal.getsignal(number))]
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for late in came:
        signal.raise_signal(late)


def hide_environment() -> None:
    """Keep the environment of this process, which may have keys in it, from the commands that it starts.

    On Linux, a process of the same user could read it in `/proc`. The system writes no core file for such a process.
    """
    if sys.platform == "linux":
        from ctypes import CDLL

        CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _describe_result(ran: CommandResult, seconds: int) -> str:
    """What a model reads. Raises ToolFailure if the command took too long, NonzeroExit if its exit code is not 0."""
    code, output = ran
    if code is None:
        raise ToolFailure(f"timed out after {seconds} s, and was ended with all it had started\n{output}".rstrip())
    if code:
        raise NonzeroExit(f"{output}\n[exit code {code}]".lstrip())
    return output or "(no output)"


class BoundedOutput:
    """The beginning and the end of what a command writes, so that it stays within bounds."""

    def __init__(self, most: int) -> None:
        self._half = max(most // 2, 1)
        self._head = b""
        self._tail = b""
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Add some more."""
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        surplus = len(self._tail) - self._half
        if surplus > 0:
            self._left_out += surplus
            self._tail = self._tail[surplus:]

    def __str__(self) -> str:
        gap = f"\n[{self._left_out} bytes left out]\n".encode() if self._left_out else b""
        return (self._head + gap + self._tail).decode("utf-8", "replace").rstrip("\n")


def collect_output(process: subprocess.Popen[bytes], output: BoundedOutput, seconds: float) -> bool:
    """Collect what a process writes until it ends. Returns whether it ended in time."""
    assert process.stdout is not None, "its output is a pipe"
    deadline = time.monotonic() + seconds
    is_open = True
    while process.poll() is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        if is_open:
            is_open = _read_pipe(process.stdout, output, min(left, 0.05))
        else:
            time.sleep(min(left, 0.01))
    return True


def end_command(process: subprocess.Popen[bytes], output: BoundedOutput) -> None:
    """End a command and all that it has started, by its supervisor, and collect the rest of its output."""
    assert process.stdin is not None and process.stdout is not None, "they are pipes"
    process.stdin.close()
    try:
        process.wait(LONGEST_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    deadline = time.monotonic() + DRAIN_SECONDS
    while (left := deadline - time.monotonic()) > 0 and _read_pipe(process.stdout, output, left):
        pass  # somebody may still hold the pipe open: do not wait for them
    process.stdout.close()


def _read_pipe(pipe: IO[bytes], output: BoundedOutput, seconds: float) -> bool:
    """Collect what is there, if anything comes in time. Returns whether more may come."""
    ready, _, _ = select.select([pipe], [], [], seconds)
    if not ready:
        return True
    data = os.read(pipe.fileno(), 65536)
    output.add(data)
    return bool(data)
