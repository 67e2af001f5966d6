"""The command `TodoWrite`, for agents that live in a shell, over the durable store.

An agent waits for this command many times in a session, so it imports no more than the write itself needs.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn, TextIO

from ..board import Board
from ..board.tokens import estimate
from ..errors import UsageError
from ..plan import About
from ..shell import ShellResult, run_arguments
from ..stores.locate import git_branch, locate

INTERRUPTED = 130
"""What a shell calls the exit code of a command ended by Ctrl-C."""


def main() -> NoReturn:
    """Run the command that this process was started as, and end the process.

    The plan is on the disk and the texts are written: what Python would still tidy up takes a fifth of the run.
    """
    try:
        arguments = [_as_utf8(argument) for argument in sys.argv[1:]]
        result = todo_write([_from_stdin()] if arguments == ["-"] else arguments, os.environ)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    _print(result.stdout, sys.stdout)
    _print(result.stderr, sys.stderr)
    os._exit(result.exit_code)


def todo_write(arguments: Sequence[str], environ: Mapping[str, str]) -> ShellResult:
    """What the command prints and its exit code. The write is on the disk when this returns."""
    try:
        path = locate(environ)
    except OSError as error:
        return ShellResult("", f"Error: the working directory cannot be read ({error.strerror}): go to another one", 1)
    session, agent = environ.get("HOLDFAST_SESSION") or "default", environ.get("HOLDFAST_AGENT") or "main"
    try:
        board = Board(dialect="shell", store=path, session=session, agent=agent)
    except UsageError as error:  # a wrong address, or a driver that is not installed
        return ShellResult("", f"Error: {error}", 1)
    board.introduce(About(client="TodoWrite", folder=os.getcwd(), branch=git_branch()))
    board.count_tokens(estimate)
    try:
        return run_arguments(arguments, board, environ)
    finally:
        board.store.close()


def _as_utf8(argument: str) -> str:
    """An argument as its bytes say in UTF-8, whatever Python took them for."""
    return argument if argument.isascii() else os.fsencode(argument).decode("utf-8", "surrogateescape")


def _from_stdin() -> str:
    """The text on standard input; empty if it is closed."""
    return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8-sig", "surrogateescape")


def _print(text: str, stream: TextIO | None) -> None:
    """Write a text in UTF-8, whatever the locale. Nobody may be there to read it: the exit code still says it."""
    if text and stream is not None:
        try:
            stream.buffer.write(f"{text}\n".encode("utf-8", "replace"))
            stream.buffer.flush()
        except OSError:
            pass
