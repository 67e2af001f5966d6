"""The runs of an evaluation: which are still due, and how they are made."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..agent.messages import Model
from ..errors import ModelError
from ..text import counted
from .arms import Arm
from .records import RunFile, RunRecord
from .tasks import Task
from .trial import TrialSettings, run_trial

MOST_FAILURES = 3
"""How many runs in a row the model may leave without an answer before the evaluation is given up."""

Step = Callable[[str, str], None]
"""Hears what came to an end, and what begins."""


class DueRun(NamedTuple):
    """A run that is to be made."""

    task: Task
    arm: Arm


def due_runs(tasks: Sequence[Task], arms: Sequence[Arm], records: RunFile) -> list[DueRun]:
    """Every run of each task under each arm that is not recorded yet."""
    planned = (DueRun(task, arm) for task in tasks for arm in arms)
    return [run for run in planned if not records.has(run.task.name, run.arm.name)]


def make_runs(
    due: Sequence[DueRun], open_model: Callable[[], Model], settings: TrialSettings, records: RunFile, step: Step
) -> str:
    """Make the runs that are due, with a new model each. Returns why some could not be made; "" if all were made."""
    failed = in_a_row = 0
    last = ""
    for task, arm in due:
        step("", f"{task.name} {arm.name}")
        try:
            run = run_trial(task, arm, open_model(), settings)
        except ModelError as error:
            failed, in_a_row, last = failed + 1, in_a_row + 1, str(error)
            if in_a_row == MOST_FAILURES:
                break
            continue
        in_a_row = 0
        records.add(run)
        step(f"{run.task} {run.arm}: {run.done} of {run.jobs} done, {run.turns} turns, {run.reason}", "")
    return f"{counted(failed, 'run')} had no answer: {last}" if failed else ""


def in_order(runs: Sequence[RunRecord], arms: Sequence[Arm], tasks: Sequence[Task]) -> list[RunRecord]:
    """The runs of these arms and tasks, in the order of both."""
    by_pair = {(run.arm, run.task): run for run in runs}
    return [by_pair[pair] for arm in arms for task in tasks if (pair := (arm.name, task.name)) in by_pair]
