"""What a command of `holdfast` is: a value. Parsers, completions and the reference are made out of these."""

from collections.abc import Callable
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, NamedTuple

from ..text import describe, is_whole_number

if TYPE_CHECKING:
    from .invocation import Invocation


PROGRAM = "holdfast"
HELP_OPTIONS = ("-h", "--help")


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    STORE = 3
    INTERRUPTED = 130
    PIPE = 141


EXIT_CODES = {
    Exit.OK: "done",
    Exit.REFUSED: "refused, and nothing changed: no such todo, session or revision, a text that breaks a rule, a "
    "part that is not installed",
    Exit.USAGE: "the command line is wrong",
    Exit.STORE: "the store cannot be used: missing rights, a full disk, a damaged file",
    Exit.INTERRUPTED: "ended by Ctrl-C",
    Exit.PIPE: "the program that read the output has ended",
}


class Argument(NamedTuple):
    """One argument of a command: `ID` is given by its position, `--at` is an option.

    An option may be left out unless it `is_required`; one without a `value` is a flag. `many` is how many words it
    takes: "" for one, "?" for at most one, "+" for at least one. `of` makes a value out of the word, and raises
    ValueError for a wrong one.
    """

    name: str
    help: str
    value: str = ""
    choices: tuple[str, ...] = ()
    many: str = ""
    of: Callable[[str], object] = str
    short: str = ""
    is_required: bool = False

    @property
    def is_option(self) -> bool:
        """Whether it is given by name."""
        return self.name.startswith("-")

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value."""
        return self.is_option and not self.value and not self.choices

    @property
    def key(self) -> str:
        """Its name as an invocation knows it."""
        return self.name.lstrip("-").replace("-", "_").lower()

    @property
    def value_label(self) -> str:
        """The placeholder of its value in help."""
        return self.value or self.key.upper()


class Example(NamedTuple):
    """A command line, and what it does."""

    line: str
    does: str


class Uses(Enum):
    """What a command works on."""

    NOTHING = 0
    STORE = 1
    BOARD = 2


class Command(NamedTuple):
    """One command of `holdfast`. `json_keys` describes what `--json` prints; a command without it prints no data."""

    name: str
    help: str
    run: "Callable[[Invocation], int]"
    arguments: tuple[Argument, ...] = ()
    examples: tuple[Example, ...] = ()
    json_keys: str = ""
    uses: Uses = Uses.BOARD

    @property
    def all_arguments(self) -> tuple[Argument, ...]:
        """Its own arguments, then those that commands share."""
        return (
            *self.arguments,
            *((SESSION, AGENT) if self.uses is Uses.BOARD else ()),
            *((DB,) if self.uses is not Uses.NOTHING else ()),
            *((JSON,) if self.json_keys else ()),
        )


MOST_DIGITS = 9


def whole_number(word: str, least: int = 0) -> int:
    """A number that is not negative, and not too large. Raises ValueError for anything else."""
    if not is_whole_number(word, MOST_DIGITS) or int(word) < least:
        most = "9" * MOST_DIGITS
        raise ValueError(f"expected a whole number from {least} to {most}, received {describe(word)}")
    return int(word)


def positive_number(word: str) -> int:
    """A number from 1 on. Raises ValueError for anything else."""
    return whole_number(word, 1)


def comma_list(word: str) -> tuple[str, ...]:
    """Names that are separated by commas, each once. Raises ValueError if there are no names."""
    names = tuple(dict.fromkeys(name.strip() for name in word.split(",") if name.strip()))
    if not names:
        raise ValueError("expected names that are separated by commas")
    return names


SESSION = Argument("--session", "the session; default: HOLDFAST_SESSION, else the one changed last", "NAME")
AGENT = Argument("--agent", "the agent; default: HOLDFAST_AGENT, else main", "NAME")
DB = Argument("--db", "the plan file or database; default: HOLDFAST_DB, else the file of this project", "DATABASE")
JSON = Argument("--json", "print data as JSON, with keys that stay the same")
