"""Torture on PostgreSQL: writers killed, many writers at once, and the server itself killed."""

import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from typing import TYPE_CHECKING

from dev import NotRun
from dev.database import database_server
from holdfast.stores import Key, open_store

from .crowds import torture_crowd
from .kills import PATIENCE, torture_writers
from .tally import TortureResult

if TYPE_CHECKING:
    from postgres_server import Server

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


def torture_postgres(seed: int, kills: int, writes: int) -> list[TortureResult]:
    """Writers killed, many at once, and the server killed, on a server of our own."""
    names = ("writers killed, PostgreSQL", "threads in processes at once, PostgreSQL", "the server killed")
    try:
        with database_server(fsync="on") as server:  # it will be killed: what it has acknowledged must be on the disk
            return [
                torture_writers(server.address(), names[0], seed, kills),
                torture_crowd(server.address(), names[1], writes),
                _torture_server(server, names[2], seed, max(kills // 4, 1)),
            ]
    except NotRun as why:
        return [TortureResult(name, not_run=str(why)) for name in names]


def _torture_server(server: "Server", what: str, seed: int, crashes: int) -> TortureResult:
    """A writer goes on while its server is killed and restarted: every acknowledged write is there, once."""
    chance, address = random.Random(seed), server.address()
    with tempfile.TemporaryFile("w+") as output:
        writer = subprocess.Popen([sys.executable, "-c", STEADY_WRITER, address], stdout=output)
        for _ in range(crashes):
            time.sleep(chance.uniform(0.3, 1.0))
            server.restart(signal.SIGKILL)
        time.sleep(1.0)
        writer.kill()
        writer.wait(PATIENCE)
        output.seek(0)
        acknowledged = [f"write {line.strip()}" for line in output.read().split("\n")[:-1]]
    with closing(open_store(address)) as store:
        saved = [record.change.after.todos[0].content for record in store.history(Key("crashed", "main"))]
    lost = [
        f"{content} was acknowledged {saved.count(content)} times over" for content in saved if saved.count(content) > 1
    ]
    lost += [f"{content} was acknowledged and is not there" for content in set(acknowledged) - set(saved)]
    return TortureResult(f"{what} {crashes} times; acknowledged writes", len(acknowledged), tuple(lost))
