"""A command of the agent ends with all that it has started, and does not get at the agent that started it."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until

from holdfast.agent.tools import ToolFailure, Workspace
from holdfast.agent.tools.bash import bash_tool
from holdfast.agent.tools.supervisor import LANDLOCK_CREATE_RULESET, LANDLOCK_VERSION, SIGNALS_ARE_KNOWN
from holdfast.agent.tools.tool import NonzeroExit

OWN_SESSION = "setsid sh -c 'echo $$ > new; mv new pid; exec sleep 600' & until [ -s pid ]; do sleep 0.01; done; "
DAEMON = """python3 -c '
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
open("new", "w").write(str(os.getpid()))
os.rename("new", "pid")
time.sleep(600)
'; until [ -s pid ]; do sleep 0.01; done; """
AGENT = """
import sys
from holdfast.agent.tools import Workspace
from holdfast.agent.tools.bash import bash_tool, hide_environment
hide_environment()
print(bash_tool(Workspace(sys.argv[1])).run(sys.argv[2]))
"""
WITHOUT_RIGHTS = """
import ctypes, os, sys
for right in (19, 21, 38):  # root may look into any process by these
    ctypes.CDLL(None).prctl(24, right, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
LOOK_AROUND = "p=$$; for i in 1 2 3; do p=$(awk '/PPid/{print $2}' /proc/$p/status); cat /proc/$p/environ; done; true"

HAS_LANDLOCK = (
    ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_VERSION) >= SIGNALS_ARE_KNOWN
)
needs_landlock = pytest.mark.skipif(not HAS_LANDLOCK, reason="this kernel cannot keep signals inside")


def is_gone(folder: Path) -> bool:
    """Whether the process that wrote down its number has ended."""
    try:
        state = Path(f"/proc/{(folder / 'pid').read_text()}/stat".replace("\n", "")).read_text()
    except FileNotFoundError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("start", [OWN_SESSION, DAEMON])
def test_a_session_of_its_own_is_no_way_out(tmp_path: Path, start: str) -> None:
    """What leaves the command's session, and its parents, ends with the command: at its end, or when time is up."""
    run = bash_tool(Workspace(tmp_path)).run
    assert run(command=f"{start} echo started") == "started"
    assert is_gone(tmp_path)
    (tmp_path / "pid").unlink()
    with pytest.raises(ToolFailure, match="timed out"):
        run(command=f"{start} sleep 600", timeout=2)
    assert is_gone(tmp_path)


@pytest.mark.parametrize("start", [OWN_SESSION, DAEMON])
def test_a_session_of_its_own_does_not_outlive_a_killed_agent(tmp_path: Path, start: str) -> None:
    """Its supervisor notices that the agent is gone."""
    agent = subprocess.Popen([sys.executable, "-c", AGENT, str(tmp_path), f"{start} sleep 600"])
    wait_until(lambda: (tmp_path / "pid").exists())
    agent.kill()
    agent.wait()
    wait_until(lambda: is_gone(tmp_path))


def test_processes_that_start_others_are_ended_all_the_same(tmp_path: Path) -> None:
    """Each one that is ended has started two more."""
    bomb = "f() { (sleep 0.01; f) & (sleep 0.01; f) & wait; }; ulimit -u 400; f"
    started = time.monotonic()
    with pytest.raises(ToolFailure, match="timed out"):
        bash_tool(Workspace(tmp_path)).run(command=f"echo $$ > pid; exec -a of-this-test bash -c '{bomb}'", timeout=1)
    assert time.monotonic() - started < PATIENCE
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"of-this-test" in _content(path)]
    assert left == []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def seen_by_a_command(folder: Path, **environ: str) -> str:
    """What a command finds in the environments of its supervisor, its agent, and the shell of that."""
    agents = {**os.environ, **environ, "OPENAI_API_KEY": "sk-of-the-agent"}
    shell = f"import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], env={agents}))"
    agent = (sys.executable, "-c", AGENT, str(folder), LOOK_AROUND)
    command = [sys.executable, "-c", WITHOUT_RIGHTS, sys.executable, "-c", shell, *agent]
    ran = subprocess.run(command, env={"KEY": "sk-of-the-shell"}, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_environment_of_the_agent_is_hidden(tmp_path: Path) -> None:
    """The filter keeps the key from a command, but `/proc` has the environment of every process of the user.

    The agent hides its own by itself. That of the shell it was started from is hidden where the system has Landlock.
    """
    unconfined = seen_by_a_command(tmp_path, HOLDFAST_UNCONFINED="1")
    assert "sk-of-the-agent" not in unconfined and "sk-of-the-shell" in unconfined
    confined = seen_by_a_command(tmp_path)
    assert "sk-of-the-agent" not in confined and ("sk-of-the-shell" in confined) is not HAS_LANDLOCK


def test_a_confined_command_moves_files_and_works_with_git(tmp_path: Path) -> None:
    """What keeps it from other processes does not keep it from its work."""
    command = (
        "mkdir -p a b && echo x > a/x && mv a/x b/x && ln b/x a/y && git init -q . && git add -A && git stash list"
    )
    moves = 'python3 -c \'import os; os.rename("b/x", "a/z"); print(open("a/z").read())\''
    assert bash_tool(Workspace(tmp_path)).run(command=f"{command} && {moves}") == "x"


@needs_landlock
def test_a_user_can_leave_commands_unconfined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For work on other processes. They still end with the call."""
    monkeypatch.setenv("HOLDFAST_UNCONFINED", "1")
    with subprocess.Popen(["sleep", "600"]) as other:
        assert bash_tool(Workspace(tmp_path)).run(command=f"kill {other.pid} && {OWN_SESSION} echo ended") == "ended"
    assert is_gone(tmp_path)


@needs_landlock
def test_a_command_cannot_end_what_watches_it(tmp_path: Path) -> None:
    """Neither its supervisor nor the agent gets its signals; what it started itself does."""
    run = bash_tool(Workspace(tmp_path)).run
    with pytest.raises(NonzeroExit, match="Operation not permitted"):
        run(command=f"kill -9 $PPID {os.getpid()}")
    assert run(command="sleep 600 & kill $! && echo ended") == "ended"


def test_a_command_ends_as_it_would_by_itself(tmp_path: Path) -> None:
    """By its code, by a signal, and with the signals that Python ignores."""
    run = bash_tool(Workspace(tmp_path)).run
    for command, code in (("exit 7", 7), ("kill -SEGV $$", -11), ("kill -9 $$", -9), ("yes > >(true); exit 3", 3)):
        with pytest.raises(NonzeroExit, match=rf"\[exit code {code}\]"):
            run(command=command)
    assert run(command="yes | head -1; echo ${PIPESTATUS[0]}") == "y\n141"
