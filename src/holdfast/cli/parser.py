"""Command lines, taken apart as the commands say. The help is ours, so that it is the same on every Python."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn

from .. import __version__
from ..text import describe, one_line
from .command import Argument, Command, Exit
from .help import PROGRAM, command_help, overview


class Parser(ArgumentParser):
    """A parser that answers a wrong command line with one line, which says where help is."""

    help_text = ""
    names: Sequence[str] = ()

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The options of a command line. Ends with exit code 2 if it is wrong."""
        first = next(iter(args), "-")
        if self.names and not first.startswith("-") and first not in self.names:
            meant = get_close_matches(first, self.names, 1)
            self.error(f"no command {describe(first)}{f', did you mean {meant[0]}?' if meant else ''}")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(Exit.USAGE, f"{PROGRAM}: {one_line(message)}; see {self.prog} --help\n")

    def format_help(self) -> str:
        """What `--help` prints."""
        return f"{self.help_text}\n"


def parser(commands: Sequence[Command]) -> Parser:
    """The parser of the whole program."""
    made = Parser(PROGRAM, allow_abbrev=False)
    made.help_text = overview(commands)
    made.names = [command.name for command in commands]
    made.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    places = made.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for command in commands:
        sub = places.add_parser(command.name, allow_abbrev=False)
        sub.help_text = command_help(command)
        sub.set_defaults(command=command)
        for argument in command.all_arguments:
            _add(sub, argument)
    return made


def _add(parser: Parser, argument: Argument) -> None:
    how: dict[str, Any] = {"action": "store_true"} if argument.is_flag else {"type": partial(_value, argument)}
    if argument.choices:
        how["choices"] = argument.choices
    if argument.is_option:
        names = [argument.short, argument.name] if argument.short else [argument.name]
        parser.add_argument(*names, required=argument.is_required, **how)
        return
    if argument.many:
        how["nargs"] = 1 if argument.many == "1" else argument.many
    parser.add_argument(argument.key, metavar=argument.name, **how)


def _value(argument: Argument, word: str) -> object:
    try:
        return argument.of(word)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
