"""The resident process: hooks are answered by it or by themselves, the same either way, whatever happens to it."""

import ctypes
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hooking import SILENT, Hooked, environment, hook, log, tallies, todos
from patience import PATIENCE, wait_until
from payloads import bash, claude, task_create, todo_write

import holdfast
from holdfast.coding_agents.hooks import relay
from holdfast.coding_agents.hooks.process import output
from holdfast.coding_agents.hooks.resident import receive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has one")
WRITE = json.dumps(todo_write(("Read", "pending"))).encode()
FAILED = claude("PostToolUseFailure", tool_name="Bash", tool_input={}, error="Exit code 1", is_interrupt=False)
NOBODY = 65534
NO_NEW_PRIVILEGES = 38
"""The number that prctl knows it by."""


class Place:
    """A folder for plans, and one for the socket, whose path must be short."""

    def __init__(self, folder: Path, runtime: str) -> None:
        self.folder = folder
        self.runtime = runtime
        self.environ = environment(folder, HOLDFAST_RESIDENT="", XDG_RUNTIME_DIR=runtime)

    def hook(self, event: object, *words: str, **environ: str) -> Hooked:
        """Run a hook that may be answered by a resident process."""
        return hook(self.folder, event, *words, HOLDFAST_RESIDENT="", XDG_RUNTIME_DIR=self.runtime, **environ)

    @property
    def path(self) -> str:
        """Where it listens."""
        return relay.socket_path(self.environ)

    def process(self) -> int:
        """The process that listens; 0 if there is none."""
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(self.path)
            except OSError:
                return 0
            return relay.peer(connection)[0]

    def started(self) -> int:
        """Start one, and wait until it listens."""
        self.hook(claude("SessionStart", source="startup"))
        wait_until(self.process, "a resident process")
        return self.process()

    def ask(self, raw: bytes, *words: str, before: str = "") -> str:
        """What a process of its own gets from it: the answer, `None`, or that it stayed without one."""
        program = (
            f"import sys\n{before}\nfrom holdfast.coding_agents.hooks.relay import ask\n"
            "print(ask(sys.argv[1:], sys.stdin.buffer.read()))"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program, *(words or ("claude-code",))],
            input=raw,
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return ran.stdout.decode().strip() or ran.stderr.decode().splitlines()[-1]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place, without a resident process of its own afterwards."""
    with tempfile.TemporaryDirectory(prefix="hf-") as runtime:
        found = Place(tmp_path, runtime)
        yield found
        process = found.process()
        if process not in (0, os.getpid()):
            os.kill(process, signal.SIGKILL)


def is_alive(process: int) -> bool:
    """Whether a process runs."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def has_open(process: int, file: str) -> bool:
    """Whether a process has a file of this name open."""
    folder = f"/proc/{process}/fd"
    with suppress(OSError):
        return any(os.readlink(f"{folder}/{name}").endswith(file) for name in os.listdir(folder))
    return False


def test_a_hook_starts_one_and_the_next_are_answered_by_it(place: Place) -> None:
    """The first answers itself; the answers of both are the same, and so is what is recorded."""
    process = place.started()
    assert place.ask(WRITE) == "b''", "it was answered there"
    assert todos(place.folder) == [("1", "Read", "pending")]
    line = json.dumps({"session_id": todo_write()["session_id"], "cwd": str(place.folder)}).encode()
    assert place.ask(line, "claude-code", "--status-line") == repr("0/1 ▸ Doing Read\n".encode())
    again = place.hook(claude("SessionStart", source="compact"))
    assert again == hook(place.folder, claude("SessionStart", source="compact"))
    assert "Read" in again.context
    assert place.process() == process, "one is enough"


def test_it_is_private(place: Place) -> None:
    """Nobody else may reach the socket."""
    place.started()
    folder, file = os.stat(os.path.dirname(place.path)), os.stat(place.path)
    assert (folder.st_mode & 0o777, file.st_mode & 0o777) == (0o700, 0o600)


