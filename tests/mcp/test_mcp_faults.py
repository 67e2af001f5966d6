"""What goes wrong is told to the model, ends no server, and leaves the store whole."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import TaskStatus
from mcp.client import Client
from mcp_driving import (
    ERAS,
    PATIENCE,
    bounded,
    command,
    connected,
    contents,
    environment,
    http_thread,
    on_stdio,
    over_http,
    serving,
    session_of,
    text,
)

from holdfast import Board, Plan
from holdfast.mcp.conversations import Conversations
from holdfast.mcp.projects import Projects
from holdfast.mcp.server import server
from holdfast.stores import Key, MemoryStore, Store

every_era = pytest.mark.parametrize("mode", ERAS)
TODOS = {"todos": [{"content": "A"}, {"content": "B"}]}
MEGABYTES = "x" * 10_000_000


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("TodoWrite", {"todos": [{"content": MEGABYTES}]}, "todos[0].content"),
    ("TodoWrite", {"todos": MEGABYTES}, "todos"),
    ("TodoWrite", {"todos": [{"id": "9", "status": "completed"}]}, "no todo 9; the plan has 1, 2"),
    ("TodoWrite", {}, "todos"),
    ("TodoWriter", TODOS, "There is no tool 'TodoWriter'; the tools are TodoWrite, TodoRead."),
]
"""Calls that cannot be taken: 10 MB in a text and for a list, an unknown id, nothing, an unknown tool."""


async def outlives(client: Client, faults: list[tuple[str, dict[str, Any], str]]) -> None:
    """Each call is refused with its words for the model, the plan stays as it is, and can be written after all."""
    await client.call_tool("TodoWrite", TODOS)
    for tool, arguments, words in faults:
        refused = await client.call_tool(tool, arguments)
        assert refused.is_error and words in text(refused) and len(text(refused)) < 1000
        shown = await client.call_tool("TodoRead", {})
        assert (shown.structured_content["revision"], shown.structured_content["total"]) == (1, 2)
    after = await client.call_tool("TodoWrite", {"todos": [{"id": "1", "status": "completed"}]})
    assert text(after) == "1/2 done. Now 2: B"


@bounded
async def test_a_fault_is_a_tool_error_on_stdio(tmp_path: Path) -> None:
    """The model reads what was wrong and what to do; the server lives, even if a tool's name has 10 MB."""
    async with on_stdio(tmp_path) as client:
        await outlives(client, [*FAULTS, (MEGABYTES, TODOS, "the tools are TodoWrite, TodoRead")])


@every_era
@bounded
async def test_a_fault_is_a_tool_error_over_http(tmp_path: Path, mode: str) -> None:
    """The same over a socket, in both eras of the protocol."""
    with http_thread(tmp_path, session="s") as url:
        async with over_http(url, mode) as client:
            await outlives(client, FAULTS)


@pytest.mark.parametrize("damage", ["a folder", "no plan file", "a file of another program"])
@bounded
async def test_trouble_with_the_store_is_told_and_passes(tmp_path: Path, damage: str) -> None:
    """The model reads what is wrong with the store; once it is mended, the same server works."""
    place = tmp_path / "plans.db"
    if damage == "a folder":
        place.mkdir()
    elif damage == "no plan file":
        place.write_bytes(b"not a database, and long enough to be looked at" * 100)
    else:
        sqlite3.connect(place).execute("CREATE TABLE t (x)").connection.close()
    async with connected(tmp_path) as client:
        for tool in ("TodoWrite", "TodoRead"):
            refused = await client.call_tool(tool, TODOS if tool == "TodoWrite" else {})
            assert refused.is_error and str(place) in text(refused)
        place.rmdir() if damage == "a folder" else place.unlink()
        written = await client.call_tool("TodoWrite", TODOS)
        assert not written.is_error
    assert contents(tmp_path, session_of(written)) == ["A", "B"]


class Broken(MemoryStore):
    """A store with a fault of its own."""

    def load(self, key: Key) -> Plan:
        """Fail in a way that nobody thought of."""
        raise RuntimeError("a fault of our own")


class BrokenProjects(Projects):
    """Projects that have such a store."""

    def store(self, folder: str) -> Store:
        """The store that is broken."""
        return Broken()


