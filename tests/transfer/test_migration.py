"""Moving up: every plan with its history arrives in the other store, is verified, and a killed run is gone on with."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import postgres_server
import pytest
from patience import PATIENCE

from holdfast import Board
from holdfast.errors import StoreError, UsageError
from holdfast.plan import Change
from holdfast.stores import Key, Record, Store, open_store
from holdfast.stores.memory import MemoryStore
from holdfast.stores.sqlite import SQLiteStore
from holdfast.transfer.migration import checksum_of, migrate

MIGRATION = """
import sys
from holdfast.transfer.migration import migrate
from holdfast.stores import open_store

for moved in migrate(open_store(sys.argv[1]), open_store(sys.argv[2])):
    print(moved.key.session, flush=True)
    sys.stdin.readline()  # nothing when nobody holds us up
"""

TARGETS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "new.db"),
    "postgres": lambda folder: postgres_server.shared().address(),
}


@pytest.fixture
def old(tmp_path: Path) -> Iterator[SQLiteStore]:
    """A file with plans of several sessions, finished, edited and undone, under odd names."""
    with closing(SQLiteStore(tmp_path / "old.db")) as store:
        for number in range(4):
            board = Board(store=store, session=f"session {number} 夜\0\\")
            assert board.write({"todos": [{"content": "a", "status": "completed"}]}).ok
            assert board.write({"todos": [{"content": "b 字"}, {"content": "c"}], "summary": "second"}).ok
            assert board.edit("2", status="blocked").ok
            assert board.undo().ok
        Board(store=store, agent="helper").add("helping")
        store.tally(Key("default", "helper"), {"rejected": 3})
        yield store


@pytest.fixture(params=TARGETS)
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind that lasts."""
    with closing(open_store(TARGETS[request.param](tmp_path))) as store:
        yield store


def everything(store: Store) -> list[tuple[Key, list[Change], dict[str, int]]]:
    """All that a store knows, the board changed last first."""
    keys = [kept.key for kept in store.sessions()]
    return [(key, [record.change for record in store.history(key)], store.tallies(key)) for key in keys]


def test_all_of_it_arrives(old: SQLiteStore, new: Store) -> None:
    """Plans, histories, totals, and the order in which boards were changed are the same on both sides."""
    moved = list(migrate(old, new))
    assert everything(new) == everything(old)
    assert sum(one.new for one in moved) == sum(one.changes for one in moved) == 17
    assert len(checksum_of(moved)) == 64


def test_a_second_run_brings_only_what_is_new(old: SQLiteStore, new: Store) -> None:
    """What was written meanwhile follows; nothing is doubled, neither changes nor totals."""
    first = list(migrate(old, new))
    Board(store=old, agent="helper").add("later")
    second = list(migrate(old, new))
    assert sum(one.new for one in second) == 1
    assert everything(new) == everything(old)
    assert checksum_of(second) != checksum_of(first)
    assert checksum_of(list(migrate(old, new))) == checksum_of(second)


def test_a_history_that_was_pruned_arrives_as_far_as_it_goes(old: SQLiteStore, new: Store) -> None:
    """What is left of it is led up to by one change of the host's, and revisions stay what they were."""
    old.prune(keep=2)
    key = Key("session 1 夜\0\\", "main")
    list(migrate(old, new))
    there = [record.change for record in new.history(key)]
    assert there[:2] == [record.change for record in old.history(key)]
    assert (there[2].action, there[2].by) == ("import", "host")
    assert new.load(key) == old.load(key)
    assert sum(one.new for one in migrate(old, new)) == 0


def test_a_board_with_another_history_is_refused(old: SQLiteStore, new: Store) -> None:
    """Nothing is mixed: what agents wrote in the new store stays as it is."""
    other = Board(store=new, agent="helper")
    other.add("something else")
    with pytest.raises(UsageError, match=r"agent 'helper' is already there, with another history"):
        list(migrate(old, new))
    assert [todo.content for todo in other.plan.todos] == ["something else"]


def test_agents_may_go_on_in_the_new_store(old: SQLiteStore, new: Store) -> None:
    """A run that comes after they have gone on finds all that was moved, and lets them be."""
    list(migrate(old, new))
    Board(store=new, agent="helper").add("in the new place")
    assert sum(one.new for one in migrate(old, new)) == 0
    assert len(new.load(Key("default", "helper")).todos) == 2


def test_what_arrives_changed_is_noticed(old: SQLiteStore) -> None:
    """A store that keeps something else than it was given does not pass."""

    class Forgetful(MemoryStore):
        def commit(self, key: Key, change: Change) -> None:
            super().commit(key, change._replace(by="host"))

    with pytest.raises(StoreError, match="did not arrive as it was sent"):
        list(migrate(old, Forgetful()))


def test_what_is_read_back_is_compared_once_more(old: SQLiteStore) -> None:
    """What looked right when it was put there and is another when it is read again does not pass."""

    class Fading(MemoryStore):
        looks = 0

        def history(self, key: Key) -> Iterator[Record]:
            self.looks += 1
            records = super().history(key)
            return records if self.looks < 3 else (_faded(record) for record in records)

    def _faded(record: Record) -> Record:
        return record._replace(change=record.change._replace(by="host"))

    with pytest.raises(StoreError, match="did not arrive as it was sent: run the migration again"):
        list(migrate(old, Fading()))


@pytest.mark.parametrize("target", TARGETS)
def test_a_migration_that_is_killed_is_gone_on_with(target: str, tmp_path: Path) -> None:
    """Killed at any point, again and again: the next run goes on, and in the end all of it is there once."""
    source, address = str(tmp_path / "old.db"), TARGETS[target](tmp_path)
    with closing(SQLiteStore(source)) as old:
        for session in range(6):
            board = Board(store=old, session=str(session))
            for number in range(25):
                board.write({"todos": [{"content": f"step {number}"}]})
        kill_after_first_board(source, address, holds_it_up=True)
        for pause in (0.0, 0.01, 0.03):
            kill_after_first_board(source, address, pause)
        with closing(open_store(address)) as new:
            list(migrate(old, new))
            assert everything(new) == everything(old)


def kill_after_first_board(source: str, target: str, pause: float = 0.0, holds_it_up: bool = False) -> None:
    """Run a migration, and kill it a moment after its first board, whatever it is at; or surely before its second."""
    command = [sys.executable, "-c", MIGRATION, source, target]
    stdin = subprocess.PIPE if holds_it_up else subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    time.sleep(pause)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL or not holds_it_up
