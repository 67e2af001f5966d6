"""The runs of an evaluation: which are still due, and how they are made, one after the other or side by side."""

import tempfile
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import NamedTuple

from ..errors import ModelError
from ..text import counted
from .arms import Arm
from .records import RunFile, RunRecord
from .tasks import Task
from .trial import Host, TrialSettings, run_trial

MOST_FAILURES = 3
"""How many runs in a row the model may leave without an answer before the evaluation is given up.

Of runs side by side, each may fail so often.
"""

LONGEST_WAIT = 0.2
"""How many seconds a Ctrl-C may go unnoticed."""

Step = Callable[[str, str], None]
"""Hears what came to an end, and what begins."""


class DueRun(NamedTuple):
    """A run that is to be made. `host` is the name of one."""

    task: Task
    host: str
    arm: Arm


def planned_runs(tasks: Sequence[Task], hosts: Sequence[str], arms: Sequence[Arm]) -> list[DueRun]:
    """Every run of each task in each host under each arm, task by task."""
    return [DueRun(task, host, arm) for task in tasks for host in hosts for arm in arms]


def due_runs(planned: Sequence[DueRun], records: RunFile) -> list[DueRun]:
    """The runs that are not recorded yet."""
    return [run for run in planned if not records.has(run.task.name, run.host, run.arm.name)]


def recorded_runs(planned: Sequence[DueRun], records: RunFile) -> list[RunRecord]:
    """The runs that are recorded: host by host, arm by arm, task by task."""
    found = {(run.host, run.arm, run.task): run for run in records.runs}
    hosts, arms = dict.fromkeys(run.host for run in planned), dict.fromkeys(run.arm.name for run in planned)
    tasks = dict.fromkeys(run.task.name for run in planned)
    return [found[key] for host in hosts for arm in arms for task in tasks if (key := (host, arm, task)) in found]


class Batch:
    """Makes runs side by side, each in a host of its own. A run is recorded as soon as it is over.

    `open_host` opens the host of a name.
    """

    def __init__(
        self,
        due: Sequence[DueRun],
        open_host: Callable[[str], Host],
        settings: TrialSettings,
        records: RunFile,
        step: Step,
        parallel: int = 1,
    ) -> None:
        self._due = iter(due)
        self._workers = min(parallel, len(due))
        self._open_host = open_host
        self._settings = settings
        self._records = records
        self._step = step
        self._lock = threading.Lock()
        self._ended: SimpleQueue[BaseException | None] = SimpleQueue()
        self._is_over = False
        self._failed = self._in_a_row = 0
        self._last_failure = ""

    def make_runs(self) -> str:
        """Make the runs. Returns why some could not be made; "" if all were made.

        What a run raises, except ModelError, is raised here, as is KeyboardInterrupt. Nothing is recorded afterwards.
        """
        with tempfile.TemporaryDirectory(prefix="holdfast-eval-", ignore_cleanup_errors=True) as folder:
            for _ in range(self._workers):  # a thread that waits for a model must not keep the process alive
                threading.Thread(target=self._work, args=(folder,), daemon=True).start()
            try:
                for _ in range(self._workers):
                    if (error := self._next_end()) is not None:
                        raise error
            finally:
                with self._lock:
                    self._is_over = True
        if not self._failed:
            return ""
        return f"{counted(self._failed, 'run')} had no answer: {self._last_failure}"

    def _next_end(self) -> BaseException | None:
        """Wait until a worker has ended; what it raised. A signal in the moment before a wait does not end the wait."""
        while True:
            try:
                return self._ended.get(timeout=LONGEST_WAIT)
            except Empty:
                continue

    def _work(self, folder: str) -> None:
        """Make one run after the other until none is left."""
        try:
            while (run := self._next_run()) is not None:
                self._make_run(run, folder)
        except BaseException as error:
            self._ended.put(error)
        else:
            self._ended.put(None)

    def _next_run(self) -> DueRun | None:
        with self._lock:
            if self._is_over or self._in_a_row >= MOST_FAILURES * self._workers:
                return None
            return next(self._due, None)

    def _make_run(self, run: DueRun, folder: str) -> None:
        self._report("", run_name(run.task.name, run.host, run.arm.name))
        try:
            made = run_trial(run.task, run.arm, self._open_host(run.host), self._settings, folder)
        except ModelError as error:
            with self._lock:
                self._failed, self._in_a_row, self._last_failure = self._failed + 1, self._in_a_row + 1, str(error)
            return
        with self._lock:
            if self._is_over:
                return
            self._in_a_row = 0
            self._records.add(made)
        self._report(f"{run_name(made.task, made.host, made.arm)}: {_describe_run(made)}", "")

    def _report(self, ended: str, begins: str) -> None:
        with self._lock:
            if not self._is_over:
                self._step(ended, begins)


def run_name(task: str, host: str, arm: str) -> str:
    """A run in few words. Our own agent is not named."""
    return f"{task} {arm}" if host == "agent" else f"{task} {host} {arm}"


def _describe_run(run: RunRecord) -> str:
    return f"{run.done} of {run.jobs} done, {run.turns} turns, {run.reason}"
