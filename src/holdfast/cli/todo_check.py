"""The check of a todo, run for the person who completes it on the command line.

A command may come from a model. So it is shown first, and runs only if the person says so: by an answer, or by an
option. What a check prints goes to standard error.
"""

import os
import sys
from pathlib import Path

from ..board import Board
from ..board.verification import FileChecks
from ..plan import Todo
from ..plan.checks import Check, CheckResult, clean_output, parse_check
from ..stores.locate import FOLDER
from ..text import one_line
from .command import Argument
from .invocation import CommandError, Invocation, is_address

SECONDS = 600
MOST_OUTPUT = 100_000

RUN_CHECK = Argument("--run-check", "run the command that it must pass, without asking")
UNCHECKED = Argument("--unchecked", "do not run its check: it counts as claimed, not as proved")


def allow_check(call: Invocation, board: Board, id: str) -> None:
    """Let the board run the check of a todo, unless the options say otherwise.

    Raises CommandError if its command may not run: the person says no, or nobody is there to ask.
    """
    todo = board.plan.get(id)
    if todo is None or not todo.check or call.flag("unchecked") or not (todo.is_open or todo.is_claimed):
        return
    check = parse_check(todo.check)
    if check.kind == "command" and not call.flag("run_check"):
        _ask(todo)
    root = project_folder(call)
    files = FileChecks(root)

    def run(due: Check) -> CheckResult | None:
        result = files(due)
        if result is None and due == check and check.kind == "command":
            result = _run_command(due.target, root)
        _show(result)
        return result

    board.verify_with(run)


def project_folder(call: Invocation) -> Path:
    """The folder that the plans are for: the one that has `.holdfast` in it, else the working directory."""
    folder = Path.cwd() if is_address(call.database) else Path(call.database).parent
    return folder.parent if folder.name == FOLDER else Path.cwd()


def _ask(todo: Todo) -> None:
    shown = one_line(todo.check)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandError(
            f"todo {one_line(todo.id)} must pass a command: {shown}. Give --run-check to run it, or --unchecked"
        )
    print(f"It must pass this command:\n    {shown}\nRun it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("not run, and nothing changed; --unchecked marks it as claimed")


def _run_command(command: str, root: Path) -> CheckResult:
    from ..agent.tools.bash import run_command

    print(f"$ {one_line(command)}", file=sys.stderr, flush=True)
    code, output = run_command(["bash", "-c", command], root, os.environ, SECONDS, MOST_OUTPUT)
    ending = f"[ended after {SECONDS} s]" if code is None else f"[exit code {code}]" if code else ""
    return CheckResult(code == 0, clean_output("\n".join(part for part in (output, ending) if part)))


def _show(result: CheckResult | None) -> None:
    for line in result.output.splitlines() if result is not None else ():
        print(f"| {one_line(line)}", file=sys.stderr)
