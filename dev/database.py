"""A PostgreSQL server of our own: the one that the tests start. It ends with this process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dev import ROOT, NotRun
from dev.slow_sync import slow_sync_environment

if TYPE_CHECKING:
    from postgres_server import Server


@contextmanager
def database_server(sync_ms: float = 0.0, **settings: str) -> Iterator["Server"]:
    """A server with these settings, each of whose syncs takes so many milliseconds more.

    Raises NotRun if PostgreSQL, its driver, or a C compiler for slow syncs is not installed.
    """
    if find_spec("psycopg") is None:
        raise NotRun("psycopg is not installed")
    if (tests := str(ROOT / "tests")) not in sys.path:
        sys.path.append(tests)
    from postgres_server import Server, programs

    if programs() is None:
        raise NotRun("PostgreSQL's server is not installed: apt-get install postgresql")
    server = Server(None, **settings)
    if sync_ms:
        server.environment = slow_sync_environment(server.folder, sync_ms)
    try:
        server.start()
        yield server
    finally:
        server.remove()
