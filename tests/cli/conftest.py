"""`holdfast watch` in a real pseudo-terminal, for every test of it."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from watch_driving import TODOS, WATCH, Start

from holdfast import Board

if sys.platform != "win32":
    from pseudo_terminal import PseudoTerminal


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A store with one session at work."""
    path = str(tmp_path / "plans.db")
    Board(store=path, session="fix").write({"todos": TODOS})
    return path


@pytest.fixture
def start(db: str) -> Iterator[Start]:
    """Start the real command in a terminal."""
    with ExitStack() as stack:

        def start(
            columns: int = 80,
            lines: int = 24,
            session: str | None = None,
            once: bool = False,
            code: str = WATCH,
            **environ: str,
        ) -> PseudoTerminal:
            words = ["watch", "--db", db, *(["--session", session] if session else []), *(["--once"] if once else [])]
            terminal = PseudoTerminal(code.format(words=words), columns, lines, environ)
            return stack.enter_context(terminal)

        yield start
