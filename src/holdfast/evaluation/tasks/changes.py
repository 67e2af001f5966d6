"""File jobs with a change of mind: half way, the user rewords one, withdraws one, and adds some."""

import random

from . import file_jobs
from .task import Job, Task, bullet_list, file_has
from .words import pick_words

KIND = "changes"
ADDED = 2


def task(seed: int, number: int) -> Task:
    """A list of file jobs, and what the user says half way. In the end, the last wish counts."""
    rng = random.Random(f"{KIND} {seed}")
    words = iter(pick_words(rng, number * file_jobs.WORDS_A_JOB))
    reworded, undone, *added = [
        file_jobs.create(rng, words),
        file_jobs.delete(rng, words),
        *(file_jobs.create(rng, words) for _ in range(ADDED)),
    ]
    others = [rng.choice(file_jobs.MAKERS)(rng, words) for _ in range(number - ADDED - 2)]
    first = rng.sample([reworded, undone, *others], len(others) + 2)
    changed = [_reworded(rng, reworded.job), _undeleted(rng, undone.job), *(one.job for one in added)]
    return Task(
        f"{KIND}-{number}-{seed}",
        KIND,
        f"Do these {len(first)} jobs in the folder:\n{bullet_list([one.job.text for one in first])}",
        tuple(one.job for one in first),
        file_jobs.starting_files(first),
        f"I have changed my mind. The other jobs stay, but:\n{bullet_list([job.text for job in changed])}",
        (*(one.job for one in others), *changed),
    )


def _reworded(rng: random.Random, job: Job) -> Job:
    path, text = job.files[0], f"changed {rng.randint(100, 999)}"
    return job._replace(
        text=f"the text of {path} must be: {text}", holds=file_has(path, text), solution=f"echo '{text}' > {path}"
    )


def _undeleted(rng: random.Random, job: Job) -> Job:
    path, text = job.files[0], f"kept {rng.randint(100, 999)}"
    return job._replace(
        text=f"do not delete {path}: it must stay, with the text: {text}",
        holds=file_has(path, text),
        solution=f"echo '{text}' > {path}",
    )