def test_a_folder_of_somebody_else_is_not_used(place: Place) -> None:
    """If others may write where the socket would be, there is none, and hooks answer themselves."""
    os.mkdir(f"{place.runtime}/holdfast-{os.geteuid()}", 0o755)
    assert place.hook(todo_write(("Read", "pending"))) == SILENT
    assert place.ask(WRITE) == "None"
    assert os.listdir(f"{place.runtime}/holdfast-{os.geteuid()}") == []
    assert todos(place.folder) == [("1", "Read", "pending")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_not_answered(place: Place) -> None:
    """Even if the files let somebody else in, the kernel says who it is."""
    place.started()
    path = place.path
    for name, mode in ((place.runtime, 0o755), (os.path.dirname(path), 0o755), (path, 0o666)):
        os.chmod(name, mode)
    with socket.socket(socket.AF_UNIX) as connection:
        os.seteuid(NOBODY)
        try:
            connection.connect(path)
        finally:
            os.seteuid(0)
        assert connection.recv(100) == relay.DECLINED
    os.chmod(os.path.dirname(path), 0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_users_process_is_not_asked(place: Place) -> None:
    """A socket on which somebody else listens gets no event."""
    path = place.path
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        os.seteuid(NOBODY)
        try:
            listener.listen()
        finally:
            os.seteuid(0)
        assert place.ask(WRITE) == "None"
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(100) == b"", "it learned nothing"


def test_a_process_in_a_sandbox_is_not_answered(place: Place) -> None:
    """What has given up rights does not get them back through us: it answers itself."""
    place.started()
    confined = f"import ctypes; assert ctypes.CDLL(None).prctl({NO_NEW_PRIVILEGES}, 1, 0, 0, 0) == 0"
    assert place.ask(WRITE, before=confined) == "None"
    assert place.ask(WRITE, before="import os; os.umask(0o77)") == "None", "its files would have other rights"
    assert place.ask(WRITE) == "b''"


def test_none_is_left_behind_by_a_sandbox(place: Place) -> None:
    """One that was started in a sandbox would answer others from inside of it: it ends at once."""

    def confine() -> None:
        ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)

    command = [sys.executable, "-m", "holdfast.coding_agents.hooks.resident", place.path, "0"]
    ran = subprocess.run(
        command, env=place.environ, preexec_fn=confine, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False
    )
    assert (ran.returncode, os.path.exists(place.path)) == (0, False)


def test_folder_and_environment_are_those_of_the_hook(place: Place) -> None:
    """One process answers for several projects, each in its own plan file."""
    process = place.started()
    other = place.folder / "other"
    other.mkdir()
    place.hook(todo_write(("Read", "pending")))
    place.hook(todo_write(("Fix", "pending")), HOLDFAST_DB=str(other / "plans.db"))
    assert (todos(place.folder), todos(other)) == ([("1", "Read", "pending")], [("1", "Fix", "pending")])
    assert place.process() == process


def test_a_kill_in_the_middle_loses_nothing(place: Place) -> None:
    """If it is killed while a hook waits for its answer, the hook records the plan itself."""
    process = place.started()
    place.hook(todo_write(("Read", "pending")))
    command = [sys.executable, "-m", "holdfast", "hook", "claude-code"]
    with closing(sqlite3.connect(place.folder / "plans.db", isolation_level=None)) as locked:
        locked.execute("BEGIN EXCLUSIVE")
        with subprocess.Popen(
            command, cwd=place.folder, env=place.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as running:
            assert running.stdin is not None
            running.stdin.write(json.dumps(todo_write(("Read", "completed"))).encode())
            running.stdin.close()
            wait_until(lambda: has_open(process, "plans.db"), "the plan file opened there")
            os.kill(process, signal.SIGKILL)
            locked.execute("ROLLBACK")
            assert running.wait(PATIENCE) == 0
    assert todos(place.folder) == [("1", "Read", "completed")]
    assert place.process() != process


@pytest.mark.parametrize("failed", [False, True])
def test_an_end_before_the_answer_counts_nothing_twice(place: Place, failed: bool) -> None:
    """If it ends after it has counted an event, and before it answers, the hook answers, and does not count again."""
    hook(place.folder, todo_write(("Read", "pending")))
    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as pool:
        listener.bind(place.path)
        listener.listen()
        event = FAILED if failed else bash()
        running = pool.submit(place.hook, event)
        connection, _ = listener.accept()
        with connection:
            connection.sendall(relay.GO_ON)
            output(["claude-code"], receive(connection).raw, place.environ)
        assert running.result() == SILENT
    counted = tallies(place.folder)
    assert (counted.get("hook.work", 0), counted.get("hook.failed", 0)) == ((0, 1) if failed else (1, 0))
    hook(place.folder, bash())
    assert tallies(place.folder)["hook.work"] == counted.get("hook.work", 0) + 1, "the next one counts"


def test_one_that_hangs_is_left(place: Place) -> None:
    """A hook waits for a moment, then answers itself; later ones do not wait, and the one that hung ends."""
    process = place.started()
    os.kill(process, signal.SIGSTOP)
    try:
        assert place.hook(todo_write(("Read", "pending"))) == SILENT
        assert todos(place.folder) == [("1", "Read", "pending")]
        assert not os.path.exists(place.path)
    finally:
        os.kill(process, signal.SIGCONT)
    wait_until(lambda: not is_alive(process), "its end")


def test_a_dead_socket_is_replaced(place: Place) -> None:
    """Where one was killed, its socket is still there: the next hook answers itself, and starts another one."""
    first = place.started()
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not is_alive(first), "its end")
    os.utime(f"{place.path}.lock", (0, 0))
    assert place.hook(todo_write(("Read", "pending"))) == SILENT
    wait_until(place.process, "another resident process")
    assert place.process() != first
    assert todos(place.folder) == [("1", "Read", "pending")]


def test_one_that_cannot_live_is_not_started_again_and_again(place: Place) -> None:
    """After a start, the next one has to wait a little."""
    first = place.started()
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not is_alive(first), "its end")
    place.hook(bash())
    assert place.process() == 0


