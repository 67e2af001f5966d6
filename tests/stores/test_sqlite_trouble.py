"""Trouble with the plan file: each kind is told in one line that says what to do, and nothing is lost by it."""

import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from holdfast import Board
from holdfast.errors import StoreError, UsageError
from holdfast.plan import Change, Draft, Wish
from holdfast.plan.transitions import replace
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore, file, quarantine
from holdfast.stores.sqlite.migrations import MIGRATIONS, migrate

KEY = Key("default", "main")
NOBODY = 65534
HOLDFAST = (sys.executable, "-m", "holdfast")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one plan, which nobody has open."""
    path = tmp_path / "plans.db"
    with closing(SQLiteStore(path)) as store:
        write(store, "a")
        write(store, "z", session="other")
    return path


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder of its own, and no right to do everything: root may write what is read-only."""
    folder = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)
        shutil.rmtree(folder)


def write(store: SQLiteStore, *texts: str, session: str = "default") -> None:
    """Write a whole list, past the board, which would answer in place of raising."""
    key = Key(session, "main")
    before = store.load(key)
    store.commit(key, Change(before, replace(before, Draft([Wish(content=text) for text in texts]), 1.0)))


def refused(path: Path, match: str) -> None:
    """Neither reading nor writing is possible, both say why, and the file is not touched."""
    before = path.read_bytes() if path.is_file() else b""
    with closing(SQLiteStore(path, busy_wait=0.05)) as store:
        for act in (lambda: store.load(KEY), lambda: write(store, "b"), store.sessions):
            with pytest.raises(StoreError, match=match) as caught:
                act()
            message = str(caught.value)
            assert str(path) in message and "\n" not in message
    assert (path.read_bytes() if path.is_file() else b"") == before


def run_sql(path: Path, *statements: str) -> None:
    """Do to the file what another program might."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def lose(path: Path) -> Path:
    """Take the file away while its log holds a write. Returns the log."""
    log = Path(f"{path}-wal")
    with closing(SQLiteStore(path)) as store:
        write(store, "b")
        content = log.read_bytes()
    path.unlink()
    log.write_bytes(content)
    return log


def test_a_folder_that_is_read_only() -> None:
    """A first write that cannot make its file says to make the folder writable or to name another place."""
    with unprivileged() as folder:
        folder.chmod(0o500)
        with closing(SQLiteStore(folder / ".holdfast" / "plans.db")) as store:
            assert store.load(KEY).todos == ()
            with pytest.raises(StoreError, match="folder writable, or use another path, where you gave this one or"):
                write(store, "a")


def test_a_file_that_is_read_only() -> None:
    """A file without the right to write can still be read; a write says what to do."""
    with unprivileged() as folder:
        with closing(SQLiteStore(folder / "plans.db")) as store:
            write(store, "a")
        (folder / "plans.db").chmod(0o400)
        with closing(SQLiteStore(folder / "plans.db")) as store:
            assert [todo.content for todo in store.load(KEY).todos] == ["a"]
            with pytest.raises(StoreError, match="make the file and its folder writable"):
                write(store, "b")
            assert [todo.content for todo in store.load(KEY).todos] == ["a"]


def test_a_file_that_may_not_be_read() -> None:
    """A file of somebody else is not an empty one."""
    with unprivileged() as folder:
        with closing(SQLiteStore(folder / "plans.db")) as store:
            write(store, "a")
        (folder / "plans.db").chmod(0)
        with closing(SQLiteStore(folder / "plans.db")) as store, pytest.raises(StoreError, match="cannot be opened"):
            store.load(KEY)


def test_a_disk_that_is_full(path: Path) -> None:
    """A write for which there is no room says so, leaves the plan as it was, and works once there is room."""
    with closing(SQLiteStore(path)) as store:
        pages = store._connection.run(lambda sqlite: sqlite.execute("PRAGMA page_count").fetchone()[0])
        store._connection.run(lambda sqlite: sqlite.execute(f"PRAGMA max_page_count = {pages}"))
        with pytest.raises(StoreError, match=r"no room left .* free some space"):
            write(store, *("x" * 200 for _ in range(50)))
        assert [todo.content for todo in store.load(KEY).todos] == ["a"]
        write(store, "b")
        assert [todo.content for todo in store.load(KEY).todos] == ["b"]


def test_a_disk_without_room_for_what_sqlite_keeps_beside_the_file(path: Path) -> None:
    """SQLite calls that a failing disk; it is told as a want of room, also to who only reads."""
    script = """if True:
        import resource, sys
        from holdfast import Board

        resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, 16_384))
        print(Board(store=sys.argv[1]).add("b").text)
    """
    ran = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert "there is no room left" in ran.stdout, ran
    with closing(SQLiteStore(path)) as store:
        assert [todo.content for todo in store.load(KEY).todos] == ["a"]


def test_a_file_is_whole_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is left in SQLite's log, which stays behind: here because another program reads it meanwhile."""
    readers: list[sqlite3.Connection] = []

    def migrate_while_read(connection: sqlite3.Connection) -> None:
        migrate(connection)
        name = connection.execute("PRAGMA database_list").fetchone()[2]
        readers.append(sqlite3.connect(name))
        assert readers[-1].execute("SELECT count(*) FROM migrations").fetchone() == (len(MIGRATIONS),)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(file, "migrate", migrate_while_read)
        file.create(str(tmp_path / "plans.db"))
    readers[0].close()
    with closing(SQLiteStore(tmp_path / "plans.db")) as store:
        write(store, "a")
    assert [found.name for found in tmp_path.iterdir()] == ["plans.db"]


