"""The help texts, made out of the commands: the same for `--help` and for the reference."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import TextWrapper

from .command import PROGRAM, Argument, Command

ABOUT = "See and correct the plans of your agents."
WIDTH = 96
LEFT = 22
"""Where explanations begin."""


def overview(groups: Mapping[str, Sequence[Command]]) -> str:
    """The help of the whole program: its commands, by what they are for."""
    return "\n".join(
        [
            f"usage: {PROGRAM} [COMMAND] [OPTION…]",
            "",
            f"{ABOUT} Without a command: the plan here, or what to do first.",
            "",
            *(line for title, commands in groups.items() for line in _group(title, commands)),
            "options:",
            *_rows([("-h, --help", "print this text"), ("--version", "print the version")]),
            "",
            f"{PROGRAM} COMMAND --help says more, with examples.",
        ]
    )


def _group(title: str, commands: Sequence[Command]) -> list[str]:
    return [f"{title}:", *_rows((command.name, summary(command)) for command in commands), ""]


def command_help(command: Command) -> str:
    """The help of one command."""
    arguments = command.all_arguments
    lines = [*_wrap(usage(command), WIDTH, " " * 8), "", *_wrap(command.help, WIDTH)]
    lines += _section("arguments", [argument for argument in arguments if not argument.is_option])
    lines += _section("options", [argument for argument in arguments if argument.is_option])
    if command.examples:
        lines += ["", "examples:"]
        lines += [line for example in command.examples for line in (f"  {example.line}", f"      {example.does}")]
    return "\n".join(lines)


def usage(command: Command) -> str:
    """The usage line: a command's own arguments in full, the shared ones in short."""
    parts = [_in_usage(argument) for argument in command.arguments]
    shared = ["[OPTION…]"] if len(command.all_arguments) > len(parts) else []
    return " ".join([f"usage: {PROGRAM} {command.name}", *parts, *shared])


def summary(command: Command) -> str:
    """What a command does, in a few words."""
    first = command.help.partition(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:]


def signature(argument: Argument) -> str:
    """An argument as help lists it: `-n, --limit N`."""
    name = f"{argument.short}, {argument.name}" if argument.short else argument.name
    return f"{name} {argument.value_label}" if argument.is_option and not argument.is_flag else name


def explanation(argument: Argument) -> str:
    """What an argument is for, and what it may be."""
    what, *otherwise = argument.help.split("; ")
    choices = f": {', '.join(argument.choices)}" if argument.choices else ""
    return "; ".join([what + choices, *otherwise])


def _in_usage(argument: Argument) -> str:
    if argument.is_option:
        named = argument.name if argument.is_flag else f"{argument.name} {argument.value_label}"
        return named if argument.is_required else f"[{named}]"
    return {"?": f"[{argument.name}]", "+": f"{argument.name}…"}.get(argument.many, argument.name)


def _section(title: str, arguments: Sequence[Argument]) -> list[str]:
    rows = [(signature(argument), explanation(argument)) for argument in arguments]
    return ["", f"{title}:", *_rows(rows)] if rows else []


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for name, text in rows:
        first, *rest = _wrap(text, WIDTH - LEFT)
        head = f"  {name}"
        lines += [f"{head:{LEFT}}{first}"] if len(head) < LEFT - 1 else [head, " " * LEFT + first]
        lines += [" " * LEFT + line for line in rest]
    return lines


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of a text. A name with a hyphen, such as `--dry-run`, stays whole: it is to be copied."""
    return TextWrapper(width, subsequent_indent=indent, break_on_hyphens=False).wrap(text)
