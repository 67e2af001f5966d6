"""Commands that check a folder after a run, with the same limits as an agent's own commands."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..agent.tools.bash import CommandResult, environment, run_command

MOST_OUTPUT = 20_000
SECONDS = 60.0


def run_check(
    command: Sequence[str], folder: Path, seconds: float = SECONDS, more: Mapping[str, str] | None = None
) -> CommandResult:
    """Run a command in a folder, with few variables and without input. Nothing that it starts outlives it."""
    return run_command(command, folder, environment(os.environ) | dict(more or {}), seconds, MOST_OUTPUT)
