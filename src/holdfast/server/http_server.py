"""Running an application on a socket until it is told to stop."""

import os
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from .address import BACKLOG
from .connection import TimedConnection

MOST_CONNECTIONS = 1_000
OTHER_FILES = 50
"""How many files a server may have open beside its connections."""

LAST_ANSWERS = 2
"""How many seconds open answers may take when the server stops."""


class HTTPServer(uvicorn.Server):
    """A server that is not running yet: `run(sockets=[…])` runs it until a signal or `stop`.

    `end_streams` ends the answers that would go on for ever. `stopped_by` is the signal that stopped it, else 0.
    """

    def __init__(
        self, app: ASGIApp, end_streams: Callable[[], None] = lambda: None, last_answers: int = LAST_ANSWERS
    ) -> None:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            proxy_headers=False,
            server_header=False,
            ws="none",
            http=TimedConnection,
            backlog=BACKLOG,
            limit_concurrency=most_connections(),
            timeout_graceful_shutdown=last_answers,
        )
        super().__init__(config)
        self.stopped_by = 0
        self._end_streams = end_streams

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal stops it; a second one stops it at once."""
        self.stopped_by = sig
        self.stop()

    def stop(self) -> None:
        """Stop it, from any thread."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._end_streams()


def most_connections() -> int:
    """How many connections there may be. Some more come in before the first of them has ended."""
    if os.name == "nt":
        return MOST_CONNECTIONS
    from resource import RLIMIT_NOFILE, getrlimit

    files = getrlimit(RLIMIT_NOFILE)[0]
    return max(min(MOST_CONNECTIONS, files - 3 * BACKLOG - OTHER_FILES), 1)
