"""Many threads and processes on one store: every acknowledged write is one revision, applied once."""

import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from holdfast.stores import open_store

from .tally import TortureResult

PROCESSES, THREADS = 4, 4
PATIENCE = 300.0

WRITERS = """
import sys, threading
from holdfast import Board, Rules
from holdfast.plan.rules import NO_LIMIT

address, name, threads, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rules = Rules(max_items=NO_LIMIT)
shared = Board(store=address, session="shared", rules=rules)
saying = threading.Lock()


def write(thread):
    own = Board(store=shared.store, session=f"{name} {thread}", rules=rules)
    for number in range(each):
        for board in (shared, own):
            content = f"{name} {thread} {number}"
            if board.add(content).ok:
                with saying:
                    print(board.key.session, content, sep="\\t", flush=True)


crowd = [threading.Thread(target=write, args=[thread]) for thread in range(threads)]
for thread in crowd:
    thread.start()
for thread in crowd:
    thread.join()
"""


def torture_crowd_on_sqlite(seed: int, writes: int) -> TortureResult:
    """Threads in processes on one SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        return torture_crowd(str(Path(folder) / "plans.db"), "threads in processes at once, SQLite", writes)


def torture_crowd(address: str, what: str, writes: int) -> TortureResult:
    """Threads in processes on one store, on a shared plan and on one plan per thread."""
    each = max(writes // (PROCESSES * THREADS * 2), 1)
    command = [sys.executable, "-c", WRITERS, address]
    crowd = [
        subprocess.Popen([*command, f"process {number}", str(THREADS), str(each)], stdout=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]
    lines = [line for process in crowd for line in process.communicate(timeout=PATIENCE)[0].splitlines()]
    acknowledged = [tuple(line.split("\t")) for line in lines]
    lost = [f"process {number} failed" for number, process in enumerate(crowd) if process.returncode]
    with closing(open_store(address)) as store:
        for key, plan in store.sessions():
            mine = sorted(content for session, content in acknowledged if session == key.session)
            if sorted(todo.content for todo in plan.todos) != mine or plan.revision != len(mine):
                lost.append(
                    f"{key.session}: {len(mine)} acknowledged, {len(plan.todos)} todos, {plan.revision} revisions"
                )
    return TortureResult(what, len(acknowledged), tuple(lost))
