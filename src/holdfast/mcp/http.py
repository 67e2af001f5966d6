"""The server over streamable HTTP: on loopback unless there is a token, and for no page of another site."""

import hmac
import socket
from collections.abc import Sequence
from ipaddress import ip_address

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import UsageError
from ..text import describe, is_whole_number
from .server import PlanServer

PATH = "/mcp"
LOOPBACK = "127.0.0.1"
SHORTEST_TOKEN = 16
MOST_BYTES = 16 * 2**20
"""How long a request may be: longer than any that a board could answer with a fault."""

IDLE = 24 * 60 * 60.0
"""How many seconds a connection may be silent before it is forgotten, and with it which plan was its own."""

LAST_WORDS = 1
"""How many seconds open streams have to end when the server does."""


def host_and_port(address: str) -> tuple[str, int]:
    """What `PORT`, `HOST:PORT` or `[HOST]:PORT` names. Raises UsageError for anything else."""
    host, _, port = address.rpartition(":")
    if not (is_whole_number(port, 5) and int(port) < 2**16):
        raise UsageError(f"expected PORT or HOST:PORT, received {describe(address)}")
    return host.strip("[]") or LOOPBACK, int(port)


def bind(host: str = LOOPBACK, port: int = 0) -> socket.socket:
    """A socket that listens there, 0 being any port that is free. Raises UsageError if it cannot."""
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place[:2], family=family)
    except OSError as error:
        raise UsageError(f"cannot listen at {describe(f'{host}:{port}')}: {error.strerror or error}") from error


def is_loopback(listener: socket.socket) -> bool:
    """Whether only this machine can reach a socket."""
    return ip_address(listener.getsockname()[0]).is_loopback


def check_token(listener: socket.socket, token: str) -> None:
    """Raise UsageError if others could reach the plans without a token, or with one that can be guessed."""
    if not token and not is_loopback(listener):
        raise UsageError(f"{listener.getsockname()[0]} can be reached from other machines: set HOLDFAST_MCP_TOKEN")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise UsageError("the token has to be of ASCII letters, digits and signs, with no space in it")
    if token and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"the token has {len(token)} characters: take {SHORTEST_TOKEN} or more, at random")


def address(listener: socket.socket) -> str:
    """Where a client finds the server."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def serve(server: PlanServer, listener: socket.socket, token: str = "", hosts: Sequence[str] = ()) -> None:
    """Serve every client until the process is told to end."""
    config = uvicorn.Config(
        application(server, listener, token, hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=LAST_WORDS,
    )
    uvicorn.Server(config).run([listener])


def application(server: PlanServer, listener: socket.socket, token: str = "", hosts: Sequence[str] = ()) -> ASGIApp:
    """What answers requests: of the right Host and Origin, and with the token if there is one."""
    names = own_names(listener, hosts)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=IDLE,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names,
            allowed_origins=[f"{scheme}://{name}" for name in names for scheme in ("http", "https")],
        ),
    )
    return WithToken(app, token) if token else app


def own_names(listener: socket.socket, hosts: Sequence[str] = ()) -> list[str]:
    """The Host headers that mean this server."""
    host, port = listener.getsockname()[:2]
    named = dict.fromkeys([LOOPBACK, "localhost", "[::1]", f"[{host}]" if ":" in host else host, *hosts])
    return [name if _has_port(name) else f"{name}:{port}" for name in named] + ([*named] if port == 80 else [])


class WithToken:
    """Lets requests through that carry the token, and answers the others with 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan" or self._is_in(Headers(scope=scope)):
            return await self._app(scope, receive, send)
        words = "This server wants its token: Authorization: Bearer TOKEN\n"
        return await PlainTextResponse(words, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)

    def _is_in(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return hmac.compare_digest(given.strip().encode(), self._token) and scheme.lower() == "bearer"


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdecimal() and not name.endswith("]")
