"""What a task is: a text, the files that it starts from, and jobs that hold in a folder or do not."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...agent.tools import Failure, Workspace

Holds = Callable[[Workspace], bool]


class Job(NamedTuple):
    """One thing to do, and how to see that it is done.

    `names` are words that no other job of the task has: a todo that holds one is about this job. `files` are those
    that only this job changes. `solution` is a command that does it: no model sees it, tests try the tasks by it.
    """

    text: str
    holds: Holds
    names: tuple[str, ...]
    files: tuple[str, ...] = ()
    solution: str = ""


class Verdict(NamedTuple):
    """What became of one job."""

    text: str
    names: tuple[str, ...]
    done: bool


class Task(NamedTuple):
    """Something to do in a folder.

    `programs` are those of its files that can be run. `later` is what the user says half way, and `later_jobs` is what
    holds from then on. `judge` looks at the folder when a task has no jobs of its own but a check command.
    """

    name: str
    kind: str
    text: str
    jobs: tuple[Job, ...] = ()
    files: Mapping[str, bytes] = {}
    later: str = ""
    later_jobs: tuple[Job, ...] = ()
    judge: Callable[[Workspace], Sequence[Verdict]] | None = None
    programs: frozenset[str] = frozenset()

    @property
    def final_jobs(self) -> tuple[Job, ...]:
        """The jobs that count in the end."""
        return self.later_jobs or self.jobs

    def lay_out(self, workspace: Workspace) -> None:
        """Put the files that it starts from into a folder."""
        for path, data in self.files.items():
            workspace.write(path, data)
            if path in self.programs:
                (workspace.root / path).chmod(0o755)

    def verdicts(self, workspace: Workspace) -> list[Verdict]:
        """What is true in the folder."""
        if self.judge is not None:
            return list(self.judge(workspace))
        return [Verdict(job.text, job.names, job.holds(workspace)) for job in self.final_jobs]


def content(workspace: Workspace, path: str) -> str | None:
    """What is in a text file, without blank ends; none if there is no such file. Never leaves the folder."""
    try:
        return workspace.read(path).decode().strip()
    except (Failure, UnicodeDecodeError):
        return None


def has(path: str, text: str) -> Holds:
    """Whether a file holds just this text."""
    return lambda workspace: content(workspace, path) == text


def listed(texts: Sequence[str]) -> str:
    """A list in a task's text."""
    return "\n".join(f"- {text}" for text in texts)