def test_an_upgrade_is_noticed(place: Place) -> None:
    """Another installation asks another one; and when its own files change, it ends, and hooks answer themselves."""
    own = place.started()
    copy = place.folder / "copy"
    shutil.copytree(Path(holdfast.__file__).parent, copy / "holdfast", ignore=shutil.ignore_patterns("__pycache__"))
    place.environ["PYTHONPATH"] = str(copy)
    place.hook(claude("SessionStart", source="startup"), PYTHONPATH=str(copy))

    folder, ours = os.path.dirname(place.path), os.path.basename(place.path)

    def others() -> list[str]:
        return [f"{folder}/{name}" for name in os.listdir(folder) if not name.startswith(ours) and "." not in name]

    wait_until(others, "the resident process of the copy")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(others()[0])
        process = relay.peer(connection)[0]
    assert process != own
    changed = copy / "holdfast" / "plan" / "plan.py"
    changed.write_text(changed.read_text() + "\n# newer\n")
    assert place.ask(WRITE) == "None"
    wait_until(lambda: not is_alive(process), "its end")
    assert place.process() == own


def test_fifty_hooks_at_once(place: Place) -> None:
    """Each is answered and recorded once."""
    place.started()
    with ThreadPoolExecutor(16) as pool:
        events = [task_create(str(number), f"Task {number}") for number in range(1, 51)]
        assert list(pool.map(place.hook, events)) == [SILENT] * 50
    assert {(id, text) for id, text, _ in todos(place.folder)} == {(str(n), f"Task {n}") for n in range(1, 51)}
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: place.hook(bash()), range(50)))
    assert tallies(place.folder)["hook.work"] == 50
    assert log(place.folder) == ""


def test_it_ends_when_nobody_asks(place: Place) -> None:
    """Then its socket is gone, too."""
    program = (
        "import sys; from holdfast.coding_agents.hooks import resident; "
        "resident.IDLE, resident.TICK = 0.5, 0.1; resident.main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, place.path, "0"], env=place.environ, timeout=PATIENCE, check=False
    )
    assert (ran.returncode, os.path.exists(place.path)) == (0, False)


def test_off_is_off(place: Place) -> None:
    """With the variable, none is started, and none is asked."""
    hook(place.folder, todo_write(("Read", "pending")), XDG_RUNTIME_DIR=place.runtime)
    assert os.listdir(place.runtime) == []
    process = place.started()
    os.kill(process, signal.SIGSTOP)
    try:
        assert hook(place.folder, bash(), XDG_RUNTIME_DIR=place.runtime) == SILENT
        assert os.path.exists(place.path), "who would have waited for it would have removed its socket"
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_database_server_is_not_for_it(place: Place) -> None:
    """Waiting for one would keep others waiting: such a hook answers itself."""
    place.started()
    place.environ["HOLDFAST_DB"] = "postgresql://127.0.0.1:1/none"
    assert place.ask(WRITE) == "None"


def test_nothing_of_a_hook_stays(place: Place) -> None:
    """After an answer it has no file of a plan open, and is in no folder of anybody."""
    process = place.started()
    assert place.ask(WRITE) == "b''"
    assert not has_open(process, "plans.db")
    assert os.readlink(f"/proc/{process}/cwd") == "/"


def test_a_wrong_command_line_is_told_all_the_same(place: Place) -> None:
    """The hook says so itself."""
    place.started()
    ran = place.hook(bash(), "--loud")
    assert (ran.code, ran.stdout) == (1, "") and "no option --loud" in ran.stderr


def test_everything_is_loaded_before(place: Place) -> None:
    """While an event is answered, no module of ours is loaded any more: that would cost every hook its time."""
    events = [
        todo_write(("Read", "in_progress"), ("Fix", "pending")),
        todo_write(("Fix", "pending")),
        task_create("1", "Read"),
        bash(),
        claude("SessionStart", source="compact"),
        claude("SessionStart", source="startup", session_id="another"),
        claude("UserPromptSubmit", prompt="Go on"),
        claude("Stop"),
    ]
    program = (
        "import sys, json, os; from holdfast.coding_agents.hooks import resident, process\n"
        "resident.load_all(); known = set(sys.modules)\n"
        "for event in json.load(sys.stdin): process.output(['claude-code', '--gate'], json.dumps(event).encode(),"
        " os.environ)\n"
        "print(*sorted(name for name in {*sys.modules} - known if name.startswith('holdfast')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(events),
        cwd=place.folder,
        env=place.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (ran.stdout.strip(), log(place.folder)) == ("", "")
