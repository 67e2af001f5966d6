"""Commands that look at a folder when a run is over: with limits, in the same confinement as an agent's own."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..agent.tools.bash import Ran, environment, run

MOST_OUTPUT = 20_000
SECONDS = 60.0


def check(command: Sequence[str], folder: Path, seconds: float = SECONDS, more: Mapping[str, str] | None = None) -> Ran:
    """Run a command in a folder. It knows little of the environment, has no input, and nothing that it starts stays."""
    return run(command, folder, environment(os.environ) | dict(more or {}), seconds, MOST_OUTPUT)
