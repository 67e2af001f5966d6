"""The tool `bash`: what it tells, what it hides, and what it never leaves behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest
from patience import PATIENCE, wait_until

from holdfast.agent.events import ToolCall
from holdfast.agent.tools import ToolFailure, Workspace
from holdfast.agent.tools.bash import bash_tool, environment
from holdfast.agent.tools.tool import run_tool


def is_alive(pid: int) -> bool:
    """Whether a process is still there, and not only waiting to be taken note of."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended, long before it would by itself."""
    wait_until(lambda: not is_alive(pid), "the process ends")


def test_a_command_that_ends_with_an_exit_code_has_failed(tmp_path: Path) -> None:
    """The model reads the same text, and the loop knows that it was no work."""
    tools = {"bash": bash_tool(Workspace(tmp_path))}
    calls = [ToolCall("1", "bash", {"command": command}) for command in ("echo no; exit 3", "echo yes")]
    no, yes = (run_tool(tools, call, None) for call in calls)
    assert (no.output, no.failed) == ("no\n[exit code 3]", True)
    assert (yes.output, yes.failed) == ("yes", False)


def test_what_a_command_says(tmp_path: Path) -> None:
    """Both outputs come in their order, and an exit code that is not 0 is told."""
    tool = bash_tool(Workspace(tmp_path))

    def run(command: str) -> str:
        return run_tool({"bash": tool}, ToolCall("1", "bash", {"command": command}), None).output

    assert run(command="echo out; echo err >&2; pwd") == f"out\nerr\n{tmp_path.resolve()}"
    assert run(command="echo no; exit 3") == "no\n[exit code 3]"
    assert run(command="exit 3") == "[exit code 3]"
    assert run(command="true") == "(no output)"
    assert run(command="cat") == "(no output)"  # there is no input to wait for
    assert "command not found" in run(command="no-such-command")


def test_it_asks_first() -> None:
    """The tool says of itself that each use needs the user's word."""
    tool = bash_tool(Workspace("."))
    assert tool.needs_permission and not tool.read_only


def test_secrets_of_the_environment_are_not_passed(tmp_path: Path) -> None:
    """Only known names reach a command, and none that sounds like a secret, even if a host wants to pass it."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "ANTHROPIC_API_KEY": "sk-1",
        "GITHUB_TOKEN": "sk-2",
        "DB_PASSWORD": "sk-3",
        "aws_secret_access": "sk-4",
        "DATABASE_URL": "postgres://sk-5",
        "LC_TOKEN": "sk-6",
        "MY_SETTING": "mine",
    }
    told = bash_tool(Workspace(tmp_path), environ, ["MY_SETTING", "GITHUB_TOKEN"]).run(command="env")
    assert "sk-" not in told
    assert "MY_SETTING=mine" in told
    assert f"HOME={tmp_path}" in told
    assert "ANTHROPIC_API_KEY" not in environment(environ, ["ANTHROPIC_API_KEY"])


def test_the_real_environment_is_not_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same is true of the process's own environment, which is the default."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    assert "sk-real" not in bash_tool(Workspace(tmp_path)).run(command="env; cat /proc/self/environ | tr '\\0' '\\n'")


def test_a_time_out_ends_the_whole_group(tmp_path: Path) -> None:
    """A command that takes too long is ended with everything that it has started, and what it said is told."""
    run = bash_tool(Workspace(tmp_path)).run
    started = time.monotonic()
    with pytest.raises(ToolFailure, match="timed out after 3 s") as failed:
        run(command="echo before; (sleep 600 & echo $! > inner; wait) & echo $! > outer; sleep 600", timeout=3)
    assert time.monotonic() - started < PATIENCE
    assert "before" in str(failed.value)
    wait_for_end(int((tmp_path / "inner").read_text()))
    wait_for_end(int((tmp_path / "outer").read_text()))


def test_what_is_left_in_the_background_ends_with_the_call(tmp_path: Path) -> None:
    """A command that leaves something running is not waited for, and leaves nothing."""
    started = time.monotonic()
    told = bash_tool(Workspace(tmp_path)).run(command="sleep 600 & echo $! > pid; echo started")
    assert told == "started"
    assert time.monotonic() - started < PATIENCE
    wait_for_end(int((tmp_path / "pid").read_text()))


class Interrupted(subprocess.Popen[bytes]):
    """A process that a signal comes upon in the very moment of its start."""

    started: ClassVar[list[int]] = []

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.started.append(self.pid)
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_in_the_moment_of_a_start_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is told to end while a command begins ends that command, too, and then itself."""

    def end(number: int, _: object) -> None:
        raise SystemExit(number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(SystemExit):
            bash_tool(Workspace(tmp_path)).run(command="sleep 600")
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, before)
    wait_for_end(Interrupted.started.pop())


def test_something_that_left_the_group_is_not_waited_for(tmp_path: Path) -> None:
    """A process with a session of its own may hold the output open: it ends with the call."""
    started = time.monotonic()
    told = bash_tool(Workspace(tmp_path)).run(
        command="setsid sh -c 'echo $$ > pid; exec sleep 600' & until [ -s pid ]; do sleep 0.01; done; echo ready"
    )
    assert told == "ready"
    assert time.monotonic() - started < PATIENCE
    wait_for_end(int((tmp_path / "pid").read_text()))


def test_ctrl_c_ends_the_whole_group(tmp_path: Path) -> None:
    """An interrupt goes through to the loop, and nothing keeps running."""

    def interrupt() -> None:
        wait_until(lambda: pid.exists() and pid.read_text().strip(), "the command runs")
        os.kill(os.getpid(), signal.SIGINT)

    pid = tmp_path / "pid"
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        bash_tool(Workspace(tmp_path)).run(command="(echo $BASHPID > pid; exec sleep 600) & wait")
    wait_for_end(int(pid.read_text()))


def test_output_has_bounds(tmp_path: Path) -> None:
    """Of endless output the beginning and the end are kept, and how much is left out is told."""
    run = bash_tool(Workspace(tmp_path), most_output=100).run
    told = run(command="echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert told.startswith("first\n") and told.endswith("\nlast")
    assert "bytes left out]" in told
    assert len(told) < 200


def test_output_that_is_no_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are replaced, and a command with a NUL in it is refused."""
    run = bash_tool(Workspace(tmp_path)).run
    assert run(command="printf 'a\\xffb'") == "a\ufffdb"
    with pytest.raises(ToolFailure, match="NUL"):
        run(command="echo \0")


def test_a_command_ends_when_its_agent_is_killed(tmp_path: Path) -> None:
    """Not even kill -9 of the agent leaves what it has started at work."""
    code = "import sys; from holdfast.agent.tools import Workspace; from holdfast.agent.tools.bash import bash_tool"
    code += "; bash_tool(Workspace(sys.argv[1])).run('sleep 600 & echo $! > started; mv started pid; wait')"
    agent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    children = Path(f"/proc/{agent.pid}/task/{agent.pid}/children")
    wait_until(lambda: (tmp_path / "pid").exists() and len(children.read_text().split()) == 1, "the command runs")
    agent.kill()
    agent.wait()
    wait_for_end(int((tmp_path / "pid").read_text()))
