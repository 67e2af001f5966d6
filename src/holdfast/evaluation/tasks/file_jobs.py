"""Small jobs with files. Each has its own files, so that jobs do not depend on each other."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ...agent.tools import ToolFailure, Workspace
from .task import Job, JobCheck, Task, bullet_list, file_has, file_text
from .words import pick_words

KIND = "files"
WORDS_A_JOB = 4


class FileJob(NamedTuple):
    """A job, the files that it starts from, and how people may ask for it in a sentence."""

    job: Job
    files: Mapping[str, str] = {}
    sentences: tuple[str, ...] = ()


def _file_job(
    text: str,
    holds: JobCheck,
    paths: tuple[str, ...],
    solution: str,
    files: Mapping[str, str] | None = None,
    sentences: tuple[str, ...] = (),
) -> FileJob:
    """A job about some paths, which name it and which only it changes."""
    return FileJob(Job(text, holds, paths, paths, solution), files or {}, sentences)


def create(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A new file with a given text."""
    path, text = f"{next(words)}.txt", f"{next(words)} {rng.randint(100, 999)}"
    solution = f"echo '{text}' > {path}"
    sentences = (f'I need a new file {path} that says "{text}"', f'put "{text}" into a file called {path}')
    return _file_job(
        f"create {path} with the text: {text}", file_has(path, text), (path,), solution, sentences=sentences
    )


def append(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A line at the end of an existing file."""
    path, line = f"{next(words)}.txt", next(words)
    old = f"{rng.randint(10, 99)}\n{rng.randint(10, 99)}"
    holds, solution = file_has(path, f"{old}\n{line}"), f"echo {line} >> {path}"
    sentences = (f'{path} needs one more line at its end, "{line}"', f'add "{line}" as the last line of {path}')
    return _file_job(f"append the line {line} to {path}", holds, (path,), solution, {path: f"{old}\n"}, sentences)


def replace(rng: random.Random, words: Iterator[str]) -> FileJob:
    """One word replaced by another everywhere."""
    path, old, new, other = f"{next(words)}.txt", next(words), next(words), rng.randint(10, 99)
    holds, solution = file_has(path, f"{new}\n{other}\n{new}"), f"sed -i s/{old}/{new}/g {path}"
    files = {path: f"{old}\n{other}\n{old}\n"}
    sentences = (f'in {path} it should say "{new}" wherever it says "{old}"', f"change {old} to {new} in {path}")
    return _file_job(f"replace the word {old} by {new} in {path}", holds, (path,), solution, files, sentences)


def rename(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A file under another name."""
    old, new, text = f"{next(words)}.txt", f"{next(words)}.txt", f"number {rng.randint(100, 999)}"

    def holds(workspace: Workspace) -> bool:
        return file_text(workspace, new) == text and not exists(workspace, old)

    sentences = (f"{old} should be called {new} from now on", f"give {old} the name {new}")
    return _file_job(f"rename {old} to {new}", holds, (old, new), f"mv {old} {new}", {old: f"{text}\n"}, sentences)


def copy(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A second file with the same text."""
    old, new, text = f"{next(words)}.txt", f"{next(words)}.txt", f"number {rng.randint(100, 999)}"

    def holds(workspace: Workspace) -> bool:
        return file_text(workspace, new) == text == file_text(workspace, old)

    sentences = (f"make a copy of {old} and call it {new}", f"I want {old} a second time, as {new}")
    return _file_job(f"copy {old} to {new}", holds, (old, new), f"cp {old} {new}", {old: f"{text}\n"}, sentences)


def delete(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A file to delete."""
    path = f"{next(words)}.txt"
    files = {path: f"number {rng.randint(100, 999)}\n"}
    sentences = (f"get rid of {path}", f"nobody needs {path} any more, so it can go")

    def holds(workspace: Workspace) -> bool:
        return not exists(workspace, path)

    return _file_job(f"delete {path}", holds, (path,), f"rm {path}", files, sentences)


def count(rng: random.Random, words: Iterator[str]) -> FileJob:
    """The number of lines of one file in another."""
    path, to, number = f"{next(words)}.txt", f"{next(words)}.txt", rng.randint(3, 9)

    def holds(workspace: Workspace) -> bool:
        return (file_text(workspace, to) or "").split()[:1] == [str(number)]

    text, solution = f"write the number of lines of {path} to {to}", f"grep -c '' {path} > {to}"
    files = {path: "".join(f"{rng.randint(10, 99)}\n" for _ in range(number))}
    sentences = (
        f"count the lines of {path} and write that number to {to}",
        f"{to} should say how many lines {path} has",
    )
    return _file_job(text, holds, (path, to), solution, files, sentences)


def make_folder(rng: random.Random, words: Iterator[str]) -> FileJob:
    """A new folder."""
    name = next(words)

    def holds(workspace: Workspace) -> bool:
        try:
            return workspace.is_folder(name)
        except ToolFailure:
            return False

    sentences = (f"I need a folder called {name}", f"there should be an empty folder named {name}")
    return _file_job(f"make a folder named {name}", holds, (name,), f"mkdir {name}", sentences=sentences)


Maker = Callable[[random.Random, Iterator[str]], FileJob]
MAKERS: tuple[Maker, ...] = (create, append, replace, rename, copy, delete, count, make_folder)


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
