"""A box that follows a board: drawn once, and again in its place after each change."""

import atexit
from collections.abc import Callable, Iterable
from threading import Lock

from rich.console import Console
from rich.live import Live

from ..board import Board
from ..plan import Change, Plan, checklist
from ..plan.change_words import clears_plan
from ..text import shorten
from .box import TodoBox
from .lines import with_fallbacks

LONGEST_LINE = 200
FRAME_ROWS = 3
"""The rows of a terminal that the todos cannot have: two of the frame, one below it."""


def follow(board: Board, console: Console | None = None) -> Callable[[], None]:
    """Show a board's plan, and keep showing it as it changes; call what is returned to end that.

    In a terminal the box is redrawn in place, and what else the process prints goes above it. Elsewhere, and where
    `NO_COLOR` is set or the terminal is dumb, each change is printed in plain lines, without escape codes.
    """
    return BoardFollower(board, console).close


class BoardFollower:
    """Shows one board's plan until it is closed; as a context manager it closes itself. See `follow`."""

    def __init__(self, board: Board, console: Console | None = None) -> None:
        self._console = Console() if console is None else console
        self._live: Live | None = None
        self._lock = Lock()
        if not is_plain(self._console):
            self._live = _start_live(self._console, board.plan)
            atexit.register(self.close)
        else:
            self._print(checklist.line(todo) for todo in board.plan.todos)
        self._unsubscribe = board.on_change(self._changed)

    def __enter__(self) -> "BoardFollower":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop following. The last box stays on the screen."""
        self._unsubscribe()
        with self._lock:
            if self._live is not None:
                atexit.unregister(self.close)
                self._live.stop()
                self._live = None

    def _changed(self, change: Change) -> None:
        live = self._live
        if live is not None:
            live.update(_box(change.after, self._console), refresh=True)
        elif clears_plan(change):
            self._print(["the plan is cleared"])
        else:
            self._print(checklist.difference_lines(change.differences))

    def _print(self, lines: Iterable[str]) -> None:
        encoding = self._console.encoding
        with self._lock:
            for line in lines:
                self._console.out(with_fallbacks(shorten(line, LONGEST_LINE), encoding), highlight=False)


def is_plain(console: Console) -> bool:
    """Whether a console gets plain lines: it is no terminal, a dumb one, or colours are not wanted."""
    return not console.is_terminal or console.is_dumb_terminal or console.no_color


def _start_live(console: Console, plan: Plan) -> Live:
    live = Live(_box(plan, console), console=console, auto_refresh=False)
    live.start(refresh=True)
    console.show_cursor(True)  # a process that is killed must not leave a terminal without one
    return live


def _box(plan: Plan, console: Console) -> TodoBox:
    return TodoBox(plan, rows=max(console.height - FRAME_ROWS, 1))
