"""TodoWrite as a command line, and the router that recognizes such lines. Its texts are in the dialect `shell`."""

import os
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from .board import Board
from .dialects.shell import HELP, USAGE, Shell
from .plan.rules import NO_LIMIT, Rules
from .text import describe

COMMAND = "TodoWrite"
BLANKS = " \t\n"
"""What stands between the words of a command line."""

MAX_ITEMS = "TODO_MAX_ITEMS"
MAX_CONTENT = "TODO_MAX_CONTENT_LENGTH"
QUOTE_INSIDE = """Inside single quotes, write a single quote as '\\''"""


class CommandKind(Enum):
    """Who runs a line: Holdfast, or the native shell."""

    TODO_WRITE = "todo_write"
    NATIVE = "native"


class ShellResult(NamedTuple):
    """The result of a command; its texts have no line break at the end."""

    stdout: str
    stderr: str
    exit_code: int


def route(line: str) -> CommandKind:
    """Who runs this line: Holdfast if its first word is exactly TodoWrite."""
    first, _ = _first_word(line)
    return CommandKind.TODO_WRITE if first == COMMAND else CommandKind.NATIVE


def run(line: str, board: Board, environ: Mapping[str, str] | None = None, stdin: str = "") -> ShellResult:
    """Run one TodoWrite line on a board. The limits in the environment are read at each call."""
    first, rest = _first_word(line)
    if first != COMMAND:
        return _failed(f"Not a {COMMAND} command: {describe(first)}")
    if rest[:1] in ("{", "["):
        return write(rest, board, environ)
    try:
        arguments = words(rest)
    except ValueError as error:
        return _failed(f"{error}\n{QUOTE_INSIDE}\n{USAGE}")
    return run_arguments([stdin] if arguments == ["-"] else arguments, board, environ)


def run_arguments(arguments: Sequence[str], board: Board, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Run TodoWrite with arguments that a shell has already split."""
    match arguments:
        case ["-h" | "--help"]:
            return ShellResult(HELP, "", 0)
        case [payload] if payload.strip():
            return write(payload, board, environ)
        case [] | [_]:
            return _failed(f"Missing JSON parameter\n{USAGE}")
        case _:
            return _failed(f"Expected one JSON parameter, received {len(arguments)}\n{QUOTE_INSIDE}\n{USAGE}")


def write(payload: str, board: Board, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Write a JSON text to a board as the command does."""
    dialect = board.dialect if isinstance(board.dialect, Shell) else Shell()
    try:
        limits = _limits(os.environ if environ is None else environ)
    except ValueError as error:
        return _failed(str(error))
    reply = board.write_in(dialect.with_rules(limits), payload)
    return ShellResult(reply.text, "", 0) if reply.ok else ShellResult("", reply.text, 1)


def words(text: str) -> list[str]:
    """The words of a command line, quoted as in a shell: single quotes, double quotes with escapes, backslashes.

    Raises ValueError for a quote that is not closed.
    """
    complete: list[str] = []
    word: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in BLANKS:
            complete += ["".join(word)] if word else []
            word = []
            at += 1
        elif text.startswith("\\\n", at):
            at += 2  # the line continues in the next one
        else:
            piece, at = _piece(text, at)
            word.append(piece)
    return [*complete, "".join(word)] if word else complete


def _piece(text: str, at: int) -> tuple[str, int]:
    """The next piece of a word, and where the text continues after it."""
    char = text[at]
    if char == "'":
        end = text.find("'", at + 1)
        if end < 0:
            raise ValueError("Unclosed single quote")
        return text[at + 1 : end], end + 1
    if char == '"':
        return _double_quoted(text, at + 1)
    if char == "\\":
        return text[at + 1 : at + 2], at + 2
    end = at
    while end < len(text) and text[end] not in BLANKS + "'\"\\":
        end += 1
    return text[at:end], end


def _double_quoted(text: str, at: int) -> tuple[str, int]:
    piece: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            return "".join(piece), at + 1
        if char == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`", "\n"):
            piece.append("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
        else:
            piece.append(char)
            at += 1
    raise ValueError("Unclosed double quote")


def _first_word(line: str) -> tuple[str, str]:
    line = line.strip(BLANKS)
    end = next((at for at, char in enumerate(line) if char in BLANKS), len(line))
    return line[:end], line[end:].lstrip(BLANKS)


def _limits(environ: Mapping[str, str]) -> Rules:
    """The limits that the environment sets. Raises ValueError for one that is not a positive whole number."""
    rules = Rules()
    if MAX_ITEMS in environ:
        rules = rules.replace(max_items=_limit(environ, MAX_ITEMS))
    if MAX_CONTENT in environ:
        rules = rules.replace(max_content=_limit(environ, MAX_CONTENT))
    return rules


def _limit(environ: Mapping[str, str], variable: str) -> int:
    value = environ[variable]
    digits = value.lstrip("0")
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"{variable} must be a positive whole number, received {describe(value)}")
    return int(digits) if len(digits) < len(str(NO_LIMIT)) else NO_LIMIT


def _failed(message: str) -> ShellResult:
    return ShellResult("", f"Error: {message}", 1)
