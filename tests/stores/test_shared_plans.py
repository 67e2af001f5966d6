"""Several hosts at one plan: processes in groups of their own write, watch and claim; one dies holding a lease."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import postgres_server
import pytest
from patience import PATIENCE

from holdfast import Board
from holdfast.stores import open_store
from holdfast.stores.leases import leases_of

TODOS = 12

WORKER = """
import sys, time
from holdfast import Board

address, name = sys.argv[1:]
board = Board(store=address)
while not board.plan.is_finished:
    todo = board.claim(name, seconds=30).todo
    if todo is None:
        time.sleep(0.05)
    elif board.finish(name, todo.id, evidence=name).ok:
        print(todo.id, flush=True)
"""

VICTIM = """
import sys, time
from holdfast import Board

board = Board(store=sys.argv[1])
id = board.claim("victim", seconds=600).todo.id
print(id, flush=True)
sys.stdin.readline()
assert board.claim("victim", id, seconds=1).todo
print("for a moment", flush=True)
time.sleep(600)
"""

WATCHER = """
import sys
from holdfast.stores import open_store

store = open_store(sys.argv[1])
print("ready", flush=True)
for record in store.watch(since=0, timeout=600):
    print(record.sequence, record.change.action, record.change.after.revision, flush=True)
    if record.change.after.is_finished:
        break
store.close()
"""

ADDER = """
import sys
from holdfast import Board

address, name = sys.argv[1:]
board = Board(store=address, session="log")
for number in range(8):
    assert board.add(f"{name} {number}").ok
"""

PLACES = {
    "sqlite": lambda folder: str(folder / "plans.db"),
    "postgres": lambda folder: postgres_server.shared().address(),
}


@contextmanager
def host(script: str, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """A process in a group of its own, as it would be on another machine. It is gone at the end, with its group."""
    command = [sys.executable, "-c", script, *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def lines(process: "subprocess.Popen[str]") -> list[str]:
    """What a process says until its end, which is a good one."""
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    return said.splitlines()


@pytest.mark.parametrize("place", PLACES)
def test_hosts_share_a_plan_and_outlive_one_of_them(place: str, tmp_path: Path) -> None:
    """Every todo is finished once, by its owner; the dead one's by another, when its lease has run out."""
    address = PLACES[place](tmp_path)
    with closing(open_store(address)) as store:
        board = Board(store=store)
        board.update([{"content": f"todo {number}"} for number in range(TODOS)])
        with host(WATCHER, address) as watcher, host(VICTIM, address) as victim:
            assert victim.stdout is not None and victim.stdin is not None
            lost = victim.stdout.readline().strip()
            held = leases_of(store).active_leases(board.key)
            assert {what: lease.holder for what, lease in held.items()} == {f"1/{lost}": "victim"}
            print(file=victim.stdin, flush=True)
            assert victim.stdout.readline() == "for a moment\n"
            os.killpg(victim.pid, signal.SIGKILL)
            workers = host(WORKER, address, "ann"), host(WORKER, address, "bob"), host(ADDER, address, "cyd")
            with workers[0] as ann, workers[1] as bob, workers[2] as cyd:
                done = {"ann": lines(ann), "bob": lines(bob)}
                assert lines(cyd) == []
            seen = [line.split() for line in lines(watcher)[1:]]
        plan = board.plan
        assert lost in [*done["ann"], *done["bob"]]
        assert sorted((id, name) for name, ids in done.items() for id in ids) == sorted(
            (todo.id, todo.details.owner) for todo in plan.todos
        )
        assert all(todo.evidence == todo.details.owner for todo in plan.todos)
        revisions = [record.change.after.revision for record in board.history()]
        assert revisions == list(range(plan.revision, 0, -1))
        assert [int(revision) for _, action, revision in seen if action != "add"] == revisions[::-1]
        assert [int(sequence) for sequence, _, _ in seen] == list(range(1, len(seen) + 1))
