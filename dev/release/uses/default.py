"""The default install: what is drawn in a terminal."""

import subprocess

from rich.console import Console

from holdfast import Board
from holdfast.terminal import TodoBox

board = Board(store="plans.db")
assert board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]}).ok
console = Console(width=60, record=True)
console.print(TodoBox(board.plan))
assert "Fix the bug" in console.export_text()
watch = ["holdfast", "watch", "--once", "--db", "plans.db"]
assert "Fix the bug" in subprocess.run(watch, capture_output=True, text=True, check=True).stdout
