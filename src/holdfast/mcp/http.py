"""The server over streamable HTTP: on loopback unless there is a token, and for no page of another site."""

import signal
import socket
from collections.abc import Sequence

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from ..errors import UsageError
from ..server.access import LOOPBACK_NAMES, Access
from ..server.access import check_token as check_strength
from ..server.address import bind, host_and_port, host_of, is_loopback, url
from ..server.guard import Guard
from ..server.http_server import HTTPServer
from .server import PlanServer
from .session_limit import SessionLimit

__all__ = ["address", "application", "bind", "check_token", "host_and_port", "is_loopback", "own_names", "serve"]

PATH = "/mcp"
MOST_BYTES = 16 * 2**20
"""How large a request may be: larger than any that a board could answer with a fault."""

IDLE = 24 * 60 * 60.0
"""How many seconds a connection may be silent before it is forgotten, and with it which plan was its own."""

MOST_SESSIONS = 500
"""How many connections are remembered. When there are more, the least used is forgotten."""

LAST_ANSWERS = 1
"""How many seconds open streams have to end when the server does: clients keep them open for ever."""


def check_token(listener: socket.socket, token: str) -> None:
    """Raise UsageError if others could reach the plans without a token, or with one that can be guessed."""
    if not token and not is_loopback(listener):
        raise UsageError(f"{listener.getsockname()[0]} can be reached from other machines: set HOLDFAST_MCP_TOKEN")
    check_strength(token)


def address(listener: socket.socket) -> str:
    """Where a client finds the server."""
    return f"{url(listener)}{PATH}"


def serve(server: PlanServer, listener: socket.socket, token: str = "", hosts: Sequence[str] = ()) -> None:
    """Serve every client until a signal comes, which then takes its usual effect on the process."""
    runner = HTTPServer(application(server, listener, token, hosts), last_answers=LAST_ANSWERS)
    runner.run(sockets=[listener])
    if runner.stopped_by:
        signal.raise_signal(runner.stopped_by)


def application(server: PlanServer, listener: socket.socket, token: str = "", hosts: Sequence[str] = ()) -> ASGIApp:
    """What answers requests: of the right Host and Origin, and with the token if there is one."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=IDLE,
        max_sessions=2 * MOST_SESSIONS,  # so many come at once before the first of them is forgotten
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard has it
    )
    access = Access(token=token, hosts=own_names(listener, hosts), most_bytes=MOST_BYTES)
    app.add_middleware(SessionLimit, most=MOST_SESSIONS)
    app.add_middleware(Guard, access=access)
    return app


def own_names(listener: socket.socket, hosts: Sequence[str] = ()) -> list[str]:
    """The Host headers that mean this server."""
    port = listener.getsockname()[1]
    names = dict.fromkeys([*LOOPBACK_NAMES, host_of(listener), *hosts])
    return [name if _has_port(name) else f"{name}:{port}" for name in names]


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdecimal() and not name.endswith("]")
