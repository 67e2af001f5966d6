"""The same on PostgreSQL: writers killed, many at once, and the server itself killed under them."""

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.stores import Key, open_store

from .crowds import crowded
from .kills import PATIENCE, killed
from .tally import Tried

if TYPE_CHECKING:
    from postgres_server import Server

sys.path.append(str(Path(__file__).parents[2] / "tests"))  # the server that the tests start

STEADY_WRITER = """
import sys
from holdfast import Board

board = Board(store=sys.argv[1], session="crashed")
number = 0
while True:
    number += 1
    if board.write({"todos": [{"content": f"write {number}"}]}).ok:
        print(number, flush=True)
"""


def on_postgres(seed: int, kills: int, writes: int) -> list[Tried]:
    """Writers killed, many at once, and the server killed, on a server of our own."""
    names = ("writers killed, PostgreSQL", "threads in processes at once, PostgreSQL", "the server killed")
    if find_spec("psycopg") is None:
        return [Tried(name, not_run="psycopg is not installed") for name in names]
    from postgres_server import programs

    if programs() is None:
        return [Tried(name, not_run="PostgreSQL is not installed") for name in names]
    with _server() as server:
        return [
            killed(server.address(), names[0], seed, kills),
            crowded(server.address(), names[1], writes),
            _crashed(server, names[2], seed, kills // 4),
        ]


@contextmanager
def _server() -> Iterator["Server"]:
    from postgres_server import Server

    server = Server(fsync="on")  # it will be killed: what it has acknowledged must be on the disk
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _crashed(server: "Server", what: str, seed: int, crashes: int) -> Tried:
    """A writer goes on while its server is killed and started again: what it was told is kept is there, once."""
    chance, address = random.Random(seed), server.address()
    with tempfile.TemporaryFile("w+") as said:
        writer = subprocess.Popen([sys.executable, "-c", STEADY_WRITER, address], stdout=said)
        for _ in range(crashes):
            time.sleep(chance.uniform(0.3, 1.0))
            server.restart(signal.SIGKILL)
        time.sleep(1.0)
        writer.kill()
        writer.wait(PATIENCE)
        said.seek(0)
        acknowledged = [f"write {line.strip()}" for line in said.read().split("\n")[:-1]]
    with closing(open_store(address)) as store:
        kept = [record.change.after.todos[0].content for record in store.history(Key("crashed", "main"))]
    lost = [
        f"{content} was acknowledged {kept.count(content)} times over" for content in kept if kept.count(content) > 1
    ]
    lost += [f"{content} was acknowledged and is not there" for content in set(acknowledged) - set(kept)]
    return Tried(f"{what} {crashes} times; acknowledged writes", len(acknowledged), tuple(lost))
