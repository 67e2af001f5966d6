"""The SQLite file: how it comes to be, how it is kept, and how its history is pruned."""

import os
import re
import sqlite3
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Board
from holdfast.errors import StoreError, UsageError
from holdfast.stores import Key, trust
from holdfast.stores.sqlite import SQLiteStore, migrations
from holdfast.stores.sqlite.migrations import MIGRATIONS, migrate, version

KEY = Key("default", "main")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a project's plan file is."""
    return tmp_path / ".holdfast" / "plans.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """A store of a file that is not there yet."""
    store = SQLiteStore(path)
    yield store
    store.close()


def write(store: SQLiteStore, *texts: str, session: str = "default", now: float | None = None) -> None:
    """Write a whole list."""
    board = Board(store=store, session=session, clock=None if now is None else lambda: now)
    assert board.write({"todos": [{"content": text, "status": "pending"} for text in texts]}).ok


def test_reading_makes_no_file(store: SQLiteStore, path: Path) -> None:
    """Looking at a plan that was never written leaves no trace on the disk."""
    store.load(KEY)
    store.sessions()
    store.prune(keep=1)
    store.quarantine(KEY)
    assert [*store.history(KEY), *store.watch(timeout=0)] == []
    assert not path.parent.exists()


def test_the_file_is_private(store: SQLiteStore, path: Path) -> None:
    """Only its owner can read the file and what SQLite keeps beside it, whatever the umask."""
    before = os.umask(0)
    try:
        write(store, "a")
    finally:
        os.umask(before)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.glob("plans.db*")}
    assert modes == dict.fromkeys(["plans.db", "plans.db-wal", "plans.db-shm"], 0o600)


def test_git_ignores_the_folder_by_itself(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    """After the first write of a project, git has nothing new to show."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(store, "a")
    shown = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert shown.stdout == ""
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_any_other_folder_gets_no_gitignore(tmp_path: Path) -> None:
    """A file that a person put somewhere else brings nothing with it."""
    store = SQLiteStore(tmp_path / "a folder?#%" / "plans.db")
    write(store, "a")
    store.close()
    assert [file.name for file in (tmp_path / "a folder?#%").iterdir()] == ["plans.db"]


def test_a_commit_is_synced_to_the_disk(store: SQLiteStore, path: Path) -> None:
    """The connection that writes is in WAL mode with full sync."""
    write(store, "a")
    pragmas = ("journal_mode", "synchronous", "fullfsync")
    asked = store._connection.run(lambda sqlite: [sqlite.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas])
    assert asked == ["wal", 2, 1]


def test_the_log_of_writes_is_used_again(store: SQLiteStore, path: Path) -> None:
    """Many writes leave a log of a hundred pages or a few more, not one that grows with them."""
    for number in range(200):
        write(store, f"step {number}")
    frame = 4096 + 24
    assert 0 < path.with_name("plans.db-wal").stat().st_size < 120 * frame


def test_a_file_in_memory_is_no_file() -> None:
    """SQLite's own words for no file are refused, before a file of that name appears."""
    for name in ("", ":memory:"):
        with pytest.raises(UsageError, match="MemoryStore"):
            SQLiteStore(name)


