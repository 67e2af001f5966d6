"""Every command of `holdfast`: one module each, named after it. A command is loaded when it is asked for.

This is the one list: the help, the reference and the completions are made out of it, in this order.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..command import Command

NAMES = (
    *("show", "sessions", "log", "watch", "serve"),
    *("agent", "mcp", "install", "uninstall", "hook"),
    *("add", "start", "done", "cancel", "block", "reword", "move", "remove", "undo", "clear"),
    *("claim", "release", "finish"),
    *("export", "import", "migrate", "stats", "eval", "dialects", "convert", "doctor", "completion"),
)


def load_command(name: str) -> "Command":
    """The command of one of these names."""
    module = import_module(f".{'import_' if name == 'import' else name}", __name__)  # a keyword cannot name a module
    command: Command = module.COMMAND
    return command


def load_commands() -> "tuple[Command, ...]":
    """Every command."""
    return tuple(map(load_command, NAMES))
