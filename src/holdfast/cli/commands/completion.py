"""The command `completion`: a script for the shell. The scripts are in `completions`."""

from ..command import Argument, Command, Example, Exit, Uses
from ..completions import SHELLS
from ..invocation import Invocation


def run(call: Invocation) -> int:
    """Print the completion script of a shell."""
    from . import load_commands

    call.screen.print_text(*SHELLS[call.word("shell") or "bash"](load_commands()).splitlines())
    return Exit.OK


COMMAND = Command(
    "completion",
    "Print a script that completes `holdfast` commands in your shell.",
    run,
    (Argument("SHELL", "your shell", choices=tuple(SHELLS)),),
    (
        Example("holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast", "for bash"),
        Example('holdfast completion zsh > "${fpath[1]}/_holdfast"', "for zsh"),
        Example("holdfast completion fish > ~/.config/fish/completions/holdfast.fish", "for fish"),
    ),
    uses=Uses.NOTHING,
)