def test_a_store_outlives_a_change_of_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path is that of the moment when the store was made."""
    monkeypatch.chdir(tmp_path)
    store = SQLiteStore("plans.db")
    monkeypatch.chdir("/")
    write(store, "a")
    store.close()
    assert (tmp_path / "plans.db").exists()


def test_a_link_to_the_file_is_followed(tmp_path: Path) -> None:
    """A symbolic link, even to a file still to be made, is the file it points to."""
    (tmp_path / "link.db").symlink_to(tmp_path / "plans.db")
    store = SQLiteStore(tmp_path / "link.db")
    write(store, "a")
    store.close()
    assert (tmp_path / "plans.db").is_file()


def test_a_file_that_was_taken_away_is_not_written_to(store: SQLiteStore, path: Path) -> None:
    """After somebody removed the folder, the next write makes a new file: none goes to one that nobody can find."""
    write(store, "a")
    for file in path.parent.iterdir():
        file.unlink()
    path.parent.rmdir()
    assert store.load(KEY).todos == ()
    write(store, "b")
    other = SQLiteStore(path)
    assert [todo.content for todo in other.load(KEY).todos] == ["b"]
    other.close()


def test_what_others_write_is_seen_at_once(store: SQLiteStore, path: Path) -> None:
    """A plan that was read before is read again when another connection has changed it."""
    write(store, "a")
    other = SQLiteStore(path)
    write(other, "b")
    assert [todo.content for todo in store.load(KEY).todos] == ["b"]
    other.close()


def test_a_write_is_judged_by_what_is_there_not_by_what_is_remembered(store: SQLiteStore, path: Path) -> None:
    """What others wrote since is no fault of the next write, and to say again what is no longer so is a change."""
    board = Board(store=store)
    same = {"todos": [{"content": "a", "status": "pending"}]}
    assert board.write(same).ok
    with closing(SQLiteStore(path)) as other:
        assert Board(store=other).update([{"id": "1", "status": "completed"}, {"content": "b"}]).ok
        assert board.edit("2", content="the new one").ok, "its id was not known to this store"
        assert Board(store=other).update([{"content": "c"}]).ok
        assert board.write(same).ok
        assert [todo.content for todo in other.load(KEY).todos] == ["a"]


def test_what_is_remembered_of_another_file_is_not_written_into_this_one(store: SQLiteStore, path: Path) -> None:
    """A plan file that is put in the place of another one keeps its plans, even if their revisions are the same."""
    write(store, "of the first file")
    with closing(SQLiteStore(path.parent / "second.db")) as second:
        write(second, "of the second file")
    for name in ("plans.db-wal", "plans.db-shm"):
        (path.parent / name).unlink()
    (path.parent / "second.db").replace(path)
    assert Board(store=store).add("added").ok
    assert [todo.content for todo in store.load(KEY).todos] == ["of the second file", "added"]


def test_a_closed_store_says_so(store: SQLiteStore) -> None:
    """Using a store after close is an error, and a watch that is under way ends."""
    write(store, "a")
    watch = store.watch(since=0)
    assert next(watch).sequence == 1
    store.close()
    assert list(watch) == []
    with pytest.raises(StoreError, match="is closed"):
        store.load(KEY)


def test_names_that_are_no_text_are_refused(store: SQLiteStore) -> None:
    """A name with half a character in it, as an odd file name can give, is an error that says so."""
    write(store, "a")
    with pytest.raises(StoreError, match="not valid text"):
        store.load(Key("\udcff", "main"))


def test_pruning_keeps_the_newest_of_each_board(store: SQLiteStore) -> None:
    """Beyond the number to keep, changes go; the plan stays, and what is left of the history is unchanged."""
    for text in "abcd":
        write(store, text)
    write(store, "z", session="other")
    plan, history = store.load(KEY), list(store.history(KEY))
    assert store.prune(keep=2) == 2
    assert store.load(KEY) == plan
    assert list(store.history(KEY)) == history[:2]
    assert len(list(store.history(Key("other", "main")))) == 1


def test_pruning_by_age_takes_what_is_old(store: SQLiteStore) -> None:
    """Changes older than the age go, but the last one of a board stays however old it is."""
    hour_ago = time.time() - 3600
    for now in (hour_ago, hour_ago + 1, time.time()):
        write(store, f"at {now}", now=now)
    write(store, "old", session="other", now=hour_ago)
    assert store.prune(older_than=1800) == 2
    assert len(list(store.history(KEY))) == 1
    assert len(list(store.history(Key("other", "main")))) == 1


def test_pruning_by_both_takes_only_what_is_old_and_beyond_the_number(store: SQLiteStore) -> None:
    """The number is kept even if all of it is old."""
    for text in "abcd":
        write(store, text, now=1.0 + ord(text))
    assert store.prune(older_than=1800, keep=3) == 1


def test_pruning_leaves_no_gap_when_the_clock_went_back(store: SQLiteStore) -> None:
    """A change goes together with all before it, even with those that seem younger."""
    for text, now in [("a", time.time()), ("b", 1.0), ("c", time.time())]:
        write(store, text, now=now)
    assert store.prune(older_than=1800) == 2
    assert [record.sequence for record in store.history(KEY)] == [3]


def test_sequences_are_never_given_twice(store: SQLiteStore) -> None:
    """After pruning and setting aside, a watcher still finds every new change after the old ones."""
    write(store, "a")
    write(store, "b")
    store.prune(keep=0)
    store.quarantine(KEY)
    write(store, "c")
    assert [record.sequence for record in store.watch(since=2, timeout=0)] == [3]


def test_pruning_wants_to_be_told_what(store: SQLiteStore) -> None:
    """Pruning nothing in particular is refused, rather than guessed at."""
    with pytest.raises(UsageError, match="older_than"):
        store.prune()


def test_a_watcher_that_starts_in_the_middle_is_told_whole_changes(store: SQLiteStore) -> None:
    """Boards with a past before the watch began are told with the plan they had then."""
    for text in "abc":
        write(store, text)
        write(store, text, session="other")
    newest_first = [*store.history(KEY), *store.history(Key("other", "main"))]
    told = sorted(newest_first, key=lambda record: record.sequence)
    for since in range(7):
        assert list(store.watch(since=since, timeout=0)) == told[since:]


@pytest.mark.parametrize("statement", ["VACUUM INTO '{}'", None], ids=["VACUUM INTO", "backup"])
def test_a_backup_is_a_whole_plan_file(store: SQLiteStore, path: Path, tmp_path: Path, statement: str | None) -> None:
    """A copy made by SQLite while the store is in use has every plan and history, and can be written on."""
    write(store, "a")
    write(store, "b")
    copied = tmp_path / "copy.db"
    with closing(sqlite3.connect(path)) as plans, closing(sqlite3.connect(copied)) as copy:
        plans.backup(copy) if statement is None else plans.execute(statement.format(copied))
    with closing(SQLiteStore(copied)) as other:
        assert list(other.history(KEY)) == list(store.history(KEY))
        write(other, "c")
        assert [todo.content for todo in other.load(KEY).todos] == ["c"]


FIRST_LAYOUT = f"""
    {";".join(MIGRATIONS["boards and their changes"])};
    CREATE TABLE migrations (name TEXT NOT NULL UNIQUE, at REAL NOT NULL);
    INSERT INTO migrations VALUES ('boards and their changes', 1.5);
    INSERT INTO boards VALUES (
        1, 'default', 'main', 1, 1, '[[["1","kept since","pending","",1.5,null,null,""]],"",1,1.5,1,2,[]]'
    );
    INSERT INTO changes VALUES (
        1, 1, 0, 1, 1, 1.5, 'model', 'write', 0,
        '[[[2,0,1],[3,0.0,1.5],[5,1,2]],0,[],[["1","kept since","pending","",1.5,null,null,""]]]'
    );
    PRAGMA application_id = 1215261796;
    PRAGMA user_version = 1;
