"""Whatever comes in, a harness is not disturbed: exit code 0, nothing printed, a line in the log."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hooking import SILENT, environment, hook, log, plan, tallies, todos
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import SESSION, bash, claude, claude_tool, task_create, todo_write

from holdfast.coding_agents.hooks.harnesses import HARNESSES
from holdfast.coding_agents.hooks.log import LARGEST, log_path
from holdfast.coding_agents.hooks.log import log as write_log
from holdfast.coding_agents.hooks.process import HookOptions, answer_event

HEAVY = {"argparse", "pathlib", "rich", "logging", "asyncio", "dataclasses", "inspect", "subprocess", "tomllib"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "JSONDecodeError"),
        (b"{", "JSONDecodeError"),
        (b"\xff\xfe\x00", "JSONDecodeError"),
        (b"[]", "expected a JSON object, received list"),
        (b"{}", "no event None"),
        (b'{"hook_event_name": "Earthquake", "session_id": "s"}', "no event 'Earthquake'"),
        (b'{"hook_event_name": {"a": 1}, "session_id": "s"}', "no event {'a': 1}"),
        (b'{"hook_event_name": "Stop", "session_id": 7}', "session_id: expected a text, received 7"),
        (b'{"hook_event_name": "Stop", "session_id": " "}', "session_id"),
        (b"[" * 100_000, "RecursionError"),
    ],
)
def test_what_is_no_event_is_logged(tmp_path: Path, raw: bytes, why: str) -> None:
    """Broken JSON and unknown events leave a line, and nothing else."""
    assert hook(tmp_path, raw) == SILENT
    assert why in log(tmp_path)
    assert log(tmp_path).count("\n") == 1
    assert not (tmp_path / "plans.db").exists()


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    """A harness on Windows may send one."""
    hook(tmp_path, b"\xef\xbb\xbf" + json.dumps(todo_write(("A", "pending"))).encode())
    assert todos(tmp_path) == [("1", "A", "pending")]


def test_closed_streams_are_no_trouble(tmp_path: Path) -> None:
    """Without standard input there is no event; without standard output the plan is recorded all the same."""
    command = [sys.executable, "-m", "holdfast", "hook", "claude-code"]
    for line, fed in (('"$@" <&-', b""), ('"$@" >&- 2>&-', json.dumps(todo_write(("A", "pending"))).encode())):
        ran = subprocess.run(
            ["sh", "-c", line, "sh", *command], env=environment(tmp_path), input=fed, capture_output=True, check=False
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert todos(tmp_path) == [("1", "A", "pending")]


def test_the_table_of_commands_has_it_too(tmp_path: Path) -> None:
    """A program that runs a command line gets the same as a harness that starts a process."""
    ran = subprocess.run(
        [sys.executable, "-c", "from holdfast.cli.main import run; run(['hook', 'claude-code', '--gate'])"],
        input=json.dumps(todo_write(("A", "pending"))).encode(),
        env=environment(tmp_path),
        capture_output=True,
        check=True,
    )
    assert (ran.stdout, todos(tmp_path)) == (b"", [("1", "A", "pending")])


def test_a_damaged_store_is_left_alone(tmp_path: Path) -> None:
    """A plan file that is none is not touched, and the harness hears nothing of it."""
    (tmp_path / "plans.db").write_bytes(b"somebody's thesis " * 100)
    assert hook(tmp_path, todo_write(("A", "pending"))) == SILENT
    assert hook(tmp_path, claude("SessionStart", source="compact")) == SILENT
    assert (tmp_path / "plans.db").read_bytes().startswith(b"somebody's thesis")
    assert "plans.db" in log(tmp_path)


def test_a_large_result_is_no_trouble(tmp_path: Path) -> None:
    """Ten megabytes of a tool's output are read and forgotten."""
    hook(tmp_path, todo_write(("A", "pending")))
    assert hook(tmp_path, claude_tool("Read", {"file_path": "x"}, {"text": "x" * 10_000_000})) == SILENT
    assert tallies(tmp_path)["hook.work"] == 1


def test_a_log_line_cannot_be_forged(tmp_path: Path) -> None:
    """What an event says stays on its line, with its escape codes made visible, and is cut."""
    name = "x\n2026-01-01T00:00:00Z forged\x1b[2J" + "y" * 5000
    hook(tmp_path, {"hook_event_name": name, "session_id": "s"})
    assert log(tmp_path).count("\n") == 1
    assert "\x1b" not in log(tmp_path)
    assert len(log(tmp_path)) < 600


def test_the_log_does_not_grow_for_ever(tmp_path: Path) -> None:
    """A full log gives way to a new one, and one old log is kept."""
    environ = environment(tmp_path)
    path = Path(log_path(environ))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * (LARGEST + 1))
    for _ in range(3):
        write_log(environ, "new")
    assert path.read_text().count("new") == 3
    assert sorted(os.listdir(path.parent)) == ["hooks.log", "hooks.log.1"]


