"""`holdfast agent` as a process in a pipe: one task, its events, its limits, its exit codes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from agent_driving import HOLDFAST, environ
from patience import PATIENCE, wait_until

from holdfast import Session

PLAN = {"TodoWrite": {"todos": [{"content": "Write"}]}}
DONE = {"TodoWrite": {"todos": [{"id": "1", "status": "completed"}]}}
TODOS = {"todos": [{"content": "A", "status": "pending", "activeForm": "Doing A"}]}
WRITE = {"write_file": {"path": "a.txt", "content": "hello\n"}}


def run(
    folder: Path, turns: Sequence[Any], *words: str, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run it to its end, with a model that plays these turns."""
    (folder / "script.json").write_text(json.dumps(turns))
    return subprocess.run(
        [*HOLDFAST, "--model", "rehearsal:script.json", *words],
        cwd=folder,
        env=environ(folder, **more),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_one_task_in_plain_lines(tmp_path: Path) -> None:
    """In a pipe there are plain lines, with no escape codes, and the last one says what it took."""
    ran = run(tmp_path, [["I plan.", PLAN], [WRITE, DONE], ["All\ndone."]], "Do it")
    assert (ran.returncode, ran.stderr) == (0, "")
    *lines, last = ran.stdout.splitlines()
    assert lines == [
        "I plan.",
        "○ Write",
        "✓ write_file a.txt  Created a.txt: 1 line",
        "✓ Write",
        "All",
        "done.",
    ]
    assert last.startswith("done · 1/1 todos · ")
    assert "\x1b" not in ran.stdout
    assert (tmp_path / "a.txt").read_text() == "hello\n"


def test_the_task_may_come_on_standard_input(tmp_path: Path) -> None:
    """Without an argument, what is piped in is the task; nothing at all is refused."""
    assert run(tmp_path, [["Hello."]], stdin="Say hello\n").returncode == 0
    (conversation,) = (tmp_path / "conversations").iterdir()
    assert "Say hello" in conversation.read_text()
    empty = run(tmp_path, [["Hello."]])
    assert (empty.returncode, empty.stderr) == (1, "holdfast: there is nothing to do: the task is empty\n")


def test_events_as_lines(tmp_path: Path) -> None:
    """`--json` prints every event as an object on its own line, the last with the final list."""
    ran = run(tmp_path, [["I plan.", PLAN], [WRITE, DONE], ["\x1b[2J\u2028"]], "--json", "Do it")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [event["kind"] for event in events] == [
        "text",
        *("tool_call", "todo_update", "tool_result"),
        *("tool_call", "tool_result"),
        *("tool_call", "todo_update", "tool_result"),
        "text",
        "finished",
    ]
    assert events[-1]["reason"] == "done"
    assert [(todo["content"], todo["status"]) for todo in events[-1]["todos"]] == [("Write", "completed")]
    assert ran.stdout.isascii() and "\x1b" not in ran.stdout


def test_bash_is_not_run_where_nobody_can_be_asked(tmp_path: Path) -> None:
    """Without `--yes` and without a terminal a command is refused, and why is said to the person and to the model."""
    turns = [[{"bash": {"command": "touch ran"}}], ["Well."]]
    ran = run(tmp_path, turns, "Do it")
    assert ran.returncode == 0
    assert "nobody is there to allow it; --yes allows every command" in ran.stdout
    assert "the user did not allow this" in ran.stdout
    assert not (tmp_path / "ran").exists()
    run(tmp_path, turns, "--yes", "Do it")
    assert (tmp_path / "ran").exists()


def test_keys_do_not_reach_a_command(tmp_path: Path) -> None:
    """What the agent itself needs of secrets stays with it."""
    turns = [[{"bash": {"command": "env > env.txt"}}], ["Done."]]
    run(tmp_path, turns, "--yes", "Do it", ANTHROPIC_API_KEY="sk-secret", HOLDFAST_DB=str(tmp_path / "plans.db"))
    assert "sk-secret" not in (tmp_path / "env.txt").read_text()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--turns", "2"], "limit: 2 turns"),
        (["--tokens", "10"], "limit: 10 tokens"),
    ],
)
def test_limits_by_option(tmp_path: Path, words: list[str], reason: str) -> None:
    """A run that reaches a limit ends with exit code 1, and says which."""
    turns = [[{"read_file": {"path": ".", "first": number}}] for number in range(5)]
    ran = run(tmp_path, turns, *words, "Do it")
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-1].startswith(reason)


