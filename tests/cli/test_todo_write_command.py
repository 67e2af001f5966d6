"""The `TodoWrite` command against its contract, as an agent's shell runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from driving import SCRIPTS, TODO_WRITE, Ran, environment, run

from holdfast import Board, Status

ONE = '{"todos":[{"content":"Test it","activeForm":"Testing it","status":"in_progress"}]}'
HEAVY = {"argparse", "pathlib", "rich", "logging", "asyncio", "dataclasses", "inspect"}


def todo_write(folder: Path, *words: str, stdin: bytes | str = b"", **environ: str) -> Ran:
    """Run the command."""
    return run(folder, *words, program=TODO_WRITE, stdin=stdin, **environ)


def kept(folder: Path, session: str = "default", agent: str = "main") -> list[str]:
    """The texts that are on the plan now."""
    board = Board(store=folder / "plans.db", session=session, agent=agent)
    try:
        return [todo.content for todo in board.plan.todos]
    finally:
        board.store.close()


def test_a_session_says_where_it_comes_from(tmp_path: Path) -> None:
    """The client, the folder and the branch are kept with the plan, and `sessions` shows them."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/fix\n", encoding="utf-8")
    assert todo_write(tmp_path, ONE).code == 0
    about = run(tmp_path, "show", "--json").data["about"]
    assert (about["client"], about["folder"], about["branch"]) == ("TodoWrite", str(tmp_path), "fix")
    assert "TodoWrite · ~ · fix" in run(tmp_path, "sessions").stdout


def test_a_write_is_kept_and_told_in_one_line(tmp_path: Path) -> None:
    """The counts go to stdout, nothing to stderr, and the plan is in the file."""
    todos = [
        {"content": "a", "activeForm": "b", "status": status} for status in ("completed", "in_progress", "pending")
    ]
    ran = todo_write(tmp_path, json.dumps({"todos": todos}))
    assert ran == Ran("Todo list updated: 1 completed, 1 in_progress, 1 pending\n", "", 0)
    assert kept(tmp_path) == ["a", "a", "a"]


def test_it_is_on_the_path(tmp_path: Path) -> None:
    """The console script does what the module does."""
    assert run(tmp_path, ONE, program=[str(SCRIPTS / "TodoWrite")]) == Ran("Todo list updated: 1 in_progress\n", "", 0)


def test_an_empty_list_clears(tmp_path: Path) -> None:
    """`[]` takes every todo off the plan."""
    todo_write(tmp_path, ONE)
    assert todo_write(tmp_path, '{"todos":[]}') == Ran("Todo list cleared\n", "", 0)
    assert kept(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Error: Missing JSON parameter\nUsage: TodoWrite '{\"todos\":[...]}'\n"),
        (("",), "Error: Missing JSON parameter\nUsage: TodoWrite '{\"todos\":[...]}'\n"),
        (("{",), "Error: Invalid JSON format\nUsage: "),
        (
            ('{"todos":[{"activeForm":"b","status":"done"}]}',),
            "Error: Validation failed\n- todos[0].content: Required\n"
            "- todos[0].status: Expected 'pending' | 'in_progress' | 'completed', received 'done'\n",
        ),
    ],
)
def test_a_fault_goes_to_stderr_and_changes_nothing(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    """Every fault is told, the exit code is 1, and the old list stays."""
    todo_write(tmp_path, ONE)
    ran = todo_write(tmp_path, *words)
    assert (ran.stdout, ran.code) == ("", 1)
    assert ran.stderr.startswith(message)
    assert kept(tmp_path) == ["Test it"]


def test_help_is_the_command_document(tmp_path: Path) -> None:
    """`-h` and `--help` print it, and touch no file."""
    ran = todo_write(tmp_path, "-h")
    assert ran == todo_write(tmp_path, "--help")
    assert (ran.stdout.splitlines()[0], ran.stderr, ran.code) == (
        "TodoWrite - keep the plan of this session as a list of todos",
        "",
        0,
    )
    assert not (tmp_path / "plans.db").exists()


def test_a_dash_reads_standard_input(tmp_path: Path) -> None:
    """The JSON may come by a pipe, with a byte order mark or without."""
    assert todo_write(tmp_path, "-", stdin=ONE).code == 0
    assert todo_write(tmp_path, "-", stdin=b"\xef\xbb\xbf" + ONE.encode()).code == 0
    assert todo_write(tmp_path, "-").stderr.startswith("Error: Missing JSON parameter\n")
    assert kept(tmp_path) == ["Test it"]


def test_the_session_and_the_agent_come_from_the_environment(tmp_path: Path) -> None:
    """`HOLDFAST_SESSION` and `HOLDFAST_AGENT` say whose plan it is."""
    todo_write(tmp_path, ONE, HOLDFAST_SESSION="nightly", HOLDFAST_AGENT="tester")
    assert kept(tmp_path, "nightly", "tester") == ["Test it"]
    assert kept(tmp_path) == []


def test_the_limits_come_from_the_environment(tmp_path: Path) -> None:
    """`TODO_MAX_ITEMS` is read at each call, and one that is no number is named."""
    assert (
        "- todos: Too many items (max 1)"
        in todo_write(tmp_path, json.dumps({"todos": json.loads(ONE)["todos"] * 2}), TODO_MAX_ITEMS="1").stderr
    )
    assert "TODO_MAX_ITEMS" in todo_write(tmp_path, ONE, TODO_MAX_ITEMS="many").stderr


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}]
)
@pytest.mark.parametrize("from_stdin", [True, False])
def test_texts_are_utf_8_whatever_the_locale(tmp_path: Path, locale: dict[str, str], from_stdin: bool) -> None:
    """What an agent sends in UTF-8 is kept and told as it was sent."""
    text = '{"todos":[{"content":"写测试 👩‍🔬","activeForm":"写","status":"pending","额外":1}]}'
    good = text.replace(',"额外":1', "")
    ran = todo_write(tmp_path, "-", stdin=good, **locale) if from_stdin else todo_write(tmp_path, good, **locale)
    assert ran == Ran("Todo list updated: 1 pending\n", "", 0)
    assert kept(tmp_path) == ["写测试 👩‍🔬"]
    assert "'额外'" in todo_write(tmp_path, text, **locale).stderr


