"""Whoever can reach a port can keep no one else out, and is told nothing."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from patience import PATIENCE, wait_until
from siege import BROKEN, HELLO, OF_MCP, SERVE_WITH_FEW_FILES, TOKEN, ask, begun, is_closed

from holdfast.mcp import http as mcp_http
from holdfast.mcp.conversations import ClientConversations
from holdfast.mcp.projects import Projects
from holdfast.mcp.server import server as mcp_server
from holdfast.server import connection, guard, http_server
from holdfast.server.address import bind
from holdfast.server.connection import Phase
from holdfast.server.http_server import HTTPServer
from holdfast.stores import open_store
from holdfast.web.access import PageAccess
from holdfast.web.service import page_server


@contextmanager
def running(server: HTTPServer, listener: socket.socket) -> Iterator[int]:
    """A server in a thread, by its port."""
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield int(listener.getsockname()[1])
    finally:
        server.stop()
        thread.join(PATIENCE)


@contextmanager
def page(folder: Path, token: str = "") -> Iterator[int]:
    """The server of the page, by its port."""
    store = open_store(str(folder / "plans.db"))
    with bind() as listener, running(page_server(store, "plans", PageAccess(token=token)), listener) as port:
        yield port
    store.close()


@contextmanager
def mcp(folder: Path) -> Iterator[int]:
    """The MCP server, by its port."""
    projects = Projects({}, str(folder / "plans.db"))
    with bind() as listener:
        app = mcp_http.application(mcp_server(ClientConversations(projects)), listener)
        with running(HTTPServer(app, last_answers=1), listener) as port:
            yield port
    projects.close()


def test_half_sent_requests_shut_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When there are too many connections, those go first that have kept the server waiting longest."""
    monkeypatch.setattr(http_server, "MOST_CONNECTIONS", 20)
    with page(tmp_path) as port, ExitStack() as stack:
        clients = [stack.enter_context(begun(port, b"GET / HTTP/1.1\r\nHo")) for _ in range(60)]
        assert ask(port)[0] == 200
        wait_until(lambda: sum(map(is_closed, clients)) >= 40)
        assert not is_closed(clients[-1])


def test_a_crowd_of_half_sent_requests_does_not_use_up_the_files_of_a_process(tmp_path: Path) -> None:
    """A process may open so many files, and has always some left to answer with."""
    command = [sys.executable, "-c", SERVE_WITH_FEW_FILES, "serve", "--port", "0", "--db", str(tmp_path / "plans.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            port = urlsplit(process.stdout.readline().split()[-1]).port or 0
            with ExitStack() as stack:
                for _ in range(700):
                    stack.enter_context(begun(port, b"GET / HTTP/1.1\r\nHo"))
                assert ask(port)[0] == 200
        finally:
            process.terminate()
            said = process.communicate(timeout=PATIENCE)[1]
    assert "Traceback" not in said and "system resource" not in said


@pytest.mark.parametrize(
    "head", [b"", b"GET / HTTP/1.1\r\nX-A: ", b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n"]
)
def test_a_request_that_comes_byte_by_byte_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: bytes) -> None:
    """More bytes give it no more time, neither for the head nor for the body. An answer may take any time."""
    monkeypatch.setattr(connection, "SECONDS", {Phase.HEAD: 0.5, Phase.BODY: 0.5})
    shown = b"Authorization: Bearer %s\r\n" % TOKEN.encode()
    with page(tmp_path, TOKEN if head.startswith(b"POST") else "") as port, ExitStack() as stack:
        stream = stack.enter_context(begun(port, b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n" + shown + b"\r\n"))
        slow = stack.enter_context(begun(port, head))
        started = time.monotonic()
        while not is_closed(slow) and time.monotonic() - started < PATIENCE:
            with suppress(OSError):
                slow.send(b"x" if head else b"")
            time.sleep(0.05)
        assert 0.3 < time.monotonic() - started < 5
        time.sleep(0.6)
        assert b"text/event-stream" in stream.recv(4096)
        assert not is_closed(stream)


@pytest.mark.parametrize(
    "words", [("serve", "--port", "0"), ("serve", "--port", "0", "--token", TOKEN), ("mcp", "--http", "0")]
)
def test_a_broken_request_is_told_in_a_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Whoever sends nonsense fills no log, and the next one is answered."""
    command = [sys.executable, "-m", "holdfast", *words, "--db", str(tmp_path / "plans.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(word for word in process.stdout.readline().split() if word.startswith("http"))
            port = urlsplit(address.rstrip(";")).port or 0
            wait_until(lambda: ask(port, "/")[0] > 0)
            for data in BROKEN:
                data = data.replace(b"localhost", b"localhost:%d" % port)
                if words[0] == "mcp":
                    data = data.replace(b" /enter", b" /mcp").replace(b"POST /api/plans/x/undo", b"POST /mcp")
                with begun(port, data):
                    time.sleep(0.05)
            time.sleep(0.2)
            assert ask(port, "/")[0] in (200, 401, 404)
        finally:
            process.terminate()
            said = process.communicate(timeout=PATIENCE)[1]
    assert "Traceback" not in said
    assert 0 < len(said.splitlines()) <= 2 * len(BROKEN)


def test_a_wrong_token_takes_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the header, in the form or as the code of a link; the right one, and none at all, are answered at once."""
    monkeypatch.setattr(guard, "WRONG_TOKEN_SECONDS", 0.6)

    def seconds(path: str, headers: Mapping[str, str] | None = None) -> float:
        started = time.monotonic()
        ask(port, path, headers=headers)
        return time.monotonic() - started

    with page(tmp_path, TOKEN) as port:
        assert seconds("/api/sessions", {"Authorization": "Bearer wrong"}) > 0.5
        assert seconds("/enter?code=wrong") > 0.5
        at_once = [
            seconds("/api/sessions"),
            seconds("/api/sessions", {"Authorization": f"Bearer {TOKEN}"}),
            seconds("/enter"),
        ]
        assert min(at_once) < 0.5


def test_a_stranger_is_told_no_version(tmp_path: Path) -> None:
    """Whoever has the token is."""
    with page(tmp_path, TOKEN) as port:
        status, text, headers = ask(port)
        assert (status, json.loads(text)) == (200, {"ok": True}) and headers.get("server") is None
        assert "version" in json.loads(ask(port, headers={"Authorization": f"Bearer {TOKEN}"})[1])


def test_the_least_used_session_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens sessions without end loses the first of them. One that was used stays, and so does the newest."""
    monkeypatch.setattr(mcp_http, "MOST_SESSIONS", 5)

    def opened() -> str:
        status, _, headers = ask(port, "/mcp", "POST", HELLO, OF_MCP)
        assert status == 200
        return headers["mcp-session-id"]

    def status_of(session: str) -> int:
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        return ask(
            port, "/mcp", "POST", ping, {**OF_MCP, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
        )[0]

    with mcp(tmp_path) as port:
        used = opened()
        assert [status_of(used) for _ in range(4)] == [200] * 4
        others = [opened() for _ in range(30)]
        assert status_of(used) == 200
        assert [status_of(session) for session in others] == [404] * 26 + [200] * 4