def test_a_small_context_is_compacted(tmp_path: Path) -> None:
    """`--context` says when a conversation is summed up."""
    (tmp_path / "long.txt").write_text("word " * 2000)
    turns = [[PLAN], *[[{"read_file": {"path": "long.txt", "first": n}}] for n in (1, 0, 1, 0)], ["Done."]]
    ran = run(tmp_path, turns, "--context", "500", "Do it")
    assert "· compacted: " in ran.stdout
    assert "· reminded: 0 of 1 todos are done." in ran.stdout


def test_plan_mode_in_a_pipe(tmp_path: Path) -> None:
    """With nobody to say go, a plan is all that comes of it; a later call starts the work."""
    ran = run(tmp_path, [[WRITE], ["Here is my plan."]], "--plan", "Do it")
    assert ran.returncode == 0
    assert "write_file is not available in plan mode" in ran.stdout
    assert "holdfast agent --continue go" in ran.stdout
    assert not (tmp_path / "a.txt").exists()
    run(tmp_path, [[WRITE], ["Done."]], "--continue", "go")
    assert (tmp_path / "a.txt").exists()


def test_the_command_line_in_bash_works_on_the_same_plan(tmp_path: Path) -> None:
    """An agent that writes its plan by the command `TodoWrite` writes the one that is shown."""
    write = f"""{sys.executable} -m holdfast.cli.todo_write_process '{json.dumps(TODOS)}'"""
    ran = run(tmp_path, [[{"bash": {"command": write}}], ["Done."]], "--yes", "Do it")
    assert "Todo list updated: 1 pending" in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("done · 0/1 todos")


def test_subagents_that_a_crash_left_behind_are_dismissed(tmp_path: Path) -> None:
    """Their plans are not shown for ever as if they were at work."""
    run(tmp_path, [["Hello."]], "--session", "nightly", "Do it")
    Session(store=tmp_path / "plans.db", name="nightly").subagent("task-1").write({"todos": [{"content": "Left over"}]})
    run(tmp_path, [["Hello."]], "--continue", "Go on")
    assert Session(store=tmp_path / "plans.db", name="nightly").subagent("task-1").plan.todos == ()


@pytest.mark.parametrize("dialect", ["mini", "two-state"])
def test_another_dialect(tmp_path: Path, dialect: str) -> None:
    """`--dialect` gives the plan's tool another form."""
    call = {
        "mini": {"TodoWrite": {"items": [{"content": "A", "status": "pending", "activeForm": "Doing A"}]}},
        "two-state": {"todo_write": {"todos": [{"content": "A"}]}},
    }[dialect]
    assert "○ A" in run(tmp_path, [[call], ["Done."]], "--dialect", dialect, "Do it").stdout


def test_whoever_reads_may_go_away(tmp_path: Path) -> None:
    """A closed pipe ends the run quietly."""
    (tmp_path / "script.json").write_text(json.dumps([[f"{'word ' * 20000}\n", PLAN]] * 20))
    line = f"{sys.executable} -m holdfast agent --model rehearsal:script.json --json x | head -c 100 > /dev/null"
    ran = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        env=environ(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (141, "")


def is_there(group: int) -> bool:
    """Whether a group of processes has any left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_signal_that_ends_it_ends_its_commands_too(tmp_path: Path) -> None:
    """SIGTERM leaves no command running, and a conversation that can go on."""
    (tmp_path / "script.json").write_text(json.dumps([[PLAN, {"bash": {"command": "echo $$ > pid; sleep 600"}}]]))
    process = subprocess.Popen(
        [*HOLDFAST, "--model", "rehearsal:script.json", "--yes", "Do it"],
        cwd=tmp_path,
        env=environ(tmp_path),
        stdout=subprocess.PIPE,
    )
    pid = tmp_path / "pid"
    wait_until(lambda: pid.exists() and pid.read_text().strip(), "the command runs")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    wait_until(lambda: not is_there(int(pid.read_text())))  # what was killed is there until somebody has heard of it
    (conversation,) = (tmp_path / "conversations").iterdir()
    assert "(interrupted: there is no result)" in conversation.read_text()
