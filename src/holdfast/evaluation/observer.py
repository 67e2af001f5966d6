"""What happens in a run, seen from outside: the work done twice, the todos marked done, and the transcript."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ..agent.result import DONE
from ..agent.tools import Workspace
from ..board.tokens import compact
from ..plan import Status, Todo
from ..text import shorten
from .records import RunRecord
from .snapshots import Snapshot, changed_paths, take_snapshot
from .tasks import Job, Task, Verdict

LONGEST = 2000
"""Characters of one text in a transcript."""


class TrialOutcome(NamedTuple):
    """Why a host ended a run, and what the run took. The reason is `done` if the model ended it."""

    reason: str
    requests: int
    tokens_in: int
    tokens_out: int


class RunObserver:
    """Observes one run. Calls of `plan_tools` do not count as work."""

    def __init__(self, task: Task, workspace: Workspace, plan_tools: Collection[str] = ()) -> None:
        self.task = task
        self.workspace = workspace
        self.plan_tools = plan_tools
        self.twice = self.compactions = 0
        self.transcript: list[dict[str, Any]] = [_entry("user", task.text)]
        self._todos: dict[tuple[str, float | None], Todo] = {}
        self._made: set[str] = set()
        self._pending = ""
        self._later = task.later
        self._standing: set[Job] = set()
        self._before: Snapshot = take_snapshot(workspace.root)

    def on_model_text(self, piece: str) -> None:
        """Record what the model says, piece by piece."""
        if self.transcript[-1]["kind"] == "model":
            piece = self.transcript.pop()["text"] + piece
        self.transcript.append(_entry("model", piece))

    def on_call(self, tool: str, arguments: object) -> None:
        """Record a call."""
        self._pending = f"{tool} {compact(arguments)}"
        self.transcript.append(_entry("call", self._pending))

    def on_result(self, tool: str, output: str, failed: bool) -> None:
        """Record the result of the last call, and check what it changed."""
        self.transcript.append(_entry("failed" if failed else "result", output))
        self._check_jobs(is_work=not failed and tool not in self.plan_tools)

    def on_todos(self, todos: Sequence[Todo]) -> None:
        """Record the plan as it is now."""
        self._todos |= {(todo.id, todo.created_at): todo for todo in todos}

    def on_reminder(self, text: str) -> None:
        """Record what was said about the plan."""
        self.transcript.append(_entry("reminder", text))

    def on_summary(self, text: str) -> None:
        """Record a summary that the model made of its conversation."""
        self.compactions += 1
        self.transcript.append(_entry("summary", text))

    def on_end(self, reason: str) -> None:
        """Record why the run ended."""
        self.transcript.append(_entry("end", reason))

    def next_words(self, is_half: bool) -> str:
        """What the user says now, once, and only in some tasks: half way, or when half of the jobs are done."""
        if not self._later or not (is_half or self._is_half_done()):
            return ""
        words, self._later = self._later, ""
        self.transcript.append(_entry("user", words))
        return words

    def _is_half_done(self) -> bool:
        return bool(self.task.jobs) and len(self._standing.intersection(self.task.jobs)) * 2 >= len(self.task.jobs)

    def record(self, arm: str, host: str, outcome: TrialOutcome, seconds: float) -> RunRecord:
        """The record of the run."""
        verdicts = self.task.verdicts(self.workspace)
        done = sum(verdict.done for verdict in verdicts)
        root = str(self.workspace.root)  # a temporary path of this machine
        return RunRecord(
            self.task.name,
            self.task.kind,
            arm,
            done,
            len(verdicts),
            len(hollow_todos(self._completed, verdicts)),
            self.twice,
            outcome.reason == DONE and done < len(verdicts),
            outcome.requests,
            outcome.tokens_in,
            outcome.tokens_out,
            round(seconds, 1),
            self.compactions,
            outcome.reason,
            tuple((verdict.text, verdict.done) for verdict in verdicts),
            tuple((todo.content, str(todo.status)) for todo in self._todos.values()),
            tuple({**entry, "text": entry["text"].replace(root, ".")} for entry in self.transcript),
            host,
        )

    @property
    def _completed(self) -> list[str]:
        return [todo.content for todo in self._todos.values() if todo.status is Status.COMPLETED]

    def _check_jobs(self, is_work: bool) -> None:
        """Check what a call did: whether the call, or the job that it was for, had been done before."""
        now = take_snapshot(self.workspace.root)
        touched, self._before = changed_paths(self._before, now), now
        jobs = [job for job in self.task.final_jobs if touched.intersection(job.files)]
        again = self._pending in self._made or any(job in self._standing for job in jobs)
        if is_work:
            self.twice += again
            self._made.add(self._pending)
        for job in {*jobs, *(job for job in self.task.jobs if touched.intersection(job.files))}:
            (self._standing.add if job.holds(self.workspace) else self._standing.discard)(job)


def hollow_todos(completed: Sequence[str], verdicts: Sequence[Verdict]) -> list[str]:
    """The todos that were marked completed and are about a job that is not done.

    A todo is about the jobs that it names. If no todo names a job, each is about all of them.
    """
    about = [(text, [verdict for verdict in verdicts if _names(text, verdict)]) for text in completed]
    if not any(named for _, named in about):
        return list(completed) if any(not verdict.done for verdict in verdicts) else []
    return [text for text, named in about if any(not verdict.done for verdict in named)]


def _names(todo: str, verdict: Verdict) -> bool:
    text = todo.lower()
    return verdict.text.lower() in text or any(name.lower() in text for name in verdict.names)


def _entry(kind: str, text: str) -> dict[str, Any]:
    return {"kind": kind, "text": shorten(text, LONGEST)}
