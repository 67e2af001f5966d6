"""The core with nothing else installed: a plan on the disk, both commands, and no module from elsewhere."""

import os
import subprocess
import sys

# ruff: noqa: E402 what Python has imported before is not ours
before = set(sys.modules)

from holdfast import Board, Session
from holdfast.cli.main import run
from holdfast.cli.todo_write import todo_write

os.environ["HOLDFAST_DB"] = "plans.db"
board = Board(store="plans.db")
assert board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]}).ok
assert Board(store="plans.db").plan.todos[0].content == "Read the code"
assert Session(store="plans.db", name="other", policy="rail").attention.before_request()

plan = '{"todos": [{"content": "Run it", "status": "pending", "activeForm": "Running it"}]}'
written = todo_write([plan], {**os.environ, "HOLDFAST_SESSION": "shell"})
assert written.exit_code == 0, written.stderr
for words in (["show"], ["add", "Tell them"], ["done", "1"], ["undo"], ["log"], ["stats"], ["export"], ["sessions"]):
    assert run(words) == 0, words

strangers = {name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names - {"holdfast"}
assert not strangers, f"the core imported {strangers}"

for command in (["TodoWrite", plan], ["holdfast", "show"]):
    subprocess.run(command, check=True)
