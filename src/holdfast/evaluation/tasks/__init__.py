"""The tasks: generated from a random seed, one module per kind, or a user's own, in folders."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from ...errors import UsageError
from . import changes, code_jobs, file_jobs, lookups, prose
from .own_task import load_task
from .task import Job, Task, Verdict

KINDS: Mapping[str, Callable[[int, int], Task]] = {
    module.KIND: module.task for module in (file_jobs, code_jobs, lookups, changes, prose)
}
FEWEST, MOST = 6, 20
"""How many jobs a list may have."""


def generate_task(kind: str, seed: int, least: int = FEWEST, most: int = MOST) -> Task:
    """The task of a kind and a seed, always the same one. It has `least` to `most` jobs."""
    return KINDS[kind](seed, random.Random(f"{kind} {seed} size").randint(least, most))


def find_tasks(name: str, seeds: range, least: int, most: int) -> list[Task]:
    """The tasks of a kind, or the one in a folder, one per seed. Raises UsageError for an unknown name.

    A task in a folder is the same for all seeds, except for the noise after the tools' answers.
    """
    if name in KINDS:
        return [generate_task(name, seed, least, most) for seed in seeds]
    folder = Path(name)
    if not folder.is_dir():
        raise UsageError(f"no tasks {name!r}: there are {', '.join(KINDS)}, or the path of a folder with a task")
    task = load_task(folder)
    return [task._replace(name=f"{task.name}-{seed}") for seed in seeds]


__all__ = ["FEWEST", "KINDS", "MOST", "Job", "Task", "Verdict", "find_tasks", "generate_task"]
