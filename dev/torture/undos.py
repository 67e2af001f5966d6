"""People who undo, redo and clear while agents write: every change is decided on the plan that it changes.

A history is played again on two stacks, which share nothing with the engine: what an undo brings back must be what was
there before the newest change that stood, whoever made it.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from dev import NotRun
from dev.database import database_server
from holdfast.plan import Change, Plan
from holdfast.stores import Key, Store, open_store

from .kills import PATIENCE
from .tally import TortureResult

PROCESSES, EACH = 3, 60
KEY = Key("default", "main")
ACTOR = """
import random, sys
from holdfast import Board, Rules
from holdfast.plan.rules import NO_LIMIT

address, name, steps, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
chance = random.Random(f"{seed} {name}")
board = Board(store=address, rules=Rules(max_items=NO_LIMIT))
for number in range(steps):
    text = f"{name} {number}"
    act = chance.choice(("add", "add", "write", "update", "undo", "undo", "redo", "clear", "restore"))
    if act == "add":
        reply = board.add(text)
    elif act == "write":
        reply = board.write({"todos": [{"content": text, "status": chance.choice(("pending", "completed"))}]})
    elif act == "update":
        reply = board.write({"todos": [{"id": str(chance.randrange(1, 4)), "status": "completed"}, {"content": text}]})
    elif act == "restore":
        reply = board.restore(max(board.plan.revision - chance.randrange(3), 0))
    else:
        reply = getattr(board, act)()
    if reply.ok and reply.change is not None and reply.change.after.revision > reply.change.before.revision:
        print(reply.change.after.revision, act, flush=True)
"""
BESIDE = ("told", "rename", "archive", "review", "approve")
"""What changes no todo."""

State = tuple[tuple[str, str], ...]


def torture_undos_on_sqlite(seed: int, times: int) -> TortureResult:
    """On one SQLite file after the other."""
    with tempfile.TemporaryDirectory() as folder:
        return torture_undos(lambda number: str(Path(folder) / f"{number}.db"), "SQLite", seed, times)


def torture_undos_on_postgres(seed: int, times: int) -> TortureResult:
    """In one namespace after the other, on a server of our own."""
    try:
        with database_server() as server:
            return torture_undos(lambda number: server.address(f"undos {number}"), "PostgreSQL", seed, times)
    except NotRun as why:
        return TortureResult("undo, redo and clear against writes, PostgreSQL", not_run=str(why))


def torture_undos(address_of: Callable[[int], str], where: str, seed: int, times: int) -> TortureResult:
    """So many steps, by several processes at once, on one board after the other."""
    lost, steps = list[str](), 0
    for number in range(max(times // (PROCESSES * EACH), 1)):
        address = address_of(number)
        command = [sys.executable, "-c", ACTOR, address]
        crowd = [
            subprocess.Popen(
                [*command, f"p{process}", str(EACH), f"{seed} {number}"], stdout=subprocess.PIPE, text=True
            )
            for process in range(PROCESSES)
        ]
        said = [line.split() for process in crowd for line in process.communicate(timeout=PATIENCE)[0].splitlines()]
        acknowledged = [(int(revision), act) for revision, act in said]
        steps += len(acknowledged)
        found = [f"process {at} failed" for at, process in enumerate(crowd) if process.returncode]
        with closing(open_store(address)) as store:
            found += _broken_promises(store, acknowledged)
        lost += [f"seed {seed}, board {number}: {loss}" for loss in found]
    return TortureResult(f"undo, redo and clear against writes, {where}", steps, tuple(lost))


def _broken_promises(store: Store, acknowledged: Sequence[tuple[int, str]]) -> list[str]:
    """What is missing from a history, and what was not decided on the plan that it changed."""
    history = list(store.history(KEY))[::-1]
    actions = {record.change.after.revision: record.change.action for record in history}
    found = []
    if list(actions) != list(range(1, len(history) + 1)) or len(actions) != len(history):
        found.append("the history has gaps or doubles")
    if len({revision for revision, _ in acknowledged}) < len(acknowledged):
        found.append("a revision was acknowledged twice")
    found += [f"{act}, acknowledged as revision {at}, is gone" for at, act in acknowledged if at not in actions]
    if numbers := [record.change.after.number for record in history]:
        found += ["a number of a plan came back"] if numbers != sorted(numbers) else []
    return found + list(not_newest(record.change for record in history))


def not_newest(changes: Iterable[Change]) -> Iterator[str]:
    """The undos and redos that took back another change than the newest that stood."""
    done: list[State] = []
    undone: list[State] = []
    state: State = ()
    for change in changes:
        before, after = state, _state(change.after)
        if change.action in BESIDE:
            continue
        if change.action == "undo":
            expected = done.pop() if done else None
            undone.append(before)
        elif change.action == "redo":
            expected = undone.pop() if undone else None
            done.append(before)
        else:
            expected = after
            done.append(before)
            undone.clear()
        if expected != after:
            yield f"{change.action} at revision {change.after.revision} made {after} of {before}, not {expected}"
        state = after


def _state(plan: Plan) -> State:
    return tuple((todo.content, str(todo.status)) for todo in plan.todos)
