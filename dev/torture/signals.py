"""Writes from signal handlers that interrupt writes: none waits for itself, and what was acknowledged is there."""

import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore

from .tally import TortureResult

WHAT = "writes that signal handlers interrupt with writes"
LONGEST = 300.0
BOARDS = 200
"""How many writes are made on a board before the next one begins."""

INTERRUPTED = """
import random, signal, sys, time
from holdfast import Board, Rules
from holdfast.plan.rules import NO_LIMIT

path, times, chance = sys.argv[1], int(sys.argv[2]), random.Random(sys.argv[3])
rules, each = Rules(max_items=NO_LIMIT), int(sys.argv[4])
board, kept, handled, is_over = None, [], 0, False

def handle(*_):
    global handled
    if is_over:  # it was on its way when the timer was stopped
        return
    handled += 1
    one, text, began = board, f"handler {handled}", time.monotonic()
    if one.add(text).ok:
        kept.append((one.key.session, text))
    took = time.monotonic() - began  # on a slow machine signals come seldom, or nothing else would be done
    signal.setitimer(signal.ITIMER_REAL, took * chance.expovariate(0.25) + 1e-5)

signal.signal(signal.SIGALRM, handle)
for number in range(times):
    if number % each == 0:
        board = Board(store=board.store if board else path, session=str(number // each), rules=rules)
        if number == 0:
            handle()
    one, text = board, f"main {number}"
    if one.add(text).ok:
        kept.append((one.key.session, text))
is_over = True
signal.setitimer(signal.ITIMER_REAL, 0)
for session, text in kept:
    print(session, text)
"""


def torture_signals(seed: int, times: int) -> TortureResult:
    """So many writes, in a process of its own, which must end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plans.db"
        command = [sys.executable, "-c", INTERRUPTED, str(path), str(times), str(seed), str(BOARDS)]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return TortureResult(WHAT, times, (f"seed {seed}: it waits for itself",))
        acknowledged = [line.partition(" ")[::2] for line in ran.stdout.splitlines()]
        lost = [] if ran.returncode == 0 else [f"seed {seed}: {ran.stderr[-1000:]}"]
        with closing(SQLiteStore(path)) as store:
            there = {
                session: [todo.content for todo in store.load(Key(session, "main")).todos]
                for session in {session for session, _ in acknowledged}
            }
    lost += [
        f"seed {seed}: {text} is there {n} times"
        for session, text in acknowledged
        if (n := there[session].count(text)) != 1
    ]
    if not any(text.startswith("handler") for _, text in acknowledged):
        lost.append(f"seed {seed}: no handler could write: nothing was tried")
    return TortureResult(WHAT, len(acknowledged), tuple(lost))