def test_a_file_that_is_locked(path: Path) -> None:
    """A writer waits as long as it was told, then says so; once the lock is gone, it writes."""
    with closing(SQLiteStore(path, busy_wait=0.05)) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            write(store, "b")
        assert [todo.content for todo in store.load(KEY).todos] == ["a"]
        other.rollback()
        write(store, "b")


@pytest.mark.parametrize("size", [0, 1, 99, 100, 4096, 5000, 12288])
def test_a_file_that_was_cut_short(path: Path, size: int) -> None:
    """Wherever a file was cut, no board silently starts empty, and the rest of the file stays as it is."""
    os.truncate(path, size)
    refused(path, "damaged .* backup in its place, or set it aside")


def test_a_file_that_is_gone_while_its_log_is_there(path: Path) -> None:
    """What SQLite kept beside it holds writes, and would spoil a new file: neither is lost in silence."""
    log = lose(path)
    content = log.read_bytes()
    refused(path, "it is gone, but its -wal file is still there")
    assert log.read_bytes() == content
    quarantine(path)
    with closing(SQLiteStore(path)) as store:
        write(store, "new")
        assert len(list(store.history(KEY))) == 1


def test_a_file_with_noise_in_it(path: Path) -> None:
    """Pages that were overwritten are noticed."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\x5a" * (len(content) - 4096))
    refused(path, "damaged")


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda path: path.write_text("- [ ] my own list\n" * 100), "not a plan file"),
        (lambda path: run_sql(path, "CREATE TABLE albums (id)"), "belongs to another program"),
        (lambda path: path.mkdir(), "is not a file"),
    ],
    ids=["text", "another program's database", "folder"],
)
def test_a_file_that_is_not_ours(tmp_path: Path, spoil: Callable[[Path], object], match: str) -> None:
    """What belongs to somebody else is neither read nor written."""
    path = tmp_path / "plans.db"
    spoil(path)
    refused(path, match)


def test_a_file_of_a_newer_holdfast(path: Path) -> None:
    """A layout that this Holdfast does not know is left to the one that does."""
    run_sql(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    refused(path, "newer Holdfast .* update Holdfast")


@pytest.mark.parametrize("record", ["", "{", "[[[1]]]", "null"])
def test_a_damaged_record_is_told_with_its_name(path: Path, record: str) -> None:
    """One board's record that cannot be read stops that board alone, and says whose it is."""
    run_sql(path, f"UPDATE boards SET plan = '{record}' WHERE session = 'default'")
    with closing(SQLiteStore(path)) as store:
        for act in (lambda: store.load(KEY), lambda: list(store.history(KEY)), lambda: write(store, "b")):
            with pytest.raises(StoreError, match="'default', agent 'main' is damaged"):
                act()
        assert [todo.content for todo in store.load(Key("other", "main")).todos] == ["z"]
        write(store, "y", session="other")