def test_bytes_that_are_no_text_are_no_traceback(tmp_path: Path) -> None:
    """Half a character is kept as well as it can be, and nothing breaks."""
    ran = todo_write(tmp_path, "-", stdin=ONE.encode().replace(b"Test it", b"Test \xff\xfe"))
    assert "Traceback" not in ran.stderr
    assert "Traceback" not in todo_write(tmp_path, "-", stdin=b"\xff").stderr


@pytest.mark.parametrize("stream", ["stdout", "stderr", "both closed"])
def test_nobody_needs_to_listen(tmp_path: Path, stream: str) -> None:
    """A closed pipe is no traceback, and the write is kept all the same."""
    command = [*TODO_WRITE, ONE]
    if stream == "both closed":
        line = '"$@" >&- 2>&-'
        code = subprocess.run(["sh", "-c", line, "sh", *command], env=environment(tmp_path), check=False).returncode
        assert code == 0
    else:
        reader, writer = os.pipe()
        os.close(reader)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
        with subprocess.Popen(command, env=environment(tmp_path), **pipes) as process:  # type: ignore[call-overload]
            other = process.communicate()[0 if stream == "stderr" else 1]
        os.close(writer)
        assert process.returncode == 0
        assert b"Traceback" not in other
    assert kept(tmp_path) == ["Test it"]


def test_a_store_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    """What is wrong with the file is on stderr, with what to do, and the file is left alone."""
    (tmp_path / "plans.db").write_bytes(b"not a database, but somebody's thesis " * 100)
    ran = todo_write(tmp_path, ONE)
    assert (ran.stdout, ran.code) == ("", 1)
    assert ran.stderr.startswith("Error: the plan could not be saved: ")
    assert ran.stderr.count("\n") == 1
    assert (tmp_path / "plans.db").read_bytes().startswith(b"not a database")


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    """A working directory that was deleted is no traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f'cd "{gone}" && rmdir "{gone}" && "$@"'
    environ = environment(tmp_path)
    del environ["HOLDFAST_DB"]
    ran = subprocess.run(
        ["sh", "-c", line, "sh", str(SCRIPTS / "TodoWrite"), ONE],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("Error: the working directory cannot be read")


def test_a_person_wins_and_the_agent_is_told(tmp_path: Path) -> None:
    """An edit since the last write stands, and the reply says so."""
    todo_write(tmp_path, ONE)
    board = Board(store=tmp_path / "plans.db")
    board.edit("1", status=Status.COMPLETED)
    board.store.close()
    ran = todo_write(tmp_path, ONE)
    assert ran.stdout == 'Todo list updated: 1 completed\nThe user changed the plan: 1 ("Test it") is completed.\n'


def test_it_loads_nothing_that_a_write_does_not_need() -> None:
    """The command is waited for many times in a session: nothing heavy is imported on its way."""
    code = "import sys, holdfast.cli.todo_write, holdfast.stores.sqlite, holdfast.dialects.shell; print(*sys.modules)"
    uncounted = {**os.environ, "COVERAGE_PROCESS_CONFIG": ""}  # what counts coverage loads modules of its own
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=uncounted)
    loaded = ran.stdout.split()
    assert HEAVY.isdisjoint(loaded)
