"""`holdfast doctor`: where plans are, whether they are sound, and a way out of damage that loses nothing."""

import sqlite3
import sys
from pathlib import Path

import pytest
from driving import Ran, board, on_terminal, populate, run, screen

from holdfast.cli.command import Exit

WITHOUT_RICH = "import sys; sys.modules['rich'] = None; from holdfast.cli.main import main; sys.exit(main())"


def test_a_sound_store(tmp_path: Path) -> None:
    """Where it is, how that was found, and what is in it."""
    populate(tmp_path)
    data = run(tmp_path, "doctor", "--json").data
    assert (data["path"], data["path_from"]) == (str(tmp_path / "plans.db"), "named by HOLDFAST_DB")
    assert (data["healthy"], data["boards"], data["changes"]) == (True, 2, 7)
    assert data["packages"]["rich"] is not None
    assert run(tmp_path, "doctor", "--db", "plans.db", "--json").data["path_from"] == "named by --db"


def test_no_store_yet(tmp_path: Path) -> None:
    """Nothing is wrong with that, and nothing is made."""
    ran = run(tmp_path, "doctor")
    assert ran.code == Exit.OK
    assert "none yet: the first write creates it" in ran.stdout
    assert not (tmp_path / "plans.db").exists()


@pytest.mark.parametrize("columns", [40, 100])
def test_a_path_is_never_cut(tmp_path: Path, columns: int) -> None:
    """A narrow terminal gets more lines, not less of them."""
    populate(tmp_path)
    shown = "".join(line[11:] for line in screen(tmp_path, "doctor", columns=columns))
    assert str(tmp_path / "plans.db").replace("-", "") in shown.replace("-", "").replace(" ", "")


@pytest.mark.parametrize("content", [b"", b"cut short", b"something else " * 1000])
def test_a_file_that_is_damaged_can_be_set_aside(tmp_path: Path, content: bytes) -> None:
    """It is told with the way out; the way out keeps every byte, and the next write starts anew."""
    (tmp_path / "plans.db").write_bytes(content)
    ran = run(tmp_path, "doctor")
    assert ran.code == Exit.STORE
    assert "holdfast doctor --set-aside" in ran.stdout
    healed = run(tmp_path, "doctor", "--set-aside", "--json").data
    assert healed["healthy"]
    assert Path(healed["set_aside"]).read_bytes() == content
    assert run(tmp_path, "add", "Anew").code == Exit.OK


def test_pages_that_are_damaged_are_found(tmp_path: Path) -> None:
    """SQLite is asked to look at every page, not only at the first."""
    populate(tmp_path)
    path = tmp_path / "plans.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    content[-4096:] = b"\xff" * 4096
    path.write_bytes(content)
    data = run(tmp_path, "doctor", "--json").data
    assert not data["healthy"]
    assert data["is_damaged"]


def test_a_record_that_is_damaged_is_named_and_set_aside(tmp_path: Path) -> None:
    """The other plans of the file go on, and the damaged record is kept."""
    populate(tmp_path)
    with sqlite3.connect(tmp_path / "plans.db") as connection:
        connection.execute("UPDATE boards SET plan = 'rubbish' WHERE session = 'default'")
    connection.close()
    ran = run(tmp_path, "doctor")
    assert ran.code == Exit.STORE
    assert "damaged records: default / main" in ran.stdout
    assert run(tmp_path, "doctor", "--set-aside").code == Exit.OK
    assert [kept["session"] for kept in run(tmp_path, "sessions", "--json").data] == ["nightly 夜间"]
    with sqlite3.connect(tmp_path / "plans.db") as connection:
        assert connection.execute("SELECT plan FROM damaged").fetchall() == [("rubbish",)]
    connection.close()


def test_a_sound_file_is_not_set_aside(tmp_path: Path) -> None:
    """The way out is for damage: nothing else is moved."""
    populate(tmp_path)
    assert run(tmp_path, "doctor", "--set-aside", "--json").data["set_aside"] is None
    assert len(run(tmp_path, "sessions", "--json").data) == 2


def test_another_programs_file_is_not_touched(tmp_path: Path) -> None:
    """A database of somebody else is told, and left where it is."""
    with sqlite3.connect(tmp_path / "plans.db") as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    ran = run(tmp_path, "doctor", "--set-aside")
    assert ran.code == Exit.STORE
    assert "belongs to another program" in ran.stdout
    assert (tmp_path / "plans.db").exists()


def test_nothing_here_writes(tmp_path: Path) -> None:
    """Looking at a store leaves its plans as they were."""
    main = board(tmp_path)
    main.write({"todos": [{"content": "Stay"}]})
    before = main.plan
    assert isinstance(run(tmp_path, "doctor"), Ran)
    assert main.plan == before
    main.store.close()


@pytest.mark.parametrize("words", [["watch", "--once"], ["show"], ["sessions"], ["stats"], ["agent", "--list"]])
def test_most_commands_need_no_rich(tmp_path: Path, words: list[str]) -> None:
    """What prints or draws lines of ours does so where rich is not installed."""
    main = board(tmp_path)
    main.write({"todos": [{"content": "Stay"}]})
    main.store.close()
    ran = run(tmp_path, *words, program=(sys.executable, "-c", WITHOUT_RICH))
    assert (ran.code, ran.stderr) == (Exit.OK, "")
    assert "Stay" in ran.stdout or words == ["agent", "--list"]


def test_an_agent_in_a_pipe_needs_no_rich(tmp_path: Path) -> None:
    """Its plain lines are ours."""
    (tmp_path / "script.json").write_text('[["Hello."]]')
    words = ("agent", "--model", "rehearsal:script.json", "Go")
    ran = run(tmp_path, *words, program=(sys.executable, "-c", WITHOUT_RICH))
    assert (ran.code, ran.stderr) == (Exit.OK, "")
    assert ran.stdout.startswith("Hello.\n")


def test_what_draws_with_rich_says_what_it_lacks(tmp_path: Path) -> None:
    """Where rich is not installed, a command that draws with it refuses in one line, and names the remedy."""
    ran = run(tmp_path, "eval", program=(sys.executable, "-c", WITHOUT_RICH))
    assert (ran.code, ran.stdout) == (Exit.REFUSED, "")
    assert ran.stderr == "holdfast: eval draws with rich, which is not installed: pip install rich\n"
    (tmp_path / "script.json").write_text('[["Hello."]]')
    words = ("agent", "--model", "rehearsal:script.json", "Go")
    written = on_terminal(tmp_path, *words, program=(sys.executable, "-c", WITHOUT_RICH)).decode()
    assert "holdfast: agent draws with rich, which is not installed: pip install rich" in written


def test_it_says_whose_file_it_is(tmp_path: Path) -> None:
    """The file of a project is found from its folder; outside of every project it is the user's own."""
    assert run(tmp_path, "doctor", "--json", HOLDFAST_DB="").data["path_from"].startswith("yours for every folder")
    (tmp_path / ".git").mkdir()
    assert run(tmp_path, "doctor", "--json", HOLDFAST_DB="").data["path_from"].startswith("found from this folder")
