"""A plan file is opened as one that anybody may have made, and a plan that was changed past Holdfast is noticed."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from planted import ENDLESS, FORGERIES, LAYOUTS, alter, run

from holdfast import Board
from holdfast.errors import DamagedRecord, StoreError, UntrustedFile
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore, connection
from holdfast.stores.sqlite.migrations import MIGRATIONS, schema_at

KEY = Key("default", "main")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one plan, which nobody has open."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        board = Board(store=store)
        assert board.write({"todos": [{"content": "mine"}, {"content": "second"}]}).ok
        assert board.write({"todos": [{"content": "mine", "status": "completed"}, {"content": "second"}]}).ok
    return tmp_path / "plans.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """A store on that file."""
    with closing(SQLiteStore(path)) as store:
        yield store


@pytest.mark.parametrize(("statements", "what"), LAYOUTS)
def test_a_layout_that_is_not_ours_is_not_used(path: Path, statements: tuple[str, ...], what: str) -> None:
    """Triggers would put words into every plan, views could hang or fill the memory: one line names what it is."""
    alter(path, *statements)
    began = time.monotonic()
    store = SQLiteStore(path)
    with pytest.raises(UntrustedFile, match=what):
        store.load(KEY)
    reply = Board(store=store).write({"todos": [{"content": "mine"}]})
    assert not reply.ok and "curl" not in reply.text
    said = run(path.parent, "doctor", "--db", str(path))
    assert said.returncode == 3 and "no Holdfast made" in " ".join(said.stdout.split())
    assert time.monotonic() - began < 20


def test_the_layout_that_is_compared_is_the_one_that_is_made(path: Path) -> None:
    """Every statement of every migration, as SQLite keeps it."""
    with closing(sqlite3.connect(path)) as sqlite:
        kept = sqlite.execute("SELECT name, trim(sql, char(10) || ' ') FROM sqlite_schema WHERE sql NOT NULL")
        assert dict(kept.fetchall()) == schema_at(len(MIGRATIONS))
    assert schema_at(0) == {}


def test_a_connection_does_not_trust_the_file(store: SQLiteStore) -> None:
    """Limits on lengths, no attached files, and no trust in functions that a layout names."""
    store.load(KEY)
    sqlite = store._connection._open()
    assert sqlite is not None
    assert sqlite.execute("PRAGMA trusted_schema").fetchone() == (0,)
    assert sqlite.execute("PRAGMA cell_size_check").fetchone() == (1,)
    with pytest.raises(sqlite3.DataError, match="too big"):
        sqlite.execute("SELECT zeroblob(900000000)")
    with pytest.raises(sqlite3.OperationalError, match="too many attached"):
        sqlite.execute("ATTACH ':memory:' AS x")


def test_work_without_an_end_is_ended(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever keeps SQLite busy, a deadline ends it with an error that says what to do; the next call works."""
    monkeypatch.setattr(connection, "DEADLINE", 0.2)
    endless = f"SELECT count(*) FROM ({ENDLESS})"
    with pytest.raises(StoreError, match="kept SQLite busy for too long"):
        store._connection.run(lambda sqlite: sqlite.execute(endless).fetchone())
    assert len(store.load(KEY).todos) == 2


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_plan_that_its_history_does_not_lead_to_is_damaged(path: Path, forgery: str) -> None:
    """Whoever changes a plan past Holdfast leaves no change behind: `doctor` and `log` say so, and end."""
    alter(path, forgery)
    with closing(SQLiteStore(path)) as store, pytest.raises(DamagedRecord):
        list(store.history(KEY))
    said = run(path.parent, "doctor", "--db", str(path))
    assert said.returncode == 3 and "damaged records: default / main" in said.stdout
    said = run(path.parent, "log", "--db", str(path))
    assert said.returncode == 3 and "is damaged" in said.stderr


def test_a_second_name_of_a_file_is_refused(path: Path, store: SQLiteStore) -> None:
    """Each name has a log of its own: the writes under one would be lost under the other. One name is well again."""
    board = Board(store=store)
    assert board.add("before").ok
    other = path.with_name("other.db")
    os.link(path, other)
    for name, held in ((path, board), (other, Board(store=other))):
        reply = held.add("lost?")
        assert not reply.ok and f"{name} has 2 names (hard links)" in reply.text
    other.unlink()
    assert board.add("after").ok
    assert [todo.content for todo in board.plan.todos] == ["mine", "second", "before", "after"]


def test_a_draft_that_was_left_behind_is_no_second_name(path: Path) -> None:
    """Whoever makes a file may be killed between its two names; the next process takes the draft away."""
    draft = path.with_name(f"{path.name}.0123456789abcdef.new")
    os.link(path, draft)
    assert Board(store=path).add("after").ok
    assert not draft.exists() and path.stat().st_nlink == 1


