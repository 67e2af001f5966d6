"""What happens in a run, seen from outside: the work done twice, the todos marked done, and the transcript."""

from collections.abc import Collection, Sequence
from typing import Any

from ..agent.events import AgentEvent, Compaction, Finished, ReminderSent, Text, TodoUpdate, ToolCall, ToolResult
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
        self._standing: set[Job] = set()
        self._before: Snapshot = take_snapshot(workspace.root)

    def on_event(self, event: AgentEvent) -> None:
        """Record one event."""
        match event:
            case Text():
                self._add_model_text(event.text)
            case ToolCall():
                self._pending = f"{event.name} {compact(event.input)}"
                self.transcript.append(_entry("call", self._pending))
            case ToolResult():
                self.transcript.append(_entry("failed" if event.failed else "result", event.output))
                self._check_jobs(is_work=not event.failed and event.name not in self.plan_tools)
            case TodoUpdate():
                self._todos |= {(todo.id, todo.created_at): todo for todo in event.todos}
            case ReminderSent():
                self.transcript.append(_entry("reminder", event.text))
            case Compaction():
                self.compactions += 1
                self.transcript.append(_entry("summary", event.summary))
            case Finished():
                self.transcript.append(_entry("end", event.reason))

    def on_user_message(self, words: str) -> None:
        """Record what the user says."""
        self.transcript.append(_entry("user", words))

    def is_half_way(self) -> bool:
        """Whether half of the jobs are done."""
        return bool(self.task.jobs) and len(self._standing.intersection(self.task.jobs)) * 2 >= len(self.task.jobs)

    def record(self, arm: str, reason: str, spent: tuple[int, int, int], seconds: float) -> RunRecord:
        """The record of the run."""
        verdicts = self.task.verdicts(self.workspace)
        done = sum(verdict.done for verdict in verdicts)
        turns, tokens_in, tokens_out = spent
        root = str(self.workspace.root)  # a temporary path of this machine
        return RunRecord(
            self.task.name,
            self.task.kind,
            arm,
            done,
            len(verdicts),
            len(hollow_todos(self._completed, verdicts)),
            self.twice,
            reason == DONE and done < len(verdicts),
            turns,
            tokens_in,
            tokens_out,
            round(seconds, 1),
            self.compactions,
            reason,
            tuple((verdict.text, verdict.done) for verdict in verdicts),
            tuple((todo.content, str(todo.status)) for todo in self._todos.values()),
            tuple({**entry, "text": entry["text"].replace(root, ".")} for entry in self.transcript),
        )

    @property
    def _completed(self) -> list[str]:
        return [todo.content for todo in self._todos.values() if todo.status is Status.COMPLETED]

    def _add_model_text(self, piece: str) -> None:
        if self.transcript[-1]["kind"] == "model":
            piece = self.transcript.pop()["text"] + piece
        self.transcript.append(_entry("model", piece))

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
