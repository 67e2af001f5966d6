"""Runs on the disk: a JSON object a line, on the disk before the next run begins, so that a kill loses one run at most.

The first line says what the runs have in common. A last line that was torn is as if it had not been written.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..agent.line_file import append, locked
from ..errors import StoreError, UsageError

FORMAT = 1


class Run(NamedTuple):
    """What one run came to. `hollow` todos were marked done and were not; `early`: it ended by itself, work left."""

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

    @property
    def share(self) -> float:
        """How much of the work is done."""
        return self.done / self.jobs if self.jobs else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether all of it is."""
        return self.done == self.jobs


class Recorded(NamedTuple):
    """What is in a file: what the runs have in common, the runs, and where the last whole line ends."""

    about: Mapping[str, Any]
    runs: tuple[Run, ...] = ()
    size: int = 0


class Records:
    """An open file of runs. Nobody else can add to it until it is closed, or its process ends.

    One that was begun for nothing, without a run in the end, is removed.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        """Open or begin a file. Raises UsageError if its runs were made otherwise, StoreError if it cannot be used."""
        self._file = locked(path, str(path))
        try:
            recorded = read(path)
            if recorded.size:
                _refuse_other(path, recorded.about, about)
            os.ftruncate(self._file, recorded.size)  # what a kill has torn
            self.runs = list(recorded.runs)
            self._begun = None if recorded.size else path
            if not recorded.size:
                self._write({"holdfast_eval": FORMAT, **about})
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._begun is not None and not self.runs:
            self._begun.unlink(missing_ok=True)
        os.close(self._file)

    def add(self, run: Run) -> None:
        """Put a run on the disk. Raises StoreError if that fails."""
        self._write(run._asdict())
        self.runs.append(run)

    def has(self, task: str, arm: str) -> bool:
        """Whether a run is there already."""
        return any(run.task == task and run.arm == arm for run in self.runs)

    def _write(self, record: Mapping[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        append(self._file, line, "the run")


def read(path: Path) -> Recorded:
    """What a file holds. Raises StoreError for one that is damaged before its last line, or that is no such file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    whole = data[: data.rfind(b"\n") + 1]
    records = [_record(path, number, line) for number, line in enumerate(whole.splitlines(), 1)]
    if not records:
        return Recorded({})
    about = {key: value for key, value in records[0].items() if key != "holdfast_eval"}
    if records[0].get("holdfast_eval") != FORMAT:
        raise StoreError(f"{path} is no file of holdfast eval: name another one with --out")
    return Recorded(
        about, tuple(_run(path, number, record) for number, record in enumerate(records[1:], 2)), len(whole)
    )


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise StoreError(f"{path}:{number} is damaged: mend or remove that line") from error
    if not isinstance(record, dict):
        raise StoreError(f"{path}:{number} is no record: mend or remove that line")
    return record


def _run(path: Path, number: int, record: Mapping[str, Any]) -> Run:
    try:
        run = Run(**record)
        return run._replace(
            verdicts=tuple((str(text), bool(done)) for text, done in run.verdicts),
            todos=tuple((str(text), str(status)) for text, status in run.todos),
            transcript=tuple(run.transcript),
        )
    except (TypeError, ValueError) as error:
        raise StoreError(f"{path}:{number} is no run: mend or remove that line ({error})") from error


def _refuse_other(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    other = [f"{key} {before.get(key)!r}, now {value!r}" for key, value in now.items() if before.get(key) != value]
    if other:
        raise UsageError(f"the runs in {path} were made with {'; '.join(other)}: say the same, or another --out")
