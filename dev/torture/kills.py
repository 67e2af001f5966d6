"""Writers killed at random moments: what they had acknowledged is there, whole, once."""

import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from holdfast.stores import Key, Store, open_store

from .tally import TortureResult

PATIENCE = 60.0

ENDLESS_WRITER = """
import sys
from holdfast import Board

board = Board(store=sys.argv[1], session=sys.argv[2])
while True:
    steps = [{"content": f"write {board.plan.revision + 1}, step {step}", "status": "pending"} for step in range(10)]
    reply = board.write({"todos": steps})
    assert reply.ok, reply.text
    print(reply.plan.revision, flush=True)
"""


def torture_writers_on_sqlite(seed: int, kills: int) -> TortureResult:
    """Writers on an SQLite file, killed."""
    with tempfile.TemporaryDirectory() as folder:
        return torture_writers(str(Path(folder) / "plans.db"), "writers killed, SQLite", seed, kills)


def torture_writers(address: str, what: str, seed: int, kills: int) -> TortureResult:
    """Writers on one store, killed one after the other; each goes on with a board of earlier ones."""
    chance = random.Random(seed)
    acknowledged, lost = 0, []
    known = dict.fromkeys(range(5), 0)
    for kill in range(kills):
        board = chance.choice(list(known))
        output = _until_killed(address, f"killed {board}", chance.uniform(0.0, 0.5), writing=kill % 2 == 1)
        acknowledged += len(output)
        known[board] = int(output[-1]) if output else known[board]
        with closing(open_store(address)) as store:
            revision = store.load(_key(board)).revision
            lost += _broken_promises(store, board, revision, known[board])
        known[board] = revision
    if acknowledged < kills:
        lost.append("the writers were killed before they could write: nothing was tried")
    return TortureResult(f"{what}; acknowledged writes", acknowledged, tuple(lost))


def _key(board: int) -> Key:
    return Key(f"killed {board}", "main")


def _until_killed(address: str, session: str, seconds: float, writing: bool) -> list[str]:
    """What a writer had acknowledged when it was killed, so many seconds after its start or its first write."""
    command = [sys.executable, "-c", ENDLESS_WRITER, address, session]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    first = writer.stdout.readline() if writing else ""
    time.sleep(seconds)
    writer.send_signal(signal.SIGKILL)
    output = writer.stdout.read()  # not by communicate: it would pass over what readline has read ahead
    writer.communicate(timeout=PATIENCE)
    return (first + output).split("\n")[:-1]


def _broken_promises(store: Store, board: int, revision: int, acknowledged: int) -> list[str]:
    """What is missing, damaged or doubled on a board."""
    found = []
    if not acknowledged <= revision <= acknowledged + 1:
        found.append(f"board {board} is at revision {revision}, and {acknowledged} was acknowledged")
    history = [record.change.after for record in store.history(_key(board))]
    if [plan.revision for plan in history] != list(range(revision, 0, -1)):
        found.append(f"board {board}: its history has gaps or doubles")
    found += [
        f"board {board}, revision {plan.revision} is torn"
        for plan in history
        if [todo.content for todo in plan.todos] != [f"write {plan.revision}, step {step}" for step in range(10)]
    ]
    return found
