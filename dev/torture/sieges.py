"""Servers under siege: whoever sends half a request, nonsense, wrong tokens or endless sessions keeps nobody out."""

import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from siege import BROKEN, HELLO, OF_MCP, SERVE_WITH_FEW_FILES, TOKEN, ask, begun

from .kills import PATIENCE
from .tally import TortureResult

SERVERS: Mapping[str, Sequence[str]] = {
    "the page": ("serve", "--port", "0"),
    "the page with a token": ("serve", "--port", "0", "--token", TOKEN),
    "MCP": ("mcp", "--http", "0"),
}
ROUND = 100
"""How many hostile requests come before an honest one is made."""

MOST_OPEN = 600
"""How many connections the besiegers hold. The server may open 500 files."""

LONGEST = 10.0
"""How many seconds an honest request may take."""

MOST_MEMORY = 300 * 1024
HALVES = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHo",
    b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\nx",
)
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


class _Server(NamedTuple):
    kind: str
    port: int
    process: "subprocess.Popen[str]"


def torture_servers(seed: int, times: int) -> TortureResult:
    """So many hostile requests at each of three servers, and honest ones in between, which are answered."""
    lost, tried = list[str](), 0
    for kind in SERVERS:
        chance = random.Random(f"{kind} {seed}")
        with tempfile.TemporaryDirectory() as folder, _served(kind, Path(folder), lost) as server:
            honest = _session(server) if kind == "MCP" else ""
            besiegers: deque[socket.socket] = deque()
            for start in range(0, times // len(SERVERS) + 1, ROUND):
                guesses = [_attack(server, chance, besiegers) for _ in range(ROUND)]
                tried += ROUND
                where = f"seed {seed}, {kind}, after {start + ROUND} requests"
                lost += [f"{where}: {loss}" for loss in _broken_promises(server, honest, guesses)]
                while len(besiegers) > MOST_OPEN:
                    besiegers.popleft().close()
            for besieger in besiegers:
                besieger.close()
    return TortureResult("hostile requests to servers", tried, tuple(lost))


@contextmanager
def _served(kind: str, folder: Path, lost: list[str]) -> Iterator[_Server]:
    """A server in a process that may open few files. In the end, its log is short and has no traceback."""
    command = [sys.executable, "-c", SERVE_WITH_FEW_FILES, *SERVERS[kind], "--db", str(folder / "plans.db")]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
    assert process.stdout is not None
    address = next(word for word in process.stdout.readline().split() if word.startswith("http"))
    server = _Server(kind, urlsplit(address.rstrip(";")).port or 0, process)
    try:
        _wait_until_it_answers(server)
        yield server
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
        said = (folder / "log").read_text()
        if "Traceback" in said or "system resource" in said:
            lost.append(f"{kind} said {said[-1000:]}")


def _wait_until_it_answers(server: _Server) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(OSError):
            ask(server.port)
            return
        time.sleep(0.05)


def _attack(server: _Server, chance: random.Random, besiegers: deque[socket.socket]) -> socket.socket | None:
    """One hostile request. A connection on which a token was guessed is returned."""
    kind = chance.choice(("half", "half", "broken", "guess", "foreign", "session"))
    host = b"localhost:%d" % server.port
    if kind == "session" and server.kind == "MCP":
        body = json.dumps(HELLO).encode()
        head = b"POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n" % (host, len(body))
        data = head + "".join(f"{name}: {value}\r\n" for name, value in OF_MCP.items()).encode() + b"\r\n" + body
    elif kind == "guess":
        token = "".join(chance.choices("abcdef", k=20)).encode()
        data = b"GET /api/sessions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n" % (host, token)
    elif kind == "foreign":
        data = b"GET /api/sessions HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n"
    elif kind == "broken":
        spoiled = bytearray(chance.choice(BROKEN).replace(b"localhost", host))
        for _ in range(chance.randrange(4)):
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
        data = bytes(spoiled)
    else:
        data = chance.choice(HALVES)
    client = begun(server.port, data)
    besiegers.append(client)
    return client if kind in ("guess", "foreign") and server.kind != "MCP" else None


def _broken_promises(server: _Server, session: str, guesses: Sequence[socket.socket | None]) -> list[str]:
    """What the siege has done: an honest request that was not answered in time, a guess that was let in, memory."""
    found, began = [], time.monotonic()
    try:
        status = _honest(server, session)
        if status != 200:
            found.append(f"an honest request was answered with {status}")
    except OSError as error:
        found.append(f"an honest request was not answered: {error!r}")
    if (took := time.monotonic() - began) > LONGEST:
        found.append(f"an honest request took {took:.1f} s")
    if server.kind == "the page with a token":
        found += ["a stranger was told a version"] * ("version" in ask(server.port)[1])
        for guess in filter(None, guesses):
            with suppress(OSError):  # it had to make room for others
                guess.settimeout(LONGEST)
                answer = guess.recv(4096)
                if answer and not answer.startswith((b"HTTP/1.1 4",)):
                    found.append(f"a guess was answered with {answer[:100]!r}")
                guess.close()
    memory = int(Path(f"/proc/{server.process.pid}/status").read_text().partition("VmRSS:")[2].split()[0])
    return found + ([f"{memory} KB of memory"] if memory > MOST_MEMORY else [])


def _honest(server: _Server, session: str) -> int:
    if server.kind == "MCP":
        about = {**OF_MCP, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
        return ask(server.port, "/mcp", "POST", PING, about)[0]
    shown = {"Authorization": f"Bearer {TOKEN}"} if server.kind.endswith("token") else {}
    return ask(server.port, "/api/sessions", headers=shown)[0]


def _session(server: _Server) -> str:
    return ask(server.port, "/mcp", "POST", HELLO, OF_MCP)[2]["mcp-session-id"]
