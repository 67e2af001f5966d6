"""TodoWrite on a command line, for the tests of the command and of its quoting."""

import json
from collections.abc import Mapping
from typing import Any

from holdfast import Board
from holdfast.shell import ShellResult, run

USAGE = """Usage: TodoWrite '{"todos":[...]}'"""
UPDATED = ShellResult("Todo list updated: 1 pending", "", 0)


def payload(content: str = "A", count: int = 1, **more: Any) -> str:
    """The JSON text of a list."""
    todo = {"content": content, "activeForm": "Doing", "status": "pending"} | more
    return json.dumps({"todos": [todo] * count}, ensure_ascii=False)


def ran(line: str, board: Board | None = None, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Run a line with nothing in the environment unless told otherwise."""
    return run(line, Board(dialect="shell") if board is None else board, environ or {})