@bounded
async def test_a_fault_of_our_own_is_a_tool_error(caplog: pytest.LogCaptureFixture) -> None:
    """What nobody thought of is logged, and the model is told in a few words; the server lives."""
    with serving(server(Conversations(BrokenProjects({}, "nowhere")))) as url:
        async with over_http(url) as client:
            for tool in ("TodoRead", "TodoWrite", "TodoRead"):
                refused = await client.call_tool(tool, TODOS if tool == "TodoWrite" else {})
                assert refused.is_error and "unexpected RuntimeError" in text(refused)
    assert "a fault of our own" in caplog.text


@contextmanager
def held(place: Path) -> Iterator[None]:
    """A plan file that somebody else is writing to."""
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@every_era
@bounded
async def test_a_call_can_be_cancelled(tmp_path: Path, mode: str) -> None:
    """Whoever waits for a busy store may give up; the plan is whole, and the next call is answered."""
    async with on_stdio(tmp_path, "--session", "s", mode=mode) as client:
        await client.call_tool("TodoWrite", TODOS)

        async def waits(*, task_status: TaskStatus[anyio.CancelScope]) -> None:
            with anyio.CancelScope() as scope:
                task_status.started(scope)
                await client.call_tool("TodoWrite", {"todos": [{"id": "1", "content": "Late"}]})
                pytest.fail("it was not cancelled")

        async with anyio.create_task_group() as tasks:
            with held(tmp_path / "plans.db"):
                scope = await tasks.start(waits)
                await client.list_tools()  # what comes after it is answered, so it is under way
                scope.cancel()
        written = await client.call_tool("TodoWrite", {"todos": [{"id": "2", "status": "completed"}]})
        assert text(written).startswith("1/2 done.")
    assert contents(tmp_path, "s")[1:] == ["B"] and contents(tmp_path, "s")[0] in ("A", "Late")


@bounded
async def test_many_calls_at_once_are_all_answered(tmp_path: Path) -> None:
    """Two clients that write one plan at the same time lose nothing."""
    with http_thread(tmp_path, session="s") as url:
        async with over_http(url) as one, over_http(url) as other, anyio.create_task_group() as tasks:

            async def add(client: Client, content: str) -> None:
                result = await client.call_tool("TodoWrite", {"todos": [{"content": content}, {"id": "1"}]})
                assert not result.is_error, text(result)

            await one.call_tool("TodoWrite", {"todos": [{"content": "First"}]})
            for number in range(10):
                tasks.start_soon(add, one, f"one {number}")
                tasks.start_soon(add, other, f"other {number}")
    expected = ["First", *(f"{who} {number}" for who in ("one", "other") for number in range(10))]
    assert sorted(contents(tmp_path, "s")) == sorted(expected)


class Process:
    """A server on pipes, spoken to line by line."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.popen = subprocess.Popen(
            command("--session", "s", *options),
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, line: bytes | dict[str, Any]) -> None:
        """Send a line."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.popen.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The next line that came."""
        assert self.popen.stdout is not None
        heard: dict[str, Any] = json.loads(self.popen.stdout.readline())
        return heard

    def greet(self) -> None:
        """Shake hands."""
        about = {"name": "raw", "version": "1"}
        self.say(request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about))
        assert self.hear()["result"]["serverInfo"]["name"] == "holdfast"
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def end(self) -> tuple[int, str]:
        """How it ended, and what it complained of."""
        try:
            _, errors = self.popen.communicate(timeout=PATIENCE)
        finally:
            self.popen.kill()
        return self.popen.returncode, errors.decode()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    """A server on pipes that knows its client."""
    made = Process(tmp_path)
    made.greet()
    yield made
    made.popen.kill()
    made.popen.communicate()


def request(method: str, id: int | str = 1, **params: Any) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def a_call(id: int | str = 1, arguments: Any = TODOS) -> dict[str, Any]:
    """A call of the write tool."""
    return request("tools/call", id, name="TodoWrite", arguments=arguments)