def test_a_log_that_was_removed_loses_nothing(path: Path, store: SQLiteStore) -> None:
    """What was acknowledged is saved from the log that only we still have; the next write is refused, loudly, once."""
    board = Board(store=store)
    for number in range(10):
        assert board.add(f"acknowledged {number}").ok
    path.with_name("plans.db-wal").unlink()
    reply = board.add("refused")
    assert not reply.ok and "plans.db-wal was removed while in use; nothing is lost" in reply.text
    assert board.add("after").ok
    with closing(SQLiteStore(path)) as other:
        contents = [todo.content for todo in other.load(KEY).todos]
    assert contents == ["mine", "second", *(f"acknowledged {number}" for number in range(10)), "after"]


def test_a_log_that_was_replaced_is_never_written_over_the_new_one(path: Path, store: SQLiteStore) -> None:
    """Another process writes to the new log. Ours is lost, which is said at every call; the new one stays whole."""
    board = Board(store=store)
    assert board.add("lost").ok
    for suffix in ("-wal", "-shm"):
        path.with_name(f"plans.db{suffix}").unlink()
    assert run(path.parent, "add", "of the other", "--db", str(path)).returncode == 0
    for _ in range(2):
        reply = board.add("refused")
        assert not reply.ok and "plans.db-wal was replaced while it was in use" in reply.text
    store.close()
    assert run(path.parent, "add", "after", "--db", str(path)).returncode == 0
    said = run(path.parent, "doctor", "--db", str(path), "--json")
    assert said.returncode == 0 and json.loads(said.stdout)["changes"] == 4
    shown = run(path.parent, "show", "--db", str(path), "--json")
    contents = [todo["content"] for todo in json.loads(shown.stdout)["todos"]]
    assert contents == ["mine", "second", "of the other", "after"]


UNTIL_TOLD = """
import subprocess, sys
from holdfast import Board
path = sys.argv[1]
board = Board(store=path)
assert board.add("lost").ok
subprocess.run(["rm", f"{path}-wal", f"{path}-shm"], check=True)
command = [sys.executable, "-m", "holdfast", "add", "of the other", "--db", path]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
"""


def test_a_program_that_just_ends_writes_nothing_over_the_new_log(path: Path) -> None:
    """It never looks again, and never closes its store. What others wrote meanwhile stays; its own loss is said."""
    ended = subprocess.run([sys.executable, "-c", UNTIL_TOLD, str(path)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and len(ended.stderr.splitlines()) == 1
    assert "plans.db-wal was replaced while it was in use, and the last changes in it may be lost" in ended.stderr
    with closing(SQLiteStore(path)) as store:
        assert [todo.content for todo in store.load(KEY).todos] == ["mine", "second", "of the other"]


def test_an_index_of_the_log_that_was_removed_loses_nothing(path: Path, store: SQLiteStore) -> None:
    """Locks are kept in it: a process that makes a new one would write at the same time as we do."""
    board = Board(store=store)
    assert board.add("acknowledged").ok
    path.with_name("plans.db-shm").unlink()
    reply = board.add("refused")
    assert not reply.ok and "plans.db-shm was removed while in use; nothing is lost" in reply.text
    assert run(path.parent, "add", "of the other", "--db", str(path)).returncode == 0
    assert board.add("after").ok
    assert [todo.content for todo in board.plan.todos][2:] == ["acknowledged", "of the other", "after"]


def test_a_write_that_waited_looks_at_the_side_files_again(path: Path, store: SQLiteStore) -> None:
    """While it waits for its turn, the one before it may have moved on to other side files."""
    board = Board(store=store)
    assert board.add("before").ok
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(board.add, "waits")
            time.sleep(0.3)
            path.with_name("plans.db-shm").unlink()
            other.execute("COMMIT")
            reply = waiting.result()
    assert not reply.ok and "were removed while in use: nothing was written" in reply.text


def test_a_log_that_was_removed_after_a_kill_is_missed(path: Path) -> None:
    """Nobody had it open any more. Its index still says that there was something in it, and this is said."""
    writer = """
import os, signal, sys
from holdfast import Board
board = Board(store=sys.argv[1])
assert board.add("acknowledged").ok
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", writer, str(path)], check=False, timeout=60)
    path.with_name("plans.db-wal").rename(path.with_name("kept"))
    for _ in range(2):
        reply = Board(store=path).add("refused")
        assert not reply.ok and "plans.db-wal was removed, and the last changes went with it" in reply.text
    path.with_name("kept").rename(path.with_name("plans.db-wal"))
    assert [todo.content for todo in Board(store=path).plan.todos] == ["mine", "second", "acknowledged"]


def test_an_index_that_is_left_without_a_loss_is_no_matter(path: Path) -> None:
    """Everything in the log was in the file already: nothing is said."""
    path.with_name("plans.db-shm").write_bytes(bytes(32768))
    assert Board(store=path).add("after").ok
