"""What strangers do to a server: half-sent and broken requests, wrong tokens, sessions without end.

The tests do each of it once; `make torture` does it by the thousand.
"""

import http.client
import json
import socket
from collections.abc import Mapping

from patience import PATIENCE

TOKEN = "correct-horse-battery-staple"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
SERVE_WITH_FEW_FILES = """
import resource, sys
from holdfast.cli.main import main
resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))
sys.exit(main())
"""
OF_MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
BROKEN = (
    b"GARBAGE\r\n\r\n",
    b"GET /" + b"a" * 200_000,
    b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ntoken=",
    b"POST /api/plans/x/undo HTTP/1.1\r\nHost: localhost\r\nX-Holdfast: 1\r\nContent-Length: 100\r\n\r\n{",
    b"POST /enter HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET /enter?code=%ff HTTP/1.1\r\nHost: localhost\r\nCookie: a=\xff\r\nAuthorization: Bearer \xff\r\n\r\n",
)


def ask(
    port: int,
    path: str = "/healthz",
    method: str = "GET",
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, str, http.client.HTTPMessage]:
    """A request, and the status, text and headers of its answer."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    client.request(method, path, None if body is None else json.dumps(body), dict(headers or {}))
    answer = client.getresponse()
    text = answer.read().decode() if answer.headers.get_content_type() != "text/event-stream" else ""
    client.close()
    return answer.status, text, answer.headers


def begun(port: int, data: bytes) -> socket.socket:
    """A connection on which a request has begun."""
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    client.sendall(data)
    return client


def is_closed(client: socket.socket) -> bool:
    """Whether the server has ended a connection."""
    client.settimeout(0.05)
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True
