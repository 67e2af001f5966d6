"""Small jobs with files. Each has its own files, so that jobs do not depend on each other."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ...agent.tools import ToolFailure, Workspace
from .task import Job, Task, bullet_list, file_has, file_text
from .words import pick_words

KIND = "files"
WORDS_A_JOB = 4


class FileJob(NamedTuple):
    """A job, and the files that it starts from."""

    job: Job
    files: Mapping[str, str] = {}


def create(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A new file with a given text."""
    path, text = f"{next(words)}.txt", f"{next(words)} {rng.randint(100, 999)}"
    return FileJob(
        Job(f"create {path} with the text: {text}", file_has(path, text), (path,), (path,), f"echo '{text}' > {path}")
    )


def append(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A line at the end of an existing file."""
    path, line = f"{next(words)}.txt", next(words)
    old = f"{rng.randint(10, 99)}\n{rng.randint(10, 99)}"
    job = Job(
        f"append the line {line} to {path}",
        file_has(path, f"{old}\n{line}"),
        (path,),
        (path,),
        f"echo {line} >> {path}",
    )
    return FileJob(job, {path: f"{old}\n"})


def replace(rng: random.Random, words: Iterator[str]) -> FileJob:
    """One word replaced by another everywhere."""
    path, old, new, other = f"{next(words)}.txt", next(words), next(words), rng.randint(10, 99)
    job = Job(
        f"replace the word {old} by {new} in {path}",
        file_has(path, f"{new}\n{other}\n{new}"),
        (path,),
        (path,),
        f"sed -i s/{old}/{new}/g {path}",
    )
    return FileJob(job, {path: f"{old}\n{other}\n{old}\n"})


def rename(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A file under another name."""
    old, new, text = f"{next(words)}.txt", f"{next(words)}.txt", f"number {rng.randint(100, 999)}"

    def holds(workspace: Workspace) -> bool:
        return file_text(workspace, new) == text and not exists(workspace, old)

    return FileJob(Job(f"rename {old} to {new}", holds, (old, new), (old, new), f"mv {old} {new}"), {old: f"{text}\n"})


def copy(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A second file with the same text."""
    old, new, text = f"{next(words)}.txt", f"{next(words)}.txt", f"number {rng.randint(100, 999)}"

    def holds(workspace: Workspace) -> bool:
        return file_text(workspace, new) == text == file_text(workspace, old)

    return FileJob(Job(f"copy {old} to {new}", holds, (old, new), (old, new), f"cp {old} {new}"), {old: f"{text}\n"})


def delete(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A file to delete."""
    path = f"{next(words)}.txt"
    job = Job(f"delete {path}", lambda workspace: not exists(workspace, path), (path,), (path,), f"rm {path}")
    return FileJob(job, {path: f"number {rng.randint(100, 999)}\n"})


def count(rng: random.Random, words: Iterator[str]) -> FileJob:
    """The number of lines of one file in another."""
    path, to, number = f"{next(words)}.txt", f"{next(words)}.txt", rng.randint(3, 9)

    def holds(workspace: Workspace) -> bool:
        return (file_text(workspace, to) or "").split()[:1] == [str(number)]

    job = Job(
        f"write the number of lines of {path} to {to}", holds, (path, to), (path, to), f"grep -c '' {path} > {to}"
    )
    return FileJob(job, {path: "".join(f"{rng.randint(10, 99)}\n" for _ in range(number))})


def make_folder(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A new folder."""
    name = next(words)

    def holds(workspace: Workspace) -> bool:
        try:
            return workspace.is_folder(name)
        except ToolFailure:
            return False

    return FileJob(Job(f"make a folder named {name}", holds, (name,), (name,), f"mkdir {name}"))


MAKERS: tuple[Callable[[random.Random, Iterator[str]], FileJob], ...] = (
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
    """Whether the folder has anything of this name."""
    return path in {name.rstrip("/") for name in workspace.names(".")}


def make_jobs(rng: random.Random, number: int) -> list[FileJob]:
    """So many jobs, as different from each other as possible."""
    words = iter(pick_words(rng, number * WORDS_A_JOB))
    makers = [maker for _ in range(0, number, len(MAKERS)) for maker in rng.sample(MAKERS, len(MAKERS))]
    return [maker(rng, words) for maker in makers[:number]]


def task(seed: int, number: int) -> Task:
    """A list of file jobs."""
    file_jobs = make_jobs(random.Random(f"{KIND} {seed}"), number)
    jobs = tuple(one.job for one in file_jobs)
    text = f"Do these {number} jobs in the folder:\n{bullet_list([job.text for job in jobs])}"
    return Task(f"{KIND}-{number}-{seed}", KIND, text, jobs, starting_files(file_jobs))


def starting_files(jobs: list[FileJob]) -> dict[str, bytes]:
    """The files that a list of jobs starts from."""
    return {path: text.encode() for one in jobs for path, text in one.files.items()}
