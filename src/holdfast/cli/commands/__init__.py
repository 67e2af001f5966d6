"""Every command of `holdfast`: one module each, named after it. A command is loaded when it is asked for.

This is the one list: the help, the reference and the completions are made out of it, in this order.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..command import Command

GROUPS = {
    "see": ("show", "ready", "sessions", "log", "watch", "serve", "notify"),
    "correct": (
        *("add", "set", "start", "done", "cancel", "block", "reopen", "reword", "check", "move", "remove"),
        *("undo", "redo", "restore", "clear", "rename", "archive", "delete", "approve", "resume"),
    ),
    "share": ("claim", "release", "finish"),
    "set up": ("install", "uninstall", "agent", "mcp", "doctor", "trust", "completion", "hook"),
    "move": ("sync", "export", "import", "migrate", "convert", "prune"),
    "measure": ("stats", "eval", "dialects"),
}
"""The names of the commands, by what they are for."""

NAMES = tuple(name for names in GROUPS.values() for name in names)


def load_command(name: str) -> "Command":
    """The command of one of these names."""
    module = import_module(f".{'import_' if name == 'import' else name}", __name__)  # a keyword cannot name a module
    command: Command = module.COMMAND
    return command


def load_commands() -> "tuple[Command, ...]":
    """Every command."""
    return tuple(map(load_command, NAMES))


def load_groups() -> "dict[str, tuple[Command, ...]]":
    """Every command, by what it is for."""
    return {title: tuple(map(load_command, names)) for title, names in GROUPS.items()}
