"""Drives `holdfast watch` in a real pseudo-terminal."""

import sys
from collections.abc import Callable

if sys.platform != "win32":
    from pseudo_terminal import PseudoTerminal

WATCH = "import sys; from holdfast.cli.main import main; sys.argv[1:] = {words!r}; sys.exit(main())"
TODOS = [
    {"content": "Read the code", "status": "completed"},
    {"content": "Fix the bug", "activeForm": "Fixing the bug", "status": "in_progress"},
    {"content": "Run the tests"},
]

Start = Callable[..., "PseudoTerminal"]


def ready(terminal: "PseudoTerminal") -> "PseudoTerminal":
    """The terminal once the view is drawn in full."""
    terminal.wait_for("Fixing the bug...", "q quit")
    return terminal
