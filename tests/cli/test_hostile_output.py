"""Text that would take over a terminal changes nothing but its own cell, whatever prints it."""

import json
import re
from pathlib import Path

import pytest
from driving import HOSTILE, START, on_terminal, run, screen

from holdfast import Board
from holdfast.plan import Change, Draft, Plan, Status, Wish
from holdfast.plan.transitions import replace
from holdfast.stores import Key, Record
from holdfast.stores.sqlite import SQLiteStore
from holdfast.terminal.watch import change_line
from holdfast.text import one_line, width

COMMANDS = {
    "show": ("show",),
    "log": ("log",),
    "sessions": ("sessions",),
    "stats": ("stats",),
    "done": ("done", "1"),
    "undo": ("undo", "--yes"),
    "markdown": ("show", "--format", "markdown"),
    "recap": ("show", "--format", "recap"),
    "resume": ("show", "--format", "resume"),
    "show --json": ("show", "--json"),
    "log --json": ("log", "--json"),
    "stats --json": ("stats", "--json"),
    "export": ("export",),
    "unknown session": ("show", "--session", HOSTILE.replace("\x00", "")),
}
OURS = re.compile(r"\x1b\[(0|1|2|31|32|33|90)m")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def populate(folder: Path, *texts: str, name: str = "default") -> None:
    """A store in which every text that a model or a host can choose is one of these."""
    store = SQLiteStore(folder / "plans.db")
    wishes = [Wish(content=text, active_form=text) for text in texts]
    draft = Draft([wishes[0]._replace(status=Status.IN_PROGRESS), *wishes[1:]], summary=texts[0])
    store.commit(Key(name, "main"), Change(Plan(), replace(Plan(), draft, START)))  # past every board's limits
    store.close()


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_in_a_text_reaches_the_terminal_as_a_command(tmp_path: Path, name: str) -> None:
    """No control character but ours, and no mark that turns the direction of what follows."""
    populate(tmp_path, HOSTILE, "calm", name=HOSTILE)
    written = on_terminal(tmp_path, *COMMANDS[name]).decode()
    assert OBEYED.findall(OURS.sub("", written).replace("\r\n", "\n")) == []


@pytest.mark.parametrize("columns", [40, 100])
@pytest.mark.parametrize("name", ["show", "log", "sessions", "stats"])
def test_the_lines_around_it_stand_where_they_stood(tmp_path: Path, name: str, columns: int) -> None:
    """The screen has the same lines as with a harmless text of that width, but for the hostile one's own cell."""
    hostile, calm = tmp_path / "hostile", tmp_path / "calm"
    for folder, text in ((hostile, HOSTILE), (calm, "x" * width(one_line(HOSTILE)))):
        folder.mkdir()
        populate(folder, text, "the calm one")
    shown, expected = (screen(folder, *COMMANDS[name], columns=columns) for folder in (hostile, calm))
    assert len(shown) == len(expected)
    assert [line for line in shown if "red" not in line] == [line for line in expected if "xxx" not in line]


@pytest.mark.parametrize("text", ["x" * 200_000, "宽" * 200_000, "e\u0301" * 100_000, "🎨" * 200_000])
@pytest.mark.parametrize("name", ["show", "log", "sessions", "stats", "done"])
def test_a_very_long_line_stays_one_line(tmp_path: Path, name: str, text: str) -> None:
    """It is cut at the edge of the terminal."""
    populate(tmp_path, text, "calm")
    written = on_terminal(tmp_path, *COMMANDS[name], columns=40, environ={"NO_COLOR": "1"}).decode()
    assert max(width(line) for line in written.splitlines()) <= 40
    assert len(written.splitlines()) < 20


def test_a_pipe_gets_a_line_for_each_todo(tmp_path: Path) -> None:
    """Line breaks in a text make no lines for a program that counts them."""
    populate(tmp_path, HOSTILE, "a\nb\r\nc\x0bd\u2028e", "calm")
    lines = run(tmp_path, "show").stdout.splitlines()
    assert len(lines) == 8
    assert lines[4] == "  ○ 2  a b  c d e"


def test_json_gives_the_text_back_exactly(tmp_path: Path) -> None:
    """What is escaped for the eye is whole for a program."""
    populate(tmp_path, HOSTILE)
    assert run(tmp_path, "show", "--json").data["todos"][0]["content"] == HOSTILE
    exported = json.loads(run(tmp_path, "export").stdout)
    assert exported["boards"][0]["plan"]["summary"] == HOSTILE


def test_an_id_of_a_model_is_text_too(tmp_path: Path) -> None:
    """A long id stays in its column."""
    board = Board(dialect="holdfast", store=tmp_path / "plans.db")
    board.update([{"id": "i" * 60, "content": "odd"}, {"id": "2", "content": "calm"}])
    assert len(board.plan.todos) == 2
    board.store.close()
    written = on_terminal(tmp_path, "show", columns=40, environ={"NO_COLOR": "1"}).decode()
    assert "\x1b" not in written
    assert max(width(line) for line in written.splitlines()) <= 40
    assert "odd" in written


@pytest.mark.parametrize("at", [1e300, -1e18, float("-inf")])
def test_a_time_that_no_calendar_has_hides_no_plan(tmp_path: Path, at: float) -> None:
    """A clock or an import may say anything: the plan is listed, without its time."""
    board = Board(store=tmp_path / "plans.db", clock=lambda: at)
    board.add("Hold")
    board.store.close()
    for words in (("log",), ("sessions",)):
        ran = run(tmp_path, *words)
        assert (ran.code, ran.stderr) == (0, "")
        assert "Hold" in ran.stdout or "default" in ran.stdout
    change = Change(Plan(), replace(Plan(), Draft([Wish(content="Hold")]), at))
    assert change_line(Record(1, Key("default", "main"), change)).startswith("- default model: ")