def test_a_damaged_change_is_told_with_its_name(path: Path) -> None:
    """A change that cannot be read stops the history where it stands; the plan is as good as ever."""
    run_sql(path, "UPDATE changes SET delta = 'x' WHERE sequence = 1")
    with closing(SQLiteStore(path)) as store:
        write(store, "b")
        history = store.history(KEY)
        assert next(history).sequence == 3
        with pytest.raises(StoreError, match="'default', agent 'main' is damaged"):
            next(history)
        with pytest.raises(StoreError, match="'default', agent 'main' is damaged"):
            list(store.watch(since=0, timeout=0))


def test_a_damaged_record_can_be_set_aside(path: Path) -> None:
    """Its board starts anew, and the record is kept for who wants to mend it."""
    run_sql(path, "UPDATE boards SET plan = 'half a pl' WHERE session = 'default'")
    with closing(SQLiteStore(path)) as store:
        store.quarantine(KEY)
        assert store.load(KEY).todos == ()
        write(store, "new")
        assert [kept.key.session for kept in store.sessions()] == ["default", "other"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT session, agent, plan FROM damaged").fetchall() == [(*KEY, "half a pl")]


def test_a_damaged_file_can_be_set_aside(path: Path) -> None:
    """It is renamed with all that belongs to it, never over another one, and the next write starts a new file."""
    kept = []
    for text in ("first", "second"):
        path.write_text(text)
        Path(f"{path}-wal").write_text(f"{text} wal")
        kept.append(Path(quarantine(path)))
    assert [aside.read_text() for aside in kept] == ["first", "second"]
    assert [Path(f"{aside}-wal").read_text() for aside in kept] == ["first wal", "second wal"]
    assert all(aside.name.startswith("plans.db.damaged-") for aside in kept)
    with closing(SQLiteStore(path)) as store:
        write(store, "new")
        assert [todo.content for todo in store.load(KEY).todos] == ["new"]


def test_a_store_that_is_open_goes_on_with_the_new_file(path: Path) -> None:
    """Who had the file open when it was set aside writes to the new one, not to the one nobody reads."""
    with closing(SQLiteStore(path)) as store:
        store.load(KEY)
        quarantine(path)
        assert store.load(KEY).todos == ()
        write(store, "new")
    with closing(SQLiteStore(path)) as store:
        assert [todo.content for todo in store.load(KEY).todos] == ["new"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: os.truncate(path, 100),
        lambda path: run_sql(path, "UPDATE boards SET plan = 'half a pl' WHERE session = 'default'"),
        lose,
    ],
    ids=["file", "record", "only the log is left"],
)
def test_the_command_that_an_error_names_is_a_way_out(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    """It can be copied into a shell as it stands, whatever the path; it keeps the damage, and the board starts anew."""
    path = tmp_path / "a folder & it's name" / "plans.db"
    with closing(SQLiteStore(path)) as store:
        write(store, "a")
    spoil(path)
    with closing(SQLiteStore(path)) as store:
        with pytest.raises(StoreError, match=r"set (it|the record) aside with `holdfast doctor") as caught:
            store.load(KEY)
        command = str(caught.value).split("`")[1]
        assert subprocess.run([*HOLDFAST, *shlex.split(command)[1:]], capture_output=True).returncode == 0
        assert store.load(KEY).todos == ()
        write(store, "new")


def test_setting_aside_what_is_not_there(tmp_path: Path) -> None:
    """There is nothing to rename, and that is told."""
    with pytest.raises(StoreError, match="is not there"):
        quarantine(tmp_path / "plans.db")


def test_the_model_is_told_and_the_board_does_not_raise(path: Path) -> None:
    """A write on a file in trouble is answered with a fault that says what to do."""
    path.write_text("not a plan file, and long enough to look like none of SQLite's")
    with closing(SQLiteStore(path)) as store:
        reply = Board(store=store).write({"todos": [{"content": "a", "status": "pending"}]})
    assert not reply.ok
    assert "put a backup in its place" in reply.text


def test_a_file_that_cannot_be_set_aside_stays_in_its_place(tmp_path: Path) -> None:
    """If the system refuses the new name, here as too long, that is told, and nothing was moved."""
    path = tmp_path / f"{'p' * 240}.db"
    path.write_text("what is left of a plan file")
    with pytest.raises(StoreError, match=r"p\.db cannot be used \(File name too long\)"):
        quarantine(path)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    """It is refused when the store is opened, as a mistake of the host, with the name that was given."""
    with pytest.raises(UsageError, match="no file can have this name"):
        SQLiteStore(name)
