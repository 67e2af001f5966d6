"""Drives `holdfast mcp` as its clients do: through the official client, as a process or over a real socket."""

import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TextIO

import anyio
import httpx2
from counted import COUNTED
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, TextContent, TextResourceContents
from patience import PATIENCE

from holdfast import Board
from holdfast.mcp import http
from holdfast.mcp.conversations import ClientConversations
from holdfast.mcp.projects import Projects
from holdfast.mcp.server import PlanServer, server
from holdfast.server.http_server import HTTPServer

LEGACY, MODERN = "legacy", "2026-07-28"
ERAS = (LEGACY, MODERN)

P = ParamSpec("P")
Environ = Mapping[str, str]
NOTHING_ELSE: Environ = {}


def bounded(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """An asynchronous test as pytest wants it, which fails when it takes too long."""

    async def within(*given: P.args, **named: P.kwargs) -> None:
        with anyio.fail_after(3 * PATIENCE):
            await test(*given, **named)

    @wraps(test)
    def run(*given: P.args, **named: P.kwargs) -> None:
        anyio.run(partial(within, *given, **named))

    return run


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment that is the same everywhere, with the plans in the folder."""
    state = f"{os.environ['HOME']}/.local/state"  # so that what the server makes is known here, too
    given = {
        "HOME": str(folder),
        "XDG_STATE_HOME": state,
        "HOLDFAST_DB": str(folder / "plans.db"),
        "PATH": os.environ["PATH"],
        **more,
    }
    return {**COUNTED, **{name: value for name, value in given.items() if value}}


def command(*options: str) -> list[str]:
    """The command line of a server."""
    return [sys.executable, "-m", "holdfast", "mcp", *options]


@asynccontextmanager
async def on_stdio(
    folder: Path,
    *options: str,
    mode: str = LEGACY,
    name: str = "tester",
    errors: TextIO = sys.stderr,
    environ: Environ = NOTHING_ELSE,
    **more: Any,
) -> AsyncIterator[Client]:
    """A client of a server of its own, which is a process."""
    program, *arguments = command(*options)
    parameters = StdioServerParameters(
        command=program, args=arguments, env=environment(folder, **environ), cwd=str(folder)
    )
    who = Implementation(name=name, version="1")
    async with Client(stdio_client(parameters, errors), mode=mode, client_info=who, **more) as client:
        yield client


class Served(NamedTuple):
    """A server over HTTP, in a process of its own."""

    url: str
    process: subprocess.Popen[str]


@contextmanager
def http_process(folder: Path, *options: str, address: str = "0", environ: Environ = NOTHING_ELSE) -> Iterator[Served]:
    """A server over HTTP, in a process of its own."""
    with subprocess.Popen(
        command("--http", address, *options),
        cwd=folder,
        env=environment(folder, **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr is not None else ""
            yield Served(line.split()[3].rstrip(";"), process)
        finally:
            process.terminate()
            process.wait(PATIENCE)


@contextmanager
def http_thread(folder: Path, dialect: str = "holdfast", token: str = "", session: str = "") -> Iterator[str]:
    """The address of a server over HTTP in a thread of this process: what `holdfast mcp --http` runs."""
    projects = Projects({}, str(folder / "plans.db"))
    try:
        with serving(server(ClientConversations(projects, dialect, session)), token) as url:
            yield url
    finally:
        projects.close()


@contextmanager
def serving(made: PlanServer, token: str = "") -> Iterator[str]:
    """The address of a server over HTTP that runs in a thread."""
    with http.bind() as listener:
        app = http.application(made, listener, token)
        runner = HTTPServer(app, last_answers=1)
        thread = threading.Thread(target=runner.run, args=([listener],))
        thread.start()
        try:
            yield http.address(listener)
        finally:
            runner.stop()
            thread.join(PATIENCE)


@asynccontextmanager
async def over_http(
    url: str, mode: str = LEGACY, name: str = "tester", headers: Environ = NOTHING_ELSE, **more: Any
) -> AsyncIterator[Client]:
    """A client of a server over HTTP."""
    who = Implementation(name=name, version="1")
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=PATIENCE) as wire,
        Client(streamable_http_client(url, http_client=wire), mode=mode, client_info=who, **more) as client,
    ):
        yield client


@asynccontextmanager
async def connected(folder: Path, mode: str = LEGACY, session: str = "") -> AsyncIterator[Client]:
    """A client of a server, where it matters little how they are connected: over HTTP, in this process."""
    with http_thread(folder, session=session) as url:
        async with over_http(url, mode) as client:
            yield client


def text(result: CallToolResult) -> str:
    """What the model reads."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def read(client: Client, uri: str) -> str:
    """A resource."""
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


def session_of(result: CallToolResult) -> str:
    """The session that a call was about."""
    assert result.meta is not None
    name = result.meta["holdfast/session"]
    assert isinstance(name, str)
    return name


def contents(folder: Path, session: str, agent: str = "main") -> list[str]:
    """The todos of a plan, read by somebody else."""
    board = Board(dialect="holdfast", store=folder / "plans.db", session=session, agent=agent)
    try:
        return [todo.content for todo in board.plan.todos]
    finally:
        board.store.close()


def by_somebody_else(folder: Path, session: str, *words: str) -> None:
    """Let another process run a command on a plan."""
    subprocess.run(
        [sys.executable, "-m", "holdfast", *words, "--session", session],
        env=environment(folder),
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
