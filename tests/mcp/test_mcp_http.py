"""HTTP: who may come in, how the server is told to end, and what it is told to listen at."""

import http.client
import json
import signal
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from mcp.client.subscriptions import SubscriptionLost
from mcp_driving import (
    ERAS,
    MODERN,
    bounded,
    contents,
    http_process,
    http_thread,
    on_stdio,
    over_http,
    session_of,
)
from patience import PATIENCE

from holdfast.cli.main import run
from holdfast.mcp.http import own_names
from holdfast.server.address import bind

TOKEN = "correct-horse-battery-staple"
TODOS = {"todos": [{"content": "A"}]}
every_era = pytest.mark.parametrize("mode", ERAS)

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


def status(url: str, mode: str = "legacy", **headers: str) -> int:
    """What a request is answered with."""
    address = urlsplit(url)
    own = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if mode == MODERN:
        own |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=PATIENCE)
    body = json.dumps(LIST if mode == MODERN else HELLO)
    connection.request("POST", "/mcp", body, {**own, **headers})
    answer = connection.getresponse().status
    connection.close()
    return answer


@every_era
def test_a_foreign_host_or_origin_is_refused(tmp_path: Path, mode: str) -> None:
    """A page of another site cannot reach the plans, neither by its own name nor by one that it points here."""
    with http_thread(tmp_path) as url:
        port = urlsplit(url).port
        assert status(url, mode) == 200
        assert status(url, mode, Host=f"localhost:{port}", Origin=f"http://localhost:{port}") == 200
        assert status(url, mode, Host=f"evil.example:{port}") == 421
        assert status(url, mode, Host="127.0.0.1:1") == 421
        assert status(url, mode, Origin="https://evil.example") == 403
        assert status(url, mode, Origin=f"http://127.0.0.1:{port}.evil.example") == 403
        assert status(url, mode, Origin="null") == 403


@every_era
@bounded
async def test_a_token_is_asked_for(tmp_path: Path, mode: str) -> None:
    """Without the token, or with another one, nothing is answered but that; with it, everything."""
    with http_thread(tmp_path, token=TOKEN) as url:
        assert status(url, mode) == 401
        assert status(url, mode, Authorization=f"Bearer {TOKEN}x") == 401
        assert status(url, mode, Authorization=TOKEN) == 401
        assert status(url, mode, Authorization="Bearer caf\u00e9") == 401
        assert status(url, mode, Authorization=f"Basic {TOKEN}") == 401
        assert status(url, mode, Authorization=f"bearer {TOKEN}") == 200
        async with over_http(url, mode, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            session = session_of(await client.call_tool("TodoWrite", TODOS))
    assert contents(tmp_path, session) == ["A"]


@bounded
async def test_beyond_loopback_the_token_opens_and_is_never_printed(tmp_path: Path) -> None:
    """A server for other machines wants the token from everybody, and does not give it away."""
    environ = {"HOLDFAST_MCP_TOKEN": TOKEN}
    with http_process(tmp_path, "--allow-host", "plans.example", address="0.0.0.0:0", environ=environ) as served:
        url = f"http://127.0.0.1:{urlsplit(served.url).port}/mcp"
        assert status(url) == 401
        assert status(url, Authorization=f"Bearer {TOKEN}") == 200
        named = f"plans.example:{urlsplit(url).port}"
        assert status(url, Authorization=f"Bearer {TOKEN}", Host=named, Origin=f"https://{named}") == 200
        assert status(url, Authorization=f"Bearer {TOKEN}", Host="evil.example") == 421
        served.process.terminate()
        printed = served.url + "".join(served.process.communicate(timeout=PATIENCE))
    assert TOKEN not in printed


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--http", "0.0.0.0:0"), 2, "0.0.0.0 can be reached from other machines: set HOLDFAST_MCP_TOKEN"),
        (("--http", "[::]:0"), 2, ":: can be reached from other machines: set HOLDFAST_MCP_TOKEN"),
        (("--http", "0", "--token", "short"), 2, "the token needs at least 16 printable ASCII characters"),
        (
            ("--http", "0", "--token", "sixteen letters wi "),
            2,
            "the token needs at least 16 printable ASCII characters",
        ),
        (("--http", "9" * 5000), 2, "expected PORT or HOST:PORT, received '9999"),
        (("--token", TOKEN), 2, "--token and --allow-host are for --http"),
        (("--http", "eighty"), 2, "expected PORT or HOST:PORT, received 'eighty'"),
        (("--http", "65536"), 2, "expected PORT or HOST:PORT, received '65536'"),
        (("--http", "no.such.host.invalid:0"), 1, "cannot listen at 'no.such.host.invalid:0'"),
    ],
)
def test_what_it_cannot_listen_at_is_told(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], code: int, words: str
) -> None:
    """One line says why, and no server is there: 2 where the command line is wrong, 1 where the machine says no."""
    assert run(["mcp", *options]) == code
    out, errors = capsys.readouterr()
    assert out == "" and errors.startswith(f"holdfast: {words}") and errors.count("\n") == 1


def test_a_port_that_is_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second server at the same port says so."""
    with http_thread(tmp_path) as url:
        assert run(["mcp", "--http", str(urlsplit(url).port)]) == 1
    assert "in use" in capsys.readouterr().err


def test_its_own_names_are_those_of_loopback_and_those_given() -> None:
    """A Host header means this server if it names it with its port; on port 80, browsers leave that out."""
    with bind() as listener:
        port = listener.getsockname()[1]
        names = own_names(listener, ["plans.example", "proxy.example:443"])
    assert names == [
        f"127.0.0.1:{port}",
        f"localhost:{port}",
        f"[::1]:{port}",
        f"plans.example:{port}",
        "proxy.example:443",
    ]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
@bounded
async def test_it_ends_in_good_order_while_clients_listen(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Told to end, it does not wait for streams that would stay open for ever."""
    with http_process(tmp_path) as served:
        async with over_http(f"{served.url}?session=s", MODERN) as client:
            await client.call_tool("TodoWrite", TODOS)
            with suppress(SubscriptionLost):
                async with client.listen(resource_subscriptions=["holdfast://plan"]) as changes:
                    served.process.send_signal(number)
                    assert await anyio.to_thread.run_sync(served.process.wait, PATIENCE) == code
                    async for _ in changes:
                        pass
    assert contents(tmp_path, "s") == ["A"]


@bounded
async def test_processes_and_sockets_share_a_store(tmp_path: Path) -> None:
    """A client on standard input and output and one over HTTP work on the same plan."""
    with http_process(tmp_path, "--session", "s") as served:
        async with on_stdio(tmp_path, "--session", "s") as one, over_http(served.url) as other:
            await one.call_tool("TodoWrite", TODOS)
            await other.call_tool("TodoWrite", {"todos": [{"id": "1", "status": "completed"}, {"content": "B"}]})
            shown = await one.call_tool("TodoRead", {})
    assert [todo["status"] for todo in shown.structured_content["todos"]] == ["completed", "in_progress"]
