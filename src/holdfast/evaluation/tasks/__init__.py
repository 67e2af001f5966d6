"""The tasks: generated from a seed, a file a kind, or a user's own, in folders."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from ...errors import UsageError
from . import changes, code_jobs, file_jobs, lookups, own
from .task import Job, Task, Verdict

KINDS: Mapping[str, Callable[[int, int], Task]] = {
    module.KIND: module.task for module in (file_jobs, code_jobs, lookups, changes)
}
FEWEST, MOST = 6, 20
"""How many jobs a list may have."""


def generate(kind: str, seed: int, least: int = FEWEST, most: int = MOST) -> Task:
    """The task of a kind and a seed: the same ones always give the same task. It has `least` to `most` jobs."""
    return KINDS[kind](seed, random.Random(f"{kind} {seed} size").randint(least, most))


def named(name: str, seeds: range, least: int, most: int) -> list[Task]:
    """The tasks of a kind, or the one in a folder, one a seed. Raises UsageError for a name that is neither.

    What is in a folder is the same for all seeds, but for the noise behind the tools' answers.
    """
    if name in KINDS:
        return [generate(name, seed, least, most) for seed in seeds]
    folder = Path(name)
    if not folder.is_dir():
        raise UsageError(f"no tasks {name!r}: there are {', '.join(KINDS)}, or the path of a folder with a task")
    task = own.task(folder)
    return [task._replace(name=f"{task.name}-{seed}") for seed in seeds]


__all__ = ["FEWEST", "KINDS", "MOST", "Job", "Task", "Verdict", "generate", "named"]
