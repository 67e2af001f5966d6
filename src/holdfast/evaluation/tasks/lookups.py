"""Look-ups: values from a heap of records, to be collected in one file."""

import random

from ...agent.tools import Workspace
from .task import Job, JobCheck, Task, bullet_list, file_text
from .words import pick_words

KIND = "lookups"
ANSWERS = "answers.txt"
FIELDS: tuple[str, ...] = ("room", "phone", "shelf", "desk", "locker")


def task(seed: int, number: int) -> Task:
    """So many questions about as many people. Each person has a file, which has other numbers, too."""
    rng = random.Random(f"{KIND} {seed}")
    people = pick_words(rng, number)
    records = {name: dict(zip(FIELDS, rng.sample(range(1000, 10000), len(FIELDS)), strict=True)) for name in people}
    asked = [(name, rng.choice(FIELDS)) for name in people]
    jobs = tuple(_job(name, field, records[name][field]) for name, field in asked)
    text = (
        f"The folder `people` has a file for each person, like people/{people[0]}.txt. Look these {number} numbers up "
        f"and collect them in {ANSWERS}, one line each, in the form `NAME FIELD: NUMBER`, "
        f"like `{people[0]} {FIELDS[-1]}: 1234`:\n{bullet_list([job.text for job in jobs])}"
    )
    files = {f"people/{name}.txt": _record(fields).encode() for name, fields in records.items()}
    return Task(f"{KIND}-{number}-{seed}", KIND, text, jobs, files)


def _job(name: str, field: str, number: int) -> Job:
    command = f"sed -n 's/^{field}: /{name} {field}: /p' people/{name}.txt >> {ANSWERS}"
    return Job(f"the {field} of {name}", _has_answer(f"{name} {field}", str(number)), (name,), (), command)


def _has_answer(key: str, number: str) -> JobCheck:
    """Whether the right answer is there, and no other one to the same question."""

    def holds(workspace: Workspace) -> bool:
        lines = [line.partition(":") for line in (file_text(workspace, ANSWERS) or "").splitlines()]
        given = {value.strip() for words, _, value in lines if words.strip("-* ").lower() == key}
        return given == {number}

    return holds


def _record(fields: dict[str, int]) -> str:
    return "".join(f"{field}: {number}\n" for field, number in fields.items())
