"""What goes wrong is told to the model, ends no server, and leaves the store whole."""

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
    bounded,
    connected,
    contents,
    http_process,
    http_thread,
    on_stdio,
    over_http,
    serving,
    session_of,
    text,
)
from patience import PATIENCE

from holdfast import Plan
from holdfast.mcp.conversations import ClientConversations
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
    """The model reads what is wrong with the store; once that is fixed, the same server works."""
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
    with serving(server(ClientConversations(BrokenProjects({}, "nowhere")))) as url:
        async with over_http(url) as client:
            for tool in ("TodoRead", "TodoWrite", "TodoRead"):
                refused = await client.call_tool(tool, TODOS if tool == "TodoWrite" else {})
                assert refused.is_error and "unexpected RuntimeError" in text(refused)
    assert "a fault of our own" in caplog.text


@contextmanager
def busy_file(place: Path) -> Iterator[None]:
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
            with busy_file(tmp_path / "plans.db"):
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


@contextmanager
def listening(url: str, mode: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is subscribed to all there is."""
    program = [sys.executable, str(Path(__file__).with_name("listening_client.py")), url, mode]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "listening\n"
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE)


@every_era
@bounded
async def test_a_subscriber_that_vanishes_costs_the_others_nothing(tmp_path: Path, mode: str) -> None:
    """Killed while it is being told of changes, it leaves a server that other clients write to as before."""
    with http_process(tmp_path, "--session", "s") as served, listening(served.url, mode) as gone:
        async with over_http(served.url, mode) as client:
            for number in range(20):
                if number == 10:
                    gone.kill()
                assert not (await client.call_tool("TodoWrite", {"todos": [{"content": f"{number}"}]})).is_error
            assert await anyio.to_thread.run_sync(gone.wait, PATIENCE) < 0
            assert not (await client.call_tool("TodoWrite", TODOS)).is_error
        assert served.process.poll() is None
        served.process.terminate()
        _, errors = served.process.communicate(timeout=PATIENCE)
    assert (errors, contents(tmp_path, "s")) == ("", ["A", "B"])
