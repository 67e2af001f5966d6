"""The server as a process: what a client may send it line by line, how it ends, and what a person is told."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_driving import command, contents, environment
from patience import PATIENCE

from holdfast import Board

TODOS = {"todos": [{"content": "A"}, {"content": "B"}]}


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


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def test_a_client_that_did_not_wait_for_the_protocols_shakes_hands(tmp_path: Path) -> None:
    """Some give up after a second, which a busy machine needs to start us: the old handshake is not refused for it."""
    process = Process(tmp_path)
    process.say(request("server/discover", 0, _meta=MODERN))
    process.greet()
    process.say(a_call(4))
    assert process.hear()["result"]["isError"] is False
    process.popen.kill()
    process.popen.communicate()


def test_a_client_that_waits_for_the_protocols_is_told(tmp_path: Path) -> None:
    """And goes on in the newest one, without a handshake."""
    process = Process(tmp_path)
    process.say(request("server/discover", 0, _meta=MODERN))
    assert "2026-07-28" in process.hear()["result"]["supportedVersions"]
    process.say(request("tools/call", 4, name="TodoWrite", arguments=TODOS, _meta=MODERN))
    assert process.hear()["result"]["isError"] is False
    process.popen.kill()
    process.popen.communicate()


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
    board = Board(dialect="holdfast", store=tmp_path / "plans.db", session="s")
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


def ended(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself, and what it said."""
    return subprocess.run(
        words, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    """One line, and no traceback."""
    program = "import sys; sys.modules['mcp'] = None; from holdfast.cli.main import main; sys.exit(main())"
    ran = ended([sys.executable, "-c", program, "mcp"], tmp_path)
    assert (ran.returncode, ran.stderr) == (1, "holdfast: the MCP SDK is missing: pip install 'holdfast[mcp]'\n")


def test_without_standard_input_it_says_so(tmp_path: Path) -> None:
    """Whoever starts it with nothing to read from is told what it is for."""
    ran = ended(["sh", "-c", 'exec "$@" <&-', "sh", *command()], tmp_path)
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
