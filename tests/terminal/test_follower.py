"""The box that follows a board: redrawn in place in a terminal, told in plain lines elsewhere."""

import io
import sys
import threading
from collections.abc import Callable

import pyte
import pytest
from pyte.modes import LNM
from rich.console import Console

from holdfast import Board
from holdfast.terminal import BoardFollower, follow

START = [{"content": "Read", "status": "in_progress", "activeForm": "Reading"}, {"content": "Write"}]


class Terminal:
    """A console whose output an emulator shows."""

    def __init__(self, columns: int = 60, lines: int = 12) -> None:
        self.file = io.StringIO()
        self.console = Console(
            file=self.file, force_terminal=True, width=columns, height=lines, color_system="standard"
        )
        self._screen = pyte.Screen(columns, lines)
        self._screen.set_mode(LNM)

    @property
    def lines(self) -> list[str]:
        """What is on the screen."""
        self._screen.reset()
        self._screen.set_mode(LNM)
        pyte.Stream(self._screen).feed(self.file.getvalue())
        return [line.rstrip() for line in self._screen.display if line.strip()]

    @property
    def has_cursor(self) -> bool:
        """Whether the cursor is shown, after the lines were looked at."""
        return not self._screen.cursor.hidden


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that wants colours, whatever the tests run in."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def printed_lines(board: Board, act: Callable[[], object], console: Console) -> list[str]:
    """The plain lines that an act on a board makes a follow print."""
    file = console.file
    assert isinstance(file, io.StringIO)
    with BoardFollower(board, console):
        before = len(file.getvalue())
        act()
    return file.getvalue()[before:].splitlines()


def test_it_is_redrawn_in_its_place() -> None:
    """After each change there is one box on the screen, and it shows the plan as it is now."""
    terminal, board = Terminal(), Board()
    with BoardFollower(board, terminal.console):
        assert len(terminal.lines) == 2
        board.write({"todos": START})
        assert len(terminal.lines) == 4
        board.edit("1", status="completed")
        lines = terminal.lines
        assert [line[:9] for line in lines] == ["┌─ Tasks ", "│ ✓ Read ", "│ ○ Write", "└────────"]
        board.clear()
        assert len(terminal.lines) == 2


def test_what_is_printed_meanwhile_goes_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the host prints stands above the box, which stays whole."""
    terminal, board = Terminal(), Board()
    board.write({"todos": START})
    monkeypatch.setattr(sys, "stdout", terminal.file)
    with BoardFollower(board, terminal.console):
        print("a line of the host")
        board.edit("2", status="cancelled")
    assert [line[:9] for line in terminal.lines] == ["a line of", "┌─ Tasks ", "│ ● Readi", "│ ✗ Write", "└────────"]


def test_a_plan_that_is_taller_than_the_screen() -> None:
    """Of a long plan only what fits is drawn, around what is being done, so that it can be redrawn in place."""
    terminal, board = Terminal(lines=10), Board()
    todos = [{"content": f"step {at}", "status": "completed" if at < 25 else "pending"} for at in range(50)]
    with BoardFollower(board, terminal.console):
        board.write({"todos": todos})
        board.edit("26", status="in_progress")
        board.edit("26", status="completed")
        lines = terminal.lines
    assert len(lines) <= 10
    assert sum("Tasks" in line for line in lines) == 1
    assert any("○ step 26" in line for line in lines)


def test_it_can_be_killed_at_any_time() -> None:
    """While it follows, the cursor is shown: nothing needs to be put right if the process dies."""
    terminal, board = Terminal(), Board()
    with BoardFollower(board, terminal.console):
        board.write({"todos": START})
        assert terminal.lines and terminal.has_cursor


def test_closed_is_closed() -> None:
    """After its end nothing more is drawn, and it may be ended twice."""
    terminal, board = Terminal(), Board()
    close = follow(board, terminal.console)
    board.write({"todos": START})
    close()
    close()
    drawn = terminal.file.getvalue()
    board.clear()
    assert terminal.file.getvalue() == drawn


def test_threads_may_write_at_once() -> None:
    """Writes from several threads leave one whole box."""
    terminal, board = Terminal(), Board()
    board.write({"todos": START})
    with BoardFollower(board, terminal.console):
        threads = [threading.Thread(target=board.add, args=(f"more {at}",)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = terminal.lines
    assert len(lines) == 8 and lines[0].startswith("┌") and lines[-1].startswith("└")


def test_plain_lines_without_a_terminal() -> None:
    """A pipe or a file gets a line for each todo that is new or different, without escape codes."""
    board = Board()
    board.write({"todos": START})
    file = io.StringIO()
    with BoardFollower(board, Console(file=file)):
        board.update([{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}])
        board.add("More\x1b[2J\nlines")
        board.remove("2")
        board.clear()
    assert file.getvalue().splitlines() == [
        "● Reading...",
        "○ Write",
        "✓ Read",
        "● Write...",
        "○ More␛[2J lines",
        "removed: Write",
        "the plan is cleared",
    ]


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_plain_lines_where_they_are_wanted(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR and a dumb terminal get plain lines too."""
    monkeypatch.setenv(variable, value)
    file = io.StringIO()
    board = Board()
    assert printed_lines(board, lambda: board.write({"todos": START}), Console(file=file, force_terminal=True)) == [
        "● Reading...",
        "○ Write",
    ]
    assert "\x1b" not in file.getvalue()


def test_markup_is_text() -> None:
    """What looks like rich's markup or an emoji code is shown as it was written."""
    board = Board()
    text = "[red]not red[/] :smile: [link=http://x]y[/link]"
    assert printed_lines(board, lambda: board.add(text), Console(file=io.StringIO())) == [f"○ {text}"]
    terminal = Terminal()
    with BoardFollower(board, terminal.console):
        assert any(text in line for line in terminal.lines)


def test_endless_lines_are_cut() -> None:
    """A text without an end is cut in plain lines as well."""
    board = Board(rules=None)
    board.write({"todos": [{"content": "x" * 200}]})
    file = io.StringIO()
    BoardFollower(board, Console(file=file)).close()
    assert len(file.getvalue()) == 201
