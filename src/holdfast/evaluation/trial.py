"""One run: one task under one arm, in a temporary folder, by a host; then the folder is graded."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from ..agent.tools import Workspace
from .arms import Arm
from .observer import RunObserver, TrialOutcome
from .records import RunRecord
from .tasks import Task

SAME_CALLS = 6
"""A small model may repeat a call a few times before it goes on: the arms must not differ by luck here."""


class TrialSettings(NamedTuple):
    """What is equal for all arms and hosts: the limits of a run, and the noise.

    `context` is how many tokens a conversation may have before the model sums it up. `answer` is how many tokens one
    JSON action may have. `tools` are the names of the agent's tools that it has, separated by commas; all if empty.
    """

    turns: int = 60
    seconds: int = 1800
    context: int = 3000
    answer: int = 1000
    noise: int = 2
    tools: str = ""


class Trial(NamedTuple):
    """What a host gets for one run. `home` is a folder in place of the user's own."""

    task: Task
    arm: Arm
    settings: TrialSettings
    observer: RunObserver
    home: str

    @property
    def workspace(self) -> Workspace:
        """The folder to work in."""
        return self.observer.workspace

    def rng(self) -> random.Random:
        """The source of the noise: the same for each arm and host of a task."""
        return random.Random(self.task.name)


class Host(Protocol):
    """A loop around a model. A new one is opened for each run."""

    name: str

    def run(self, trial: Trial) -> TrialOutcome:
        """Let the model work on the task. Raises ModelError if the model does not answer; and KeyboardInterrupt."""
        ...


def run_trial(task: Task, arm: Arm, host: Host, settings: TrialSettings, folder: str | None = None) -> RunRecord:
    """Let a model work on a task, and grade what is in its folder then. `folder` is where temporary folders are made.

    Raises ModelError if the model did not answer, which says nothing about the arm; and KeyboardInterrupt.
    """
    with temporary_folders(folder) as (root, home):
        workspace = Workspace(root)
        task.lay_out(workspace)
        observer = RunObserver(task, workspace, arm.own_dialect().tool_names)
        started = time.monotonic()
        outcome = host.run(Trial(task, arm, settings, observer, home))
        seconds = time.monotonic() - started
        observer.on_end(outcome.reason)
        return observer.record(arm.name, host.name, outcome, seconds)


@contextmanager
def temporary_folders(folder: str | None = None) -> Iterator[tuple[Path, str]]:
    """A folder to work in, and one in place of the user's home. Both are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="holdfast-eval-", dir=folder, ignore_cleanup_errors=True) as top:
        work, home = Path(top) / "work", Path(top) / "home"
        work.mkdir()
        home.mkdir()
        yield work, str(home)
