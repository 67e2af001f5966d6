"""Files beside a plan file, removed under its writers, and second names: no acknowledged write is lost unsaid."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from holdfast.errors import StoreError
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore

from .kills import PATIENCE
from .tally import TortureResult

KEY = Key("default", "main")
WRITER = """
import sys, threading, time
from holdfast import Board, Rules
from holdfast.plan.rules import NO_LIMIT

path, name, stop = sys.argv[1], sys.argv[2], threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
board, number = Board(store=path, rules=Rules(max_items=NO_LIMIT)), 0
while not stop.is_set():
    number += 1
    reply = board.add(f"{name} {number}")
    said = f"kept {name} {number}" if reply.ok else f"told {reply.text}".replace(chr(10), " ")
    print(said, flush=True)
    if not reply.ok and "may be lost" in reply.text:
        break
    time.sleep(0.001)
"""
WAYS: tuple[Sequence[str], ...] = (("-wal",), ("-shm",), ("-wal", "-shm"), ("-shm", "-wal"))


class _Writer:
    """A process that writes, and says of each write what it was answered."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._said = path.with_name(f"{name}.txt")
        with self._said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-c", WRITER, str(path), name], stdin=subprocess.PIPE, stdout=said, stderr=said
            )
        self.wait(1)

    def lines(self) -> list[str]:
        """What it has said."""
        return self._said.read_text().split("\n")[:-1]

    def wait(self, more: int) -> None:
        """Wait until it has said so many lines more, or has ended."""
        enough, deadline = len(self.lines()) + more, time.monotonic() + PATIENCE
        while len(self.lines()) < enough and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)

    def end(self, by_kill: bool) -> None:
        """Let it end, or kill it once it has made a whole call: before that it cannot have noticed anything."""
        if by_kill:
            self.wait(2)
            self.process.kill()
        self.process.communicate(timeout=PATIENCE)


def torture_side_files(seed: int, times: int) -> TortureResult:
    """So many removals, one to three of them under the same writers, which end by themselves or are killed."""
    chance, lost, kept = random.Random(f"side files {seed}"), list[str](), 0
    removals = 0
    while removals < times:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plans.db"
            where = f"seed {seed}, removal {removals}"
            acts = [chance.choice((_remove, _remove, _remove, _name_twice)) for _ in range(chance.randrange(1, 4))]
            removals += len(acts)
            acknowledged, missing = _one_round(path, acts, chance)
            kept += acknowledged
            lost += [f"{where}: {loss}" for loss in missing]
    if kept < times:
        lost.append(f"seed {seed}: only {kept} writes were acknowledged: nothing was tried")
    return TortureResult(f"removals of files beside a plan, {kept:,} acknowledged writes", removals, tuple(lost))


def _one_round(
    path: Path, acts: Sequence[Callable[[Path, random.Random], None]], chance: random.Random
) -> tuple[int, list[str]]:
    """How many writes were acknowledged, and those that are gone without a word."""
    writers = [_Writer(path, f"w{number}") for number in range(chance.randrange(1, 4))]
    for act in acts:
        time.sleep(chance.uniform(0.01, 0.15))
        act(path, chance)
    time.sleep(chance.uniform(0.0, 0.1))
    for writer in writers:
        writer.end(by_kill=chance.random() < 0.3)
    there = _contents(path)
    kept, missing = 0, []
    for writer in writers:
        lines = writer.lines()
        own = [line.partition(" ")[2] for line in lines if line.startswith("kept ")]
        kept += len(own)
        gone = [content for content in own if content not in there]
        is_told = any("may be lost" in line for line in lines)
        if gone and not is_told:
            missing.append(
                f"{len(gone)} of {len(own)} of {writer.name} are gone, among them {gone[0]}; told: {lines[-3:]}"
            )
    return kept, missing


def _remove(path: Path, chance: random.Random) -> None:
    for suffix in chance.choice(WAYS):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()


def _name_twice(path: Path, chance: random.Random) -> None:
    other = path.with_name("other")
    os.link(path, other)
    time.sleep(0.02)
    other.unlink()


def _contents(path: Path) -> set[str]:
    """What the file has in the end. A refusal is loud: it is asked once more, as people do."""
    for _ in range(3):
        with suppress(StoreError), closing(SQLiteStore(path)) as store:
            return {todo.content for todo in store.load(KEY).todos}
    return set()
