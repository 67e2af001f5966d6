"""TodoWrite as a command line (seed 002), and the router that tells such lines from others."""

import os
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from .board import Board
from .dialects.shell import HELP, USAGE, Shell
from .rules import Rules
from .text import describe

COMMAND = "TodoWrite"


class CommandKind(Enum):
    """Who runs a line: Holdfast, or the native shell."""

    TODO_WRITE = "todo_write"
    NATIVE = "native"


class ShellResult(NamedTuple):
    """What a command leaves behind, its texts without the last line break."""

    stdout: str
    stderr: str
    exit_code: int


def route(line: str) -> CommandKind:
    """Who runs this line: Holdfast if its first word is exactly TodoWrite."""
    first, _ = _first_word(line)
    return CommandKind.TODO_WRITE if first == COMMAND else CommandKind.NATIVE


def run(line: str, board: Board, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Run one TodoWrite line on a board. The limits in the environment are read at each call."""
    first, rest = _first_word(line)
    if first != COMMAND:
        return ShellResult("", f"Error: Not a {COMMAND} command: {first}", 1)
    rest = rest.strip()
    if rest[:1] in ("{", "["):
        return write(rest, board, environ)
    try:
        arguments = words(rest)
    except ValueError as error:
        return ShellResult("", f"Error: {error}\n{USAGE}", 1)
    return run_arguments(arguments, board, environ)


def run_arguments(arguments: list[str], board: Board, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Run TodoWrite with arguments that a shell has already taken apart."""
    if arguments in (["-h"], ["--help"]):
        return ShellResult(HELP, "", 0)
    if not arguments or not arguments[0].strip():
        return ShellResult("", f"Error: Missing JSON parameter\n{USAGE}", 1)
    if len(arguments) > 1:
        return ShellResult("", f"Error: Expected one JSON parameter, received {len(arguments)}\n{USAGE}", 1)
    return write(arguments[0], board, environ)


def write(payload: str, board: Board, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Write a JSON text to a board as the command does."""
    dialect = board.dialect if isinstance(board.dialect, Shell) else Shell()
    try:
        limits = _limits(os.environ if environ is None else environ)
    except ValueError as error:
        return ShellResult("", f"Error: {error}", 1)
    reply = board.write(payload, dialect.under(limits))
    return ShellResult(reply.text, "", 0) if reply.ok else ShellResult("", reply.text, 1)


def words(text: str) -> list[str]:
    """The words of a command line, quoted as in a shell: single quotes, double quotes with escapes, backslashes.

    Raises ValueError for a quote that is not closed.
    """
    found: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(text):
        char = text[at]
        if char in " \t\n":
            if word is not None:
                found.append("".join(word))
                word = None
            at += 1
            continue
        piece, at = _piece(text, at)
        word = [*(word or ()), piece]
    return found if word is None else [*found, "".join(word)]


def _piece(text: str, at: int) -> tuple[str, int]:
    """The next piece of a word, and where the text goes on after it."""
    char = text[at]
    if char == "'":
        end = text.find("'", at + 1)
        if end < 0:
            raise ValueError("Unclosed single quote")
        return text[at + 1 : end], end + 1
    if char == '"':
        return _double_quoted(text, at + 1)
    if char == "\\":
        return ("" if text[at + 1 : at + 2] == "\n" else text[at + 1 : at + 2]), at + 2
    end = at
    while end < len(text) and text[end] not in " \t\n'\"\\":
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
    first, *rest = line.strip().split(maxsplit=1) or [""]
    return first, rest[0] if rest else ""


def _limits(environ: Mapping[str, str]) -> Rules:
    """The limits that the environment sets. Raises ValueError for one that is no positive whole number."""
    rules = Rules()
    if "TODO_MAX_ITEMS" in environ:
        rules = rules._replace(max_items=_limit(environ, "TODO_MAX_ITEMS"))
    if "TODO_MAX_CONTENT_LENGTH" in environ:
        rules = rules._replace(max_content=_limit(environ, "TODO_MAX_CONTENT_LENGTH"))
    return rules


def _limit(environ: Mapping[str, str], variable: str) -> int:
    value = environ[variable]
    if not (value.isascii() and value.isdecimal() and len(value) < 16 and int(value) > 0):
        raise ValueError(f"{variable} must be a positive whole number, received {describe(value)}")
    return int(value)
