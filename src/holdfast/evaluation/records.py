"""Runs on the disk: one JSON object per line, written as soon as a run is over, so that a kill loses no other one.

The first line says what the runs have in common. Files can be put together with `cat`: a first line counts for the
runs after it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..agent.line_file import LineFile, damaged_line, read_records
from ..errors import StoreError, UsageError

HEAD, FORMAT = "holdfast_eval", 1


class RunRecord(NamedTuple):
    """The outcome of one run.

    `hollow` counts todos that were marked done and were not. `early`: the model stopped by itself with work left.
    `model` is that of the first line before it in the file.
    """

    task: str
    kind: str
    arm: str
    done: int
    jobs: int
    hollow: int
    twice: int
    early: bool
    turns: int
    tokens_in: int
    tokens_out: int
    seconds: float
    compactions: int
    reason: str
    verdicts: tuple[tuple[str, bool], ...] = ()
    todos: tuple[tuple[str, str], ...] = ()
    transcript: tuple[Mapping[str, Any], ...] = ()
    host: str = "agent"
    model: str = ""

    @property
    def share(self) -> float:
        """How much of the work is done."""
        return self.done / self.jobs if self.jobs else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether all of it is."""
        return self.done == self.jobs


class SavedRuns(NamedTuple):
    """The content of a file: what the runs have in common, the runs, and where the last whole line ends.

    `abouts` has more than one entry if several files were put together.
    """

    abouts: tuple[Mapping[str, Any], ...] = ()
    runs: tuple[RunRecord, ...] = ()
    size: int = 0


class RunFile:
    """An open file of runs. Nobody else can add to it until it is closed, or its process ends.

    A new file that gets no run is removed at the end.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        """Open or begin a file. Raises UsageError if its runs had other settings, StoreError if it cannot be used."""
        self._file = LineFile(path, str(path))
        try:
            saved = read_runs(path)
            for before in saved.abouts:
                _require_same_settings(path, before, about)
            self._file.truncate(saved.size)
            self.runs = list(saved.runs)
            self._model = str(about.get("model", ""))
            self._is_new = not saved.size
            if self._is_new:
                self._file.append({HEAD: FORMAT, **about})
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close(remove=self._is_new and not self.runs)

    def add(self, run: RunRecord) -> None:
        """Put a run on the disk. Raises StoreError if that fails."""
        data = run._asdict()
        del data["model"]  # it is in the first line
        self._file.append(data)
        self.runs.append(run._replace(model=self._model))

    def has(self, task: str, host: str, arm: str) -> bool:
        """Whether a run is there already."""
        return any((run.task, run.host, run.arm) == (task, host, arm) for run in self.runs)


def read_runs(path: Path) -> SavedRuns:
    """The content of a file. Raises StoreError if it is damaged before its last line, or is another kind of file."""
    records, size, _ = read_records(path)
    abouts: list[Mapping[str, Any]] = []
    runs: list[RunRecord] = []
    for number, record in enumerate(records, 1):
        if record.get(HEAD) == FORMAT:
            abouts.append({key: value for key, value in record.items() if key != HEAD})
        elif abouts:
            runs.append(_run(path, number, record, str(abouts[-1].get("model", ""))))
        else:
            raise StoreError(f"{path} is not a file of holdfast eval: name another one with --out")
    return SavedRuns(tuple(abouts), tuple(runs), size)


def _run(path: Path, number: int, record: Mapping[str, Any], model: str) -> RunRecord:
    try:
        run = RunRecord(**record)
        return run._replace(
            verdicts=tuple((str(text), bool(done)) for text, done in run.verdicts),
            todos=tuple((str(text), str(status)) for text, status in run.todos),
            transcript=tuple(run.transcript),
            model=model,
        )
    except (TypeError, ValueError) as error:
        raise damaged_line(path, number, "not a run") from error


def _require_same_settings(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    other = [f"{key} {before.get(key)!r}, now {value!r}" for key, value in now.items() if before.get(key) != value]
    if other:
        raise UsageError(f"the runs in {path} were made with {'; '.join(other)}: use the same, or another --out")
