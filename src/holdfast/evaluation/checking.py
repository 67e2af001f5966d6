"""Commands that look at a folder when a run is over: with limits, in the same confinement as an agent's own."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..agent.tools.bash import Output, end_group, environment, listen

MOST_OUTPUT = 20_000
SECONDS = 60.0


class Checked(NamedTuple):
    """What a command came to: its exit code, none if it took too long, and what it wrote, within bounds."""

    code: int | None
    output: str


def check(
    command: Sequence[str], folder: Path, seconds: float = SECONDS, more: Mapping[str, str] | None = None
) -> Checked:
    """Run a command in a folder. It knows little of the environment, has no input, and nothing that it starts stays."""
    output = Output(MOST_OUTPUT)
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(os.environ) | dict(more or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        in_time = listen(process, output, seconds)
    finally:
        end_group(process, output)
    return Checked(process.returncode if in_time else None, str(output))
