"""Reads command lines as the commands describe them. The help is ours, so that it is the same on every Python."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

from .. import __version__
from ..text import describe, one_line
from .command import HELP_OPTIONS, PROGRAM, Argument, Command, Exit
from .commands import NAMES, load_command, load_groups


class CommandParser(ArgumentParser):
    """Reads the arguments of one command. A wrong command line is answered with one line, which says where help is."""

    def __init__(self, command: Command) -> None:
        super().__init__(f"{PROGRAM} {command.name}", allow_abbrev=False)
        self.command = command
        for argument in command.all_arguments:
            self._add(argument)

    def options(self, words: Sequence[str]) -> dict[str, Any]:
        """The options of a command line. Ends the process with exit code 2 if it is wrong."""
        options, extra = self.parse_known_args(words)
        if extra:
            known = [argument.name for argument in self.command.all_arguments]
            self.error(f"{self.command.name} takes no {describe(' '.join(extra))}{_suggestion(extra[0], known)}")
        return vars(options)

    def error(self, message: str) -> NoReturn:
        """End the process with exit code 2."""
        fail(message, self.prog)

    def format_help(self) -> str:
        """What `--help` prints."""
        from .help import command_help

        return f"{command_help(self.command)}\n"

    def _add(self, argument: Argument) -> None:
        how: dict[str, Any] = {"action": "store_true"} if argument.is_flag else {"type": partial(_value, argument)}
        if argument.is_option:
            names = [argument.short, argument.name] if argument.short else [argument.name]
            self.add_argument(*names, required=argument.is_required, **how)
            return
        if argument.many:
            how["nargs"] = 1 if argument.many == "1" else argument.many
        self.add_argument(argument.key, metavar=argument.name, **how)


def parse(words: Sequence[str]) -> tuple[Command, dict[str, Any]]:
    """The command that a command line asks for, and its options. Raises SystemExit for help, and for a wrong line."""
    if not words:
        from .first_steps import HERE

        return HERE, {}
    name = words[0]
    if name in (*HELP_OPTIONS, "--version"):
        print(f"{PROGRAM} {__version__}" if name == "--version" else _overview())
        raise SystemExit(Exit.OK)
    if name not in NAMES:
        fail(f"no command {describe(name)}{_suggestion(name, NAMES)}", PROGRAM)
    command = load_command(name)
    return command, CommandParser(command).options(words[1:])


def fail(message: str, program: str) -> NoReturn:
    """End the process with exit code 2, and one line that says what was wrong."""
    print(f"{PROGRAM}: {one_line(message)}; see {program} --help", file=sys.stderr)
    raise SystemExit(Exit.USAGE)


def _overview() -> str:
    from .help import overview

    return overview(load_groups())


def _suggestion(word: str, names: Iterable[str]) -> str:
    """The name that looks most like a word, as a question."""
    from difflib import get_close_matches

    return "".join(f" (did you mean {name}?)" for name in get_close_matches(word, list(names), 1))


def _value(argument: Argument, word: str) -> object:
    if argument.choices and word not in argument.choices:
        raise ArgumentTypeError(f"expected one of {', '.join(argument.choices)}, received {describe(word)}")
    try:
        return argument.of(word)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
