"""Many processes on one plan file: killed, racing, forking and watching."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from forking import WRITTEN, write_around_a_fork
from patience import PATIENCE

from holdfast import Board
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore

KEY = Key("default", "main")
KILLS = 25

ENDLESS_WRITER = """
import sys
from holdfast import Board

board = Board(store=sys.argv[1])
while True:
    steps = [{"content": f"write {board.plan.revision + 1}, step {step}", "status": "pending"} for step in range(10)]
    reply = board.write({"todos": steps})
    assert reply.ok, reply.text
    print(reply.plan.revision, flush=True)
"""

ADDER = """
import sys
from holdfast import Board

name, count = sys.argv[2], int(sys.argv[3])
shared, own = Board(store=sys.argv[1]), Board(store=sys.argv[1], session=name)
for number in range(count):
    for board in (shared, own):
        reply = board.add(f"{name} {number}")
        assert reply.ok, reply.text
        print(board.key.session, f"{name} {number}", sep="\\t", flush=True)
"""

ONE_WRITER = """
import sys, time
from holdfast import Board

board = Board(store=sys.argv[1])
board.plan
sys.stdin.readline()
assert board.add("from another process").ok
print(time.monotonic(), flush=True)
"""

WITHOUT_LINKS = """
import sys
from holdfast.stores.sqlite.file import create

def refuse(event, arguments):
    if event == "os.link":
        if len(sys.argv) > 2:
            with open(sys.argv[1], "x") as file:
                file.write(sys.argv[2])
        raise PermissionError(1, "Operation not permitted")

sys.addaudithook(refuse)
create(sys.argv[1])
"""


def started(script: str, *arguments: object) -> "subprocess.Popen[str]":
    """A Python process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def killed_after(writer: "subprocess.Popen[str]", seconds: float, writing: bool) -> list[str]:
    """What a writer had acknowledged when it was killed, so many seconds after its start or its first few writes."""
    assert writer.stdout is not None
    first = "".join(writer.stdout.readline() for _ in range(3 if writing else 0))
    time.sleep(seconds)
    writer.send_signal(signal.SIGKILL)
    said = writer.stdout.read()  # not by communicate: it would pass over what readline has read ahead
    writer.communicate(timeout=PATIENCE)
    assert writer.returncode == -signal.SIGKILL
    return (first + said).split("\n")[:-1]


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with the file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_killed_writer_loses_nothing_and_tears_nothing(tmp_path: Path) -> None:
    """Killed at any moment, from its start on: what was acknowledged is there, and every change is a whole one."""
    chance = random.Random(3)
    acknowledged = total = 0
    for kill in range(KILLS):
        path = tmp_path / f"{kill // 5}" / "plans.db"  # a new file now and then: its making can be interrupted, too
        acknowledged = 0 if kill % 5 == 0 else acknowledged
        lines = killed_after(started(ENDLESS_WRITER, path), chance.uniform(0.0, 0.3), writing=kill % 2 == 1)
        acknowledged = int(lines[-1]) if lines else acknowledged
        total += len(lines)
        with closing(SQLiteStore(path)) as store:
            plan, history = store.load(KEY), list(store.history(KEY))
        assert acknowledged <= plan.revision <= acknowledged + 1
        assert [record.change.after.revision for record in history] == list(range(plan.revision, 0, -1))
        for record in history:
            after = record.change.after
            expected = [f"write {after.revision}, step {step}" for step in range(10)]
            assert [todo.content for todo in after.todos] == expected
        acknowledged = plan.revision
        assert not path.exists() or is_sound(path)
    assert total > KILLS, "the writers were killed before they could write: nothing was tested"


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """On one plan and on several, each acknowledged write is one revision, and each is applied once."""
    path, processes, each = tmp_path / ".holdfast" / "plans.db", 4, 12
    writers = [started(ADDER, path, f"writer {number}", each) for number in range(processes)]
    said = [writer.communicate(timeout=PATIENCE)[0].splitlines() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * processes
    acknowledged = [line.split("\t") for lines in said for line in lines]
    with closing(SQLiteStore(path)) as store:
        boards = {kept.key.session: kept for kept in store.sessions()}
        assert len(boards) == processes + 1
        for session, kept in boards.items():
            mine = [content for to, content in acknowledged if to == session]
            assert kept.plan.revision == len(mine) == len(list(store.history(kept.key)))
            assert sorted(todo.content for todo in kept.plan.todos) == sorted(mine)
    assert is_sound(path)
    assert sorted(file.name for file in path.parent.iterdir()) == [".gitignore", "id", "plans.db"]


def test_a_file_system_without_links_will_do(tmp_path: Path) -> None:
    """Where the system refuses them, as on a memory card, the file is renamed into place, whole."""
    path = tmp_path / "plans.db"
    subprocess.run([sys.executable, "-c", WITHOUT_LINKS, path], check=True, timeout=PATIENCE)
    with closing(SQLiteStore(path)) as store:
        assert Board(store=store).add("a").ok
    assert is_sound(path)
    assert [file.name for file in tmp_path.iterdir()] == ["plans.db"]


def test_without_links_another_process_may_be_quicker(tmp_path: Path) -> None:
    """The file that it made meanwhile stays as it is, and nothing is left of ours."""
    path = tmp_path / "plans.db"
    subprocess.run([sys.executable, "-c", WITHOUT_LINKS, path, "another's"], check=True, timeout=PATIENCE)
    assert path.read_text() == "another's"
    assert [file.name for file in tmp_path.iterdir()] == ["plans.db"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")  # pytest-xdist has threads
def test_a_fork_may_come_at_any_time(tmp_path: Path) -> None:
    """A store that is open in the parent works in its children, and goes on in the parent."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        board = Board(store=store)
        write_around_a_fork(board, PATIENCE)
        assert {todo.content for todo in board.plan.todos} == WRITTEN
    assert is_sound(tmp_path / "plans.db")


def test_a_watcher_hears_of_another_processs_write_soon(tmp_path: Path) -> None:
    """A write by another process is seen well within a second, usually within 30 ms."""
    path = tmp_path / "plans.db"

    def delay() -> float:
        watch = store.watch(timeout=PATIENCE)
        writer = started(ONE_WRITER, path)
        assert writer.stdin is not None and writer.stdout is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
        record = next(watch)
        heard = time.monotonic()
        written = float(writer.stdout.readline())
        writer.communicate(timeout=PATIENCE)
        assert record.change.after.todos[-1].content == "from another process"
        return heard - written

    with closing(SQLiteStore(path)) as store:  # a busy machine may keep us waiting now and then, but not each time
        assert any(all(delay() < 1.0 for _ in range(3)) for _ in range(3))


def test_an_idle_watcher_costs_next_to_nothing(tmp_path: Path) -> None:
    """A second of waiting takes far less than a second of work."""
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        Board(store=store).add("a")
        watch = store.watch(timeout=1.0)
        before = time.process_time()
        assert list(watch) == []
        assert time.process_time() - before < 0.3


def test_a_reader_holds_no_writer_up(tmp_path: Path) -> None:
    """Somebody who reads the file, however long, does not keep others from writing it."""
    path = tmp_path / "plans.db"
    with closing(SQLiteStore(path, busy_wait=0.05)) as store:
        board = Board(store=store)
        board.add("a")
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM boards").fetchall()
            assert board.add("b").ok
