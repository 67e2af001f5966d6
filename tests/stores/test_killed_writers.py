"""Writers that are killed amid their writes: watchers still hear of every change once, in order, with no gap."""

import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import postgres_server
import pytest
from patience import PATIENCE, wait_until

from holdfast.stores import Key, Record, Store, open_store

WRITERS = 6
LIVES = 2
"""How often each writer is started, and killed."""

ENDLESS = r"""
import os, sys, threading
from holdfast import Board
from holdfast.stores import open_store

store = open_store(sys.argv[1])


def write(session):
    board = Board(store=store, session=session)
    while True:
        board.write({"todos": [{"content": f"write {board.plan.revision + 1}"}]})
        os.write(1, b"written\n")


for thread in range(2):
    threading.Thread(target=write, args=[f"{sys.argv[2]} {thread}"]).start()
"""

ADDRESSES: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "plans.db"),
    "postgres": lambda folder: postgres_server.shared().address(application_name="killed writers"),
}


@pytest.fixture(params=ADDRESSES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new store of each kind that processes can share."""
    return ADDRESSES[request.param](tmp_path)


class PatientWatcher:
    """Watches a store in a thread; with `pauses` it leaves again and again, and goes on after the last that it saw."""

    def __init__(self, store: Store, pauses: bool) -> None:
        self._store = store
        self._pauses = pauses
        self.heard: list[Record] = []
        self.is_over = False
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def join(self) -> None:
        """Wait until it has heard everything."""
        self.is_over = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _watch(self) -> None:
        is_last = False
        while not is_last:
            is_last = self.is_over
            since = self.heard[-1].sequence if self.heard else 0
            for record in self._store.watch(since, timeout=0.3):
                self.heard.append(record)
                if self._pauses and not is_last and len(self.heard) % 7 == 0:
                    break


def kill_writers(address: str, chance: random.Random) -> None:
    """Start writers, and kill each at a random moment: its process or, in PostgreSQL, its connections."""
    command = [sys.executable, "-c", ENDLESS, address]
    for _ in range(LIVES):
        crowd = [subprocess.Popen([*command, str(name)], stdout=subprocess.PIPE) for name in range(WRITERS)]
        try:
            for writer in crowd:
                assert writer.stdout is not None
                assert writer.stdout.readline() == b"written\n"
            if address.startswith("postgresql"):
                cut_some_connections()
        finally:
            for writer in crowd:
                time.sleep(chance.uniform(0.0, 0.1))
                writer.kill()
            for writer in crowd:
                writer.communicate(timeout=PATIENCE)


def cut_some_connections() -> None:
    """End connections of writers at once, some of them between a number and its commit."""
    for _ in range(5):
        postgres_server.shared().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'killed writers' AND query LIKE '%keep_change%' AND random() < 0.5"
        )
        time.sleep(0.05)


def wait_for_the_last_commits() -> None:
    """Wait until the server has finished what the killed writers had sent."""
    asked = (
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'killed writers' AND state = 'active' "
        "AND query LIKE '%keep_change%'"
    )
    wait_until(lambda: not postgres_server.shared().execute(asked))


@pytest.fixture
def watched(address: str) -> Iterator[Store]:
    """The store as a watcher opens it."""
    with closing(open_store(address)) as store:
        yield store


def test_watchers_hear_every_change_once_and_in_order_while_writers_are_killed(address: str, watched: Store) -> None:
    """Sequences only grow, every board's changes are its history, and nothing is missing or told twice."""
    watchers = [PatientWatcher(watched, pauses) for pauses in (False, True)]
    kill_writers(address, random.Random(7))
    if address.startswith("postgresql"):
        wait_for_the_last_commits()
    for watcher in watchers:
        watcher.join()
    boards = {kept.key: list(watched.history(kept.key))[::-1] for kept in watched.sessions()}
    assert len(boards) == 2 * WRITERS
    for watcher in watchers:
        assert all(one.sequence < other.sequence for one, other in pairwise(watcher.heard))
        heard: dict[Key, list[Record]] = defaultdict(list)
        for record in watcher.heard:
            heard[record.key].append(record)
        assert heard == boards
