"""`holdfast serve`: the page on an address, until somebody ends it."""

import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from ipaddress import ip_address
from secrets import token_urlsafe
from types import FrameType
from typing import NamedTuple

import uvicorn

from ..errors import UsageError
from ..server.access import Door
from ..stores import Store
from .application import application

HOST = "127.0.0.1"
PORT = 4653
"""What the letters HOLD are on the keys of a telephone."""

TOKEN_VARIABLE = "HOLDFAST_TOKEN"
SHORTEST_TOKEN = 16
MOST_CONNECTIONS = 1_000
LAST_ANSWERS = 2
"""How many seconds open answers may take when the server ends."""


class Options(NamedTuple):
    """Where to serve, and to whom. A port of 0 is any free one; none is the usual one, or a free one beside it."""

    host: str = HOST
    port: int | None = None
    token: str = ""
    allow_hosts: tuple[str, ...] = ()
    open_browser: bool = False


class Server(uvicorn.Server):
    """A server that ends its streams before it waits for its answers, and returns whatever signal ended it."""

    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams
        self.ended_by = 0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal asks for the end; a second one does not wait for anybody."""
        self.ended_by = sig
        self.stop()

    def stop(self) -> None:
        """End it, from any thread."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._end_streams()


def serve(store: Store, place: str, options: Options, say: Callable[[str], None] = print) -> int:
    """Serve the page of a store until a signal comes; the exit code. Raises UsageError if the address cannot be had."""
    door = door_of(options)
    with bound(options.host, options.port) as listening:
        address = _address(listening, options.host)
        server = made(store, place, door)
        entrance = "".join(f"/enter?code={code}" for code in door.codes) or "/"
        say(f"Plans of {place} at {address}/")
        if door.token:
            say(f"To come in, once: {address}{entrance}")
            say(f"Elsewhere, or later, enter {'your token.' if options.token else f'the token: {door.token}'}")
        say("Ctrl-C ends it.")
        sys.stdout.flush()
        if options.open_browser:
            _open_soon(address + entrance)
        server.run(sockets=[listening])
    return 128 + server.ended_by if server.ended_by == signal.SIGTERM else 0


def made(store: Store, place: str, door: Door) -> Server:
    """A server that is not running yet."""
    app = application(store, place, door)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=LAST_ANSWERS,
    )
    return Server(config, app.state.broadcast.end)


def door_of(options: Options) -> Door:
    """What visitors must bring: a token, wherever others than this machine can come. Raises UsageError for a short one.

    A token that nobody named is made up.
    """
    token = options.token
    check_token(token)
    hosts = frozenset([options.host, *options.allow_hosts])
    if _is_loopback(options.host):
        return Door(token, hosts)
    return Door(token or token_urlsafe(32), hosts | {socket.gethostname()}, any_address=True)


def check_token(token: str) -> None:
    """Raise UsageError for a token that could be guessed, or that no header can carry. An empty one is none."""
    if token and (len(token) < SHORTEST_TOKEN or not (token.isascii() and token.isprintable())):
        raise UsageError(f"the token needs at least {SHORTEST_TOKEN} ASCII characters, received {len(token)}")


def bound(host: str, port: int | None) -> socket.socket:
    """A socket that listens there. Raises UsageError if it cannot be had."""
    try:
        return _listening(host, PORT if port is None else port)
    except OSError as error:
        if port is None and _is_loopback(host):
            return _listening(host, 0)
        raise UsageError(
            f"cannot listen on {host}, port {PORT if port is None else port}: {error.strerror or error}; "
            "name another with --host and --port, or --port 0 for any"
        ) from error


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except BaseException:
        listening.close()
        raise
    return listening


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _address(listening: socket.socket, host: str) -> str:
    port = listening.getsockname()[1]
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _open_soon(address: str) -> None:
    """Open the browser beside us: it may take its time, and it must not keep the server from starting."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
