"""Command lines, taken apart as the commands say. The help is ours, so that it is the same on every Python."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn

from .. import __version__
from ..text import describe, one_line
from .command import Argument, Command, Exit
from .help import PROGRAM, command_help, overview

OPTIONS = ("-h", "--help", "--version")


class Parser(ArgumentParser):
    """A parser that answers a wrong command line with one line, which says where help is."""

    help_text = ""
    commands: Sequence[Command] = ()

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The options of a command line. Ends with exit code 2 if it is wrong, and with the help if it is empty."""
        if not args:
            self.exit(Exit.USAGE, self.format_help())
        names = [command.name for command in self.commands]
        if args[0] not in (*names, *OPTIONS):
            self.error(f"no command {describe(args[0])}{_meant(args[0], names)}")
        options, extra = self.parse_known_args(args, namespace)
        if extra:
            self._too_much(options.command, extra)
        return options

    def _too_much(self, command: Command, extra: Sequence[str]) -> NoReturn:
        """End with exit code 2 for words that a command does not take."""
        taken = [argument.name for argument in command.all_arguments]
        self.prog += f" {command.name}"
        self.error(f"{command.name} takes no {describe(' '.join(extra))}{_meant(extra[0], taken)}")

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
    made.commands = commands
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
    if argument.is_option:
        names = [argument.short, argument.name] if argument.short else [argument.name]
        parser.add_argument(*names, required=argument.is_required, **how)
        return
    if argument.many:
        how["nargs"] = 1 if argument.many == "1" else argument.many
    parser.add_argument(argument.key, metavar=argument.name, **how)


def _meant(word: str, names: Iterable[str]) -> str:
    """The name that looks most like a word, as a question."""
    return "".join(f" (did you mean {name}?)" for name in get_close_matches(word, list(names), 1))


def _value(argument: Argument, word: str) -> object:
    if argument.choices and word not in argument.choices:
        raise ArgumentTypeError(f"expected one of {', '.join(argument.choices)}, received {describe(word)}")
    try:
        return argument.of(word)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
