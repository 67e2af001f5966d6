"""The tool `bash`: one command a call, in the workspace, with a time limit, and with nothing that outlives it."""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from .files import MOST_OUTPUT
from .tool import Failure, Tool, Unsuccessful, schema
from .workspace import Workspace

TIMEOUT = 120
LONGEST_TIMEOUT = 600
LAST_WORDS = 0.1
"""How many seconds to listen to what a command left in its pipe when it ended."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which a person or a system asks for an end."""

PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TMPDIR", "TZ", "VIRTUAL_ENV", "PYTHONPATH")
SECRET = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")
QUIET = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""What keeps programs from colours, and from waiting for somebody at a keyboard."""


def bash_tool(
    workspace: Workspace,
    environ: Mapping[str, str] = os.environ,
    passed: Iterable[str] = (),
    more: Mapping[str, str] | None = None,
    most_output: int = MOST_OUTPUT,
    timeout: int = TIMEOUT,
) -> Tool:
    """The tool over one workspace.

    Of the environment it passes on a few known names, and those in `passed`; `more` are variables that it sets.
    """
    variables = environment(environ, passed) | dict(more or {})

    def bash(command: str, timeout: int = timeout) -> str:
        if "\0" in command:
            raise Failure("a command cannot hold a NUL character")
        seconds = min(max(timeout, 1), LONGEST_TIMEOUT)
        return _told(run(["bash", "-c", command], workspace.root, variables, seconds, most_output), seconds)

    does = "Run a command in the workspace. It has no input, and what it leaves in the background ends with it."
    seconds = {"type": "integer", "description": f"seconds, {timeout} if not said"}
    return Tool("bash", does, schema({"command": "for bash -c"}, {"timeout": seconds}), bash, asks=True)


def environment(environ: Mapping[str, str], passed: Iterable[str] = ()) -> dict[str, str]:
    """What a command may know of the environment: known names, never one that sounds like a secret."""
    names = {*PASSED, *passed, *(name for name in environ if name.startswith("LC_"))}
    secret = {name for name in names if any(word in name.upper() for word in SECRET)}
    return {name: environ[name] for name in sorted(names - secret) if name in environ} | QUIET


class Ran(NamedTuple):
    """What a command came to: its exit code, none if it took too long, and what it wrote, within bounds."""

    code: int | None
    output: str


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str], seconds: float, most_output: int) -> Ran:
    """Run a command in a folder, with no input, and for so long. Nothing that it has started outlives it."""
    output = Output(most_output)
    process = None
    try:
        with _undisturbed():
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        with _guarded(process.pid):
            in_time = listen(process, output, seconds)
    finally:
        if process is not None:
            end_group(process, output)
    assert process is not None, "it has begun"
    return Ran(process.returncode if in_time else None, str(output))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """What a signal would raise comes at the end, not midway: a process that has begun must be known, to be ended.

    Only the main thread is ever disturbed.
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


@contextmanager
def _guarded(group: int) -> Iterator[None]:
    """End a group of processes even if this one is killed: a guard sees its input end, which only we hold open."""
    guard = subprocess.Popen(
        ["sh", "-c", f"read -r _; kill -s KILL -- -{group}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        guard.kill()
        guard.communicate()


def _told(ran: Ran, seconds: int) -> str:
    """What a model reads of a command. Raises Failure if it took too long, Unsuccessful if it ended with a code."""
    code, output = ran
    if code is None:
        raise Failure(f"timed out after {seconds} s, and was ended with all it had started\n{output}".rstrip())
    if code:
        raise Unsuccessful(f"{output}\n[exit code {code}]".lstrip())
    return output or "(no output)"


class Output:
    """What a command writes, kept within bounds as it comes: its beginning and its end."""

    def __init__(self, most: int) -> None:
        self._half = max(most // 2, 1)
        self._head = b""
        self._tail = b""
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Take in some more."""
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


def listen(process: subprocess.Popen[bytes], output: Output, seconds: float) -> bool:
    """Take in what a process writes until it ends. Returns whether it did so in time."""
    assert process.stdout is not None, "its output is a pipe"
    deadline = time.monotonic() + seconds
    is_open = True
    while process.poll() is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        if is_open:
            is_open = _read(process.stdout, output, min(left, 0.05))
        else:
            time.sleep(min(left, 0.01))
    return True


def end_group(process: subprocess.Popen[bytes], output: Output) -> None:
    """End a process and all that it has started, wait for it, and take in its last words."""
    with suppress(ProcessLookupError):  # nothing is left of it
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None, "its output is a pipe"
    deadline = time.monotonic() + LAST_WORDS
    while (left := deadline - time.monotonic()) > 0 and _read(process.stdout, output, left):
        pass  # what left the group may hold the pipe open for ever: it is not waited for
    process.stdout.close()


def _read(pipe: IO[bytes], output: Output, seconds: float) -> bool:
    """Take in what is there, if anything comes in time. Returns whether more may come."""
    ready, _, _ = select.select([pipe], [], [], seconds)
    if not ready:
        return True
    data = os.read(pipe.fileno(), 65536)
    output.add(data)
    return bool(data)
