"""The extra `postgres`: a plan in a real database, written in Python and read by the command."""

import os
import subprocess

from holdfast import Board

board = Board(store=os.environ["HOLDFAST_DB"])
assert board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]}).ok
assert board.claim("ann").todo is not None
shown = subprocess.run(["holdfast", "show"], capture_output=True, text=True, check=True).stdout
assert "Read the code" in shown, shown
