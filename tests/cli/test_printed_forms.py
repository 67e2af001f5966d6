"""Everything that `holdfast` prints, as it is seen on a terminal of two widths, in a pipe, and without Unicode."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import ESCAPE, on_terminal, populate, run, screen

from holdfast.text import width

Compare = Callable[[str, str], None]

SHOWN = {
    "show": ("show", "--session", "default"),
    "show-at": ("show", "--session", "default", "--at", "2"),
    "log": ("log", "--session", "default"),
    "sessions": ("sessions",),
}
PIPED = {
    "markdown": ("show", "--session", "default", "--format", "markdown"),
    "recap": ("show", "--session", "default", "--format", "recap"),
    "resume": ("show", "--session", "default", "--format", "resume"),
    "export-markdown": ("export", "--session", "default", "--format", "markdown"),
    "dialects": ("dialects",),
    "dialects-mini": ("dialects", "mini"),
    "dialects-prompt": ("dialects", "two-state", "--prompt"),
    "help": ("--help",),
    "help-add": ("add", "--help"),
}
DATA = {
    "show": ("show", "--session", "default", "--json"),
    "sessions": ("sessions", "--json"),
    "log": ("log", "--session", "default", "--limit", "2", "--json"),
    "dialects-tool": ("dialects", "holdfast", "--tool", "anthropic"),
    "dialects-schema": ("dialects", "mini", "--schema"),
}


def without_ages(text: str) -> str:
    """The text with every age replaced: it grows from day to day."""
    return re.sub(r"\d+d ago", lambda found: "N".rjust(len(found[0]) - 5) + "d ago", text)


@pytest.mark.parametrize("columns", [40, 100])
@pytest.mark.parametrize("name", SHOWN)
def test_a_terminal_shows_it_within_its_width(tmp_path: Path, snapshot: Compare, name: str, columns: int) -> None:
    """The screen holds what it should, and no line is wrapped."""
    populate(tmp_path)
    snapshot(f"cli/{name}-{columns}.txt", without_ages("\n".join(screen(tmp_path, *SHOWN[name], columns=columns))))


@pytest.mark.parametrize("name", SHOWN)
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, name: str) -> None:
    """Counted in columns, as terminals do: wide characters are two."""
    populate(tmp_path)
    written = on_terminal(tmp_path, *SHOWN[name], columns=40, environ={"NO_COLOR": "1"}).decode()
    assert max(width(line) for line in written.splitlines()) <= 40


@pytest.mark.parametrize("name", SHOWN)
def test_a_pipe_gets_plain_lines(tmp_path: Path, snapshot: Compare, name: str) -> None:
    """No escape codes, and nothing cut."""
    populate(tmp_path)
    ran = run(tmp_path, *SHOWN[name])
    assert (ran.code, ran.stderr) == (0, "")
    assert ESCAPE not in ran.stdout
    assert "…" not in ran.stdout
    snapshot(f"cli/{name}-piped.txt", without_ages(ran.stdout))


@pytest.mark.parametrize("name", PIPED)
def test_every_other_form(tmp_path: Path, snapshot: Compare, name: str) -> None:
    """The forms that do not depend on the terminal."""
    populate(tmp_path)
    ran = run(tmp_path, *PIPED[name])
    assert (ran.code, ran.stderr) == (0, "")
    snapshot(f"cli/{name}.txt", ran.stdout)


@pytest.mark.parametrize("name", DATA)
def test_json_has_stable_keys(tmp_path: Path, snapshot: Compare, name: str) -> None:
    """What programs read."""
    populate(tmp_path)
    ran = run(tmp_path, *DATA[name])
    assert ran.data is not None
    snapshot(f"cli/{name}.json", ran.stdout)


@pytest.mark.parametrize("name", SHOWN)
def test_without_unicode_there_are_plain_signs(tmp_path: Path, snapshot: Compare, name: str) -> None:
    """Where stdout carries ASCII only, everything is still told, in columns that are still right."""
    populate(tmp_path)
    ran = run(tmp_path, *SHOWN[name], LC_ALL="C", PYTHONIOENCODING="ascii")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.isascii()
    snapshot(f"cli/{name}-ascii.txt", without_ages(ran.stdout))


@pytest.mark.parametrize("name", DATA)
def test_json_without_unicode_is_the_same_data(tmp_path: Path, name: str) -> None:
    """What ASCII cannot carry is escaped, not lost."""
    populate(tmp_path)
    ran = run(tmp_path, *DATA[name], LC_ALL="C", PYTHONIOENCODING="ascii")
    assert ran.stdout.isascii()
    assert ran.data == run(tmp_path, *DATA[name]).data


def test_a_terminal_gets_colours(tmp_path: Path) -> None:
    """The todo in progress is yellow, and every colour is taken back on its own line."""
    populate(tmp_path)
    written = on_terminal(tmp_path, *SHOWN["show"]).decode()
    assert "\x1b[33m  ● 2  \x1b[0m\x1b[33mDrawing" in written
    last_codes = [line.rpartition("\x1b[")[2] for line in written.splitlines() if ESCAPE in line]
    assert all(code.startswith("0m") for code in last_codes)


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
@pytest.mark.parametrize("name", SHOWN)
def test_colours_can_be_turned_off(tmp_path: Path, name: str, environ: dict[str, str]) -> None:
    """`NO_COLOR` and a dumb terminal get no escape codes, and the same text."""
    populate(tmp_path)
    plain = on_terminal(tmp_path, *SHOWN[name], environ=environ).decode()
    assert ESCAPE not in plain
    assert "●" in plain or name == "show-at"


def test_columns_narrow_a_pipe_too(tmp_path: Path) -> None:
    """A program that sets `COLUMNS` gets lines of that width."""
    populate(tmp_path)
    ran = run(tmp_path, *SHOWN["show"], COLUMNS="30")
    assert max(width(line) for line in ran.stdout.splitlines()) <= 30