"""
"""A file as the first release made it. It never changes: every later Holdfast must read it."""


def test_a_file_of_the_first_layout_is_brought_up_to_date(store: SQLiteStore, path: Path) -> None:
    """The plans and histories of the first release are read, and written on."""
    trust.make_folder(str(path.parent))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST_LAYOUT)
    assert [todo.content for todo in store.load(KEY).todos] == ["kept since"]
    write(store, "new")
    store.tally(KEY, {"rejected": 1})
    assert [record.change.before.revision for record in store.history(KEY)] == [1, 0]
    with closing(sqlite3.connect(path)) as connection:
        assert version(connection) == len(MIGRATIONS)


def test_a_migration_is_applied_once_and_by_name(store: SQLiteStore, path: Path) -> None:
    """A file takes the migrations it has not seen, in order, and remembers them; a second time nothing happens."""
    write(store, "a")
    later = {**MIGRATIONS, "colours": ("ALTER TABLE boards ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",)}
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, later)
    migrate(connection, later)
    assert connection.execute("SELECT colour FROM boards").fetchall() == [("red",)]
    names = connection.execute("SELECT name FROM migrations ORDER BY rowid").fetchall()
    assert names == [(name,) for name in later]
    migrate(connection)
    assert version(connection) == len(later), "an older Holdfast must not take back what a newer one did"
    connection.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(store: SQLiteStore, path: Path) -> None:
    """All the statements of the missing migrations are applied, or none."""
    write(store, "a")
    broken = {**MIGRATIONS, "broken": ("CREATE TABLE half (id)", "no SQL at all")}
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, broken)
    assert version(connection) == len(MIGRATIONS)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchall() == []
    connection.close()


def test_no_statement_has_numbered_placeholders() -> None:
    """Python 3.12 warns of them beside a sequence of values, and 3.14 refuses them."""
    sources = [*Path(migrations.__file__).parent.glob("*.py")]
    assert sources
    assert [source.name for source in sources if re.search(r"\?\d", source.read_text(encoding="utf-8"))] == []