NO_REQUESTS: list[tuple[bytes, int | str | None, int]] = [
    (b"this is no JSON\n", None, -32700),
    (b"\xff\xfe\x00\n", None, -32700),
    (b"[" * 100_000 + b"\n", None, -32700),
    (b"{}\n", None, -32600),
    (b"[]\n", None, -32600),
    (b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}\n', 7, -32600),
    (b'{"jsonrpc": "2.0", "id": "x", "method": 7}\n', "x", -32600),
    (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/nothing"}\n', 8, -32601),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": 7}}\n', 9, -32602),
]


def test_what_is_no_request_is_answered_and_survived(process: Process) -> None:
    """A line that is no JSON-RPC, or asks for nothing there is, gets an error; the next line is served."""
    for number, (line, id, code) in enumerate(NO_REQUESTS, 100):
        process.say(line)
        answer = process.hear()
        assert (answer["id"], answer["error"]["code"]) == (id, code), line[:60]
        process.say(a_call(number))
        assert process.hear()["result"]["isError"] is False


def test_half_of_a_pair_does_not_lose_a_call(process: Process) -> None:
    """JavaScript clients send a cut emoji as a lone surrogate: the model hears of it, and the client does not wait."""
    process.say(a_call(2, {"todos": [{"content": "cut \ud83d off"}]}))
    result = process.hear()["result"]
    assert result["isError"] and "half of a surrogate pair" in result["content"][0]["text"]
    process.say(request("tools/call", 3, name="\ud83d", arguments={}))
    assert process.hear()["id"] == 3
    process.say(a_call(4))
    assert process.hear()["result"]["isError"] is False


def test_it_ends_with_its_client(process: Process, tmp_path: Path) -> None:
    """When standard input is closed, the server ends in good order, with nothing to complain of."""
    process.say(a_call(2))
    assert process.hear()["result"]["isError"] is False
    assert process.end() == (0, "")
    assert contents(tmp_path, "s") == ["A", "B"]


def test_a_client_that_vanishes_leaves_what_was_written(process: Process, tmp_path: Path) -> None:
    """When nobody reads the answers, the server ends, and every write that it took is in the store."""
    process.say(a_call(2))
    process.hear()
    assert process.popen.stdout is not None
    process.popen.stdout.close()
    process.say(a_call(3, {"todos": [{"id": "1", "status": "completed"}]}))
    process.popen.stdout = None
    assert process.end() == (0, "")
    board = Board("holdfast", tmp_path / "plans.db", "s")
    assert len(board.plan.done) == 1
    board.store.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_it_can_be_told_to_end(process: Process, tmp_path: Path, number: signal.Signals) -> None:
    """A signal ends it at once, though it waits for input; what it acknowledged is safe."""
    process.say(a_call(2))
    process.hear()
    process.popen.send_signal(number)
    assert process.popen.wait(PATIENCE) == -number
    assert contents(tmp_path, "s") == ["A", "B"]


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    """One line, and no traceback."""
    program = "import sys; sys.modules['mcp'] = None; from holdfast.cli.main import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", program, "mcp"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "holdfast: the MCP SDK is missing: pip install 'holdfast[mcp]'\n")


def test_without_standard_input_it_says_so(tmp_path: Path) -> None:
    """Whoever starts it with nothing to read from is told what it is for."""
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command()],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 1 and ran.stderr.startswith("holdfast: standard input is closed: an MCP client starts")


def test_a_person_at_a_terminal_is_told_what_it_waits_for(tmp_path: Path) -> None:
    """It does not just sit there, and Ctrl-C ends it."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(), cwd=tmp_path, env=environment(tmp_path), stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(theirs)
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"An MCP client starts this command")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT
    os.close(ours)


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    """The model reads why there is no plan."""
    gone = tmp_path / "gone"
    gone.mkdir()
    made = subprocess.Popen(
        ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *command()],
        cwd=gone,
        env=environment(tmp_path, HOLDFAST_DB="", PYTHONSAFEPATH="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process = Process.__new__(Process)
    process.popen = made
    process.greet()
    process.say(a_call(2))
    result = process.hear()["result"]
    assert result["isError"] and "working directory cannot be read" in result["content"][0]["text"]
    assert process.end()[0] == 0
    assert not os.path.exists(gone)
