"""A PostgreSQL server of our own: the one that the tests start. It ends with this process."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dev import ROOT, NotRun

if TYPE_CHECKING:
    from postgres_server import Server

SLOW_SYNC = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int fdatasync(int file) {
    int (*sync)(int) = (int (*)(int)) dlsym(RTLD_NEXT, "fdatasync");
    usleep(atoi(getenv("SYNC_MICROSECONDS")));
    return sync(file);
}
"""
"""A disk whose sync takes longer: what the server calls waits first."""


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
        library = _slow_sync_library(server.folder)
        server.environment = {"LD_PRELOAD": str(library), "SYNC_MICROSECONDS": str(int(sync_ms * 1000))}
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _slow_sync_library(folder: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        raise NotRun("a C compiler is not installed: apt-get install gcc")
    library = folder / "slow_sync.so"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-o", str(library), "-", "-ldl"]
    subprocess.run(command, input=SLOW_SYNC.encode(), check=True)
    os.chmod(library, 0o755)
    return library
