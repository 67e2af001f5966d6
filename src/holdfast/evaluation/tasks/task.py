"""A task: a text, the files that it starts from, and jobs that are done in a folder or not."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...agent.tools import ToolFailure, Workspace

JobCheck = Callable[[Workspace], bool]


class Job(NamedTuple):
    """One thing to do, and how to see that it is done.

    `names` are words that no other job of the task has: a todo with one of them is about this job. `files` are those
    that only this job changes. `solution` is a command that does the job, for tests; no model sees it.
    """

    text: str
    holds: JobCheck
    names: tuple[str, ...]
    files: tuple[str, ...] = ()
    solution: str = ""


class Verdict(NamedTuple):
    """Whether one job is done."""

    text: str
    names: tuple[str, ...]
    done: bool


class Task(NamedTuple):
    """Something to do in a folder.

    `programs` are the executable files. `later` is what the user says half way, and `later_jobs` count from then on.
    `judge` grades the folder of a task that has a check command instead of jobs.
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
        """Which jobs are done in the folder."""
        if self.judge is not None:
            return list(self.judge(workspace))
        return [Verdict(job.text, job.names, job.holds(workspace)) for job in self.final_jobs]


def file_text(workspace: Workspace, path: str) -> str | None:
    """The text of a file, stripped; `None` if there is no such file in the folder."""
    try:
        return workspace.read(path).decode().strip()
    except (ToolFailure, UnicodeDecodeError):
        return None


def file_has(path: str, text: str) -> JobCheck:
    """A check that a file has exactly this text."""
    return lambda workspace: file_text(workspace, path) == text


def bullet_list(texts: Sequence[str]) -> str:
    """A bullet list in a task's text."""
    return "\n".join(f"- {text}" for text in texts)
