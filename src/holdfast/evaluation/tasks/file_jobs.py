"""Small jobs with files, each with files of its own: what becomes of one job says nothing about another."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ...agent.tools import Failure, Workspace
from .task import Job, Task, content, has, listed
from .words import taken

KIND = "files"
WORDS_A_JOB = 4


class Made(NamedTuple):
    """A job, and the files that it starts from."""

    job: Job
    files: Mapping[str, str] = {}


def create(rng: random.Random, words: Iterator[str]) -> Made:
    """A new file with a given text."""
    path, text = f"{next(words)}.txt", f"{next(words)} {rng.randint(100, 999)}"
    return Made(
        Job(f"create {path} with the text: {text}", has(path, text), (path,), (path,), f"echo '{text}' > {path}")
    )


def append(rng: random.Random, words: Iterator[str]) -> Made:
    """A line at the end of a file that is there."""
    path, line = f"{next(words)}.txt", next(words)
    old = f"{rng.randint(10, 99)}\n{rng.randint(10, 99)}"
    job = Job(
        f"append the line {line} to {path}", has(path, f"{old}\n{line}"), (path,), (path,), f"echo {line} >> {path}"
    )
    return Made(job, {path: f"{old}\n"})


def replace(rng: random.Random, words: Iterator[str]) -> Made:
    """One word for another, wherever it is."""
    path, old, new, other = f"{next(words)}.txt", next(words), next(words), rng.randint(10, 99)
    job = Job(
        f"replace the word {old} by {new} in {path}",
        has(path, f"{new}\n{other}\n{new}"),
        (path,),
        (path,),
        f"sed -i s/{old}/{new}/g {path}",
    )
    return Made(job, {path: f"{old}\n{other}\n{old}\n"})


def rename(rng: random.Random, words: Iterator[str]) -> Made:
    """A file under another name."""
    old, new, text = f"{next(words)}.txt", f"{next(words)}.txt", f"number {rng.randint(100, 999)}"

    def holds(workspace: Workspace) -> bool:
        return content(workspace, new) == text and not exists(workspace, old)

    return Made(Job(f"rename {old} to {new}", holds, (old, new), (old, new), f"mv {old} {new}"), {old: f"{text}\n"})


def copy(rng: random.Random, words: Iterator[str]) -> Made:
    """A second file with the same text."""
    old, new, text = f"{next(words)}.txt", f"{next(words)}.txt", f"number {rng.randint(100, 999)}"

    def holds(workspace: Workspace) -> bool:
        return content(workspace, new) == text == content(workspace, old)

    return Made(Job(f"copy {old} to {new}", holds, (old, new), (old, new), f"cp {old} {new}"), {old: f"{text}\n"})


def delete(rng: random.Random, words: Iterator[str]) -> Made:
    """A file that is to go."""
    path = f"{next(words)}.txt"
    job = Job(f"delete {path}", lambda workspace: not exists(workspace, path), (path,), (path,), f"rm {path}")
    return Made(job, {path: f"number {rng.randint(100, 999)}\n"})


def count(rng: random.Random, words: Iterator[str]) -> Made:
    """The number of lines of one file in another."""
    path, to, number = f"{next(words)}.txt", f"{next(words)}.txt", rng.randint(3, 9)

    def holds(workspace: Workspace) -> bool:
        return (content(workspace, to) or "").split()[:1] == [str(number)]

    job = Job(
        f"write the number of lines of {path} to {to}", holds, (path, to), (path, to), f"grep -c '' {path} > {to}"
    )
    return Made(job, {path: "".join(f"{rng.randint(10, 99)}\n" for _ in range(number))})


def make_folder(rng: random.Random, words: Iterator[str]) -> Made:
    """A new folder."""
    name = next(words)

    def holds(workspace: Workspace) -> bool:
        try:
            return workspace.is_folder(name)
        except Failure:
            return False

    return Made(Job(f"make a folder named {name}", holds, (name,), (name,), f"mkdir {name}"))


MAKERS: tuple[Callable[[random.Random, Iterator[str]], Made], ...] = (
    create,
    append,
    replace,
    rename,
    copy,
    delete,
    count,
    make_folder,
)


def exists(workspace: Workspace, path: str) -> bool:
    """Whether there is anything of this name at the top of the folder."""
    return path in {name.rstrip("/") for name in workspace.names(".")}


def some(rng: random.Random, number: int) -> list[Made]:
    """So many jobs, as different from one another as can be."""
    words = iter(taken(rng, number * WORDS_A_JOB))
    makers = [maker for _ in range(0, number, len(MAKERS)) for maker in rng.sample(MAKERS, len(MAKERS))]
    return [maker(rng, words) for maker in makers[:number]]


def task(seed: int, number: int) -> Task:
    """A list of file jobs."""
    made = some(random.Random(f"{KIND} {seed}"), number)
    jobs = tuple(one.job for one in made)
    text = f"Do these {number} jobs in the folder:\n{listed([job.text for job in jobs])}"
    return Task(f"{KIND}-{number}-{seed}", KIND, text, jobs, starting(made))


def starting(made: list[Made]) -> dict[str, bytes]:
    """The files that a list of jobs starts from."""
    return {path: text.encode() for one in made for path, text in one.files.items()}
