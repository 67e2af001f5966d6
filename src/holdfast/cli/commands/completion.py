"""The command `completion`: a script for the shell. The scripts are in `completions`."""

import re

from ..command import Argument, Command, Example, Exit
from ..completions import LISTS, SESSIONS, SHELLS
from ..invocation import Invocation, Misuse

PLAIN = re.compile(r"[A-Za-z0-9._:@/+-]+")
"""What no shell takes for more than a word."""


def run(call: Invocation) -> int:
    """Print the completion script of a shell, or what such a script asks for."""
    from . import load_commands

    if (what := call.word("list")) is not None:
        call.screen.print_text(*filter(PLAIN.fullmatch, _names(call, what)))
        return Exit.OK
    if call.word("shell") is None:
        raise Misuse(f"name your shell: {', '.join(SHELLS)}")
    call.screen.print_text(*SHELLS[call.word("shell") or "bash"](load_commands()).splitlines())
    return Exit.OK


def _names(call: Invocation, what: str) -> list[str]:
    """The sessions, or the ids of a plan."""
    if what == SESSIONS:
        return list(dict.fromkeys(key.session for key in call.keys))
    return [todo.id for todo in call.board().plan.todos]


COMMAND = Command(
    "completion",
    "Print a script that completes `holdfast` commands in your shell.",
    run,
    (
        Argument("SHELL", "your shell", choices=tuple(SHELLS), many="?"),
        Argument("--list", "print what the script offers: names of sessions, or ids of todos", choices=LISTS),
    ),
    (
        Example("holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast", "for bash"),
        Example('holdfast completion zsh > "${fpath[1]}/_holdfast"', "for zsh"),
        Example("holdfast completion fish > ~/.config/fish/completions/holdfast.fish", "for fish"),
    ),
)