def test_a_log_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    """Without a place for the log, the harness is still not disturbed."""
    (tmp_path / "state").write_text("a file where the folder should be")
    assert hook(tmp_path, b"{") == SILENT


@pytest.mark.parametrize("words", [(), ("emacs",), ("claude-code", "codex"), ("claude-code", "--loud")])
def test_a_wrong_command_line_is_told_and_blocks_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Exit code 1 and one line on standard error: 2 would be taken for a verdict."""
    ran = subprocess.run(
        [sys.executable, "-m", "holdfast", "hook", *words],
        env=environment(tmp_path),
        input=b"{}",
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert ran.stderr.startswith(b"holdfast: ") and ran.stderr.count(b"\n") == 1


@given(harness=st.sampled_from(sorted(HARNESSES)), value=json_values, data=st.data())
@settings(max_examples=60)
def test_no_event_raises(harness: str, value: object, data: st.DataObject) -> None:
    """Any value in any field of any event is answered or logged."""
    chosen = HARNESSES[harness]
    tools = [*chosen.lists, *chosen.tasks, *chosen.reads, "Bash"]
    event = {
        "hook_event_name": data.draw(st.sampled_from(sorted(chosen.kinds))),
        "session_id": data.draw(st.just("s") | json_values),
        "tool_name": data.draw(st.sampled_from(tools) | json_values),
        "tool_input": value,
        "tool_response": data.draw(json_values),
        "background_tasks": data.draw(json_values),
        "stop_hook_active": data.draw(json_values),
        "agent_id": data.draw(json_values),
        "cwd": data.draw(json_values),
    }
    with tempfile.TemporaryDirectory() as folder:
        environ = {"HOME": folder, "XDG_STATE_HOME": folder, "HOLDFAST_DB": os.path.join(folder, "plans.db")}
        options = HookOptions(chosen, data.draw(st.sampled_from(["off", "quiet", "rail"])), data.draw(st.booleans()))
        answer = answer_event(options, json.dumps(event).encode(), environ)
        assert answer is None or isinstance(answer, dict)


def test_many_hooks_at_once_lose_nothing(tmp_path: Path) -> None:
    """Tasks made, tools used and plans of other conversations, all at the same time: each is in the store."""
    hook(tmp_path, task_create("1", "Task 1"))
    made = [task_create(str(id), f"Task {id}") for id in range(2, 13)]
    lists = [todo_write(("A", "pending"), session=f"other {number}") for number in range(6)]
    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(lambda event: hook(tmp_path, event), [*made, *lists])) == {SILENT}
        for session in (SESSION, *(f"other {number}" for number in range(6))):  # what was put off on a busy machine
            hook(tmp_path, claude("UserPromptSubmit", session=session, prompt="Go on"))
        assert todos(tmp_path) == [(str(id), f"Task {id}", "pending") for id in range(1, 13)]
        assert [todos(tmp_path, f"other {number}") for number in range(6)] == [[("1", "A", "pending")]] * 6
        assert set(pool.map(lambda event: hook(tmp_path, event), [bash()] * 10)) == {SILENT}
    hook(tmp_path, claude("UserPromptSubmit", prompt="Go on"))  # what was put off here, too
    assert tallies(tmp_path)["hook.work"] == 10
    assert plan(tmp_path, SESSION).revision == 12
    assert "was not recorded" not in log(tmp_path)


def test_the_project_is_the_harnesss(tmp_path: Path) -> None:
    """The plan goes to the project that the harness names, else to where the conversation is at work."""
    for place, environ in (("named", {"CLAUDE_PROJECT_DIR": str(tmp_path / "named")}), ("cwd", {})):
        (tmp_path / place / ".git").mkdir(parents=True)
        event = {**todo_write((place, "pending")), "cwd": str(tmp_path / "cwd")}
        hook(tmp_path, event, HOLDFAST_DB="", **environ)
        assert (tmp_path / place / ".holdfast" / "plans.db").exists()


def test_a_hook_loads_nothing_that_it_does_not_need() -> None:
    """A harness waits for every hook: nothing heavy is imported on its way, and for most events not even a board."""
    hooks = "holdfast.coding_agents.hooks"
    code = f"import sys, holdfast.cli.main, {hooks}.process, holdfast.stores.sqlite, {hooks}.{{0}}"
    uncounted = {**os.environ, "COVERAGE_PROCESS_CONFIG": ""}  # what counts coverage loads modules of its own
    loaded = {
        room: subprocess.run(
            [sys.executable, "-c", f"{code.format(room)}; print(*sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
            env=uncounted,
        ).stdout.split()
        for room in ("conversation", "recorder")
    }
    assert HEAVY.isdisjoint([*loaded["conversation"], *loaded["recorder"]])
    assert "holdfast.board.board" not in loaded["conversation"]
