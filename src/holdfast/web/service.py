"""`holdfast serve`: the page at an address, until somebody stops it."""

import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence

from ..server.address import LOOPBACK, bind, url
from ..server.http_server import HTTPServer
from ..stores import Store
from .access import PageAccess, access_for
from .application import application

PORT = 4653
"""What the letters HOLD are on the keys of a telephone."""

TOKEN_VARIABLE = "HOLDFAST_TOKEN"


def serve(
    store: Store,
    store_label: str,
    say: Callable[[str], None] = print,
    *,
    host: str = LOOPBACK,
    port: int | None = None,
    token: str = "",
    allow_hosts: Sequence[str] = (),
    open_browser: bool = False,
) -> int:
    """Serve the page of a store until a signal stops it. Returns the exit code.

    Port 0 is any free one; None is the default one, or a free one if that is in use. Raises UsageError if it cannot
    listen there, or for a weak token.
    """
    with bind(host, PORT if port is None else port, port is None) as listener:
        access = access_for(listener, token, (host, *allow_hosts))
        server = page_server(store, store_label, access)
        address = url(listener)
        entrance = "".join(f"/enter?code={code}" for code in access.codes) or "/"
        say(f"Plans of {store_label} at {address}/")
        if access.token:
            say(f"To sign in, open this link, which works once: {address}{entrance}")
            say(f"Elsewhere, or later, enter {'your token' if token else f'the token: {access.token}'}")
        say("Press Ctrl-C to stop.")
        sys.stdout.flush()
        if open_browser:
            _open_browser(address + entrance)
        server.run(sockets=[listener])
    return 128 + server.stopped_by if server.stopped_by == signal.SIGTERM else 0


def page_server(store: Store, store_label: str, access: PageAccess) -> HTTPServer:
    """A server of the page that is not running yet."""
    app = application(store, store_label, access)
    return HTTPServer(app, app.state.broadcast.end_streams)


def _open_browser(address: str) -> None:
    """Open the browser in a thread: it may take its time, and must not keep the server from starting."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
