"""The command `holdfast eval`: what is to be run, what was run already, and what it all comes to."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from ..agent.messages import Model
from ..agent.rehearsal import Rehearsal, read_script
from ..cli.command import Exit
from ..cli.invocation import Invocation, Misuse
from ..errors import ModelError, StoreError, UsageError
from ..terminal.progress_bar import Step, progress
from . import arms, tasks
from .arms import Arm
from .figures import Prices
from .records import RunFile, RunRecord
from .report import page
from .results import Results, compute_results, results_data
from .summary import lines
from .tasks import FEWEST, MOST, Task
from .trial import Settings, run_trial

OUT, REPORT = "holdfast-eval.jsonl", ".html"
RUNS = 5
REHEARSAL = "rehearsal:"
MOST_TROUBLE = 3
"""How many runs in a row the model may leave without an answer before it is given up."""


class Due(NamedTuple):
    """A run that is to be made."""

    task: Task
    arm: Arm


def run(call: Invocation) -> int:
    """Run what is not recorded yet; then print the figures and write the report."""
    path = _out(call)
    every, chosen, settings = _tasks(call), _arms(call), _settings(call)
    against, prices = _against(call, chosen), _prices(call)
    with RunFile(path, {**_about(call), **settings._asdict()}) as records:
        planned = [Due(task, arm) for task in every for arm in chosen]
        due = [one for one in planned if not records.has(one.task.name, one.arm.name)]
        if due:
            _opened(call)  # a model that there is not is told of before anything is run
        trouble = _work(call, due, len(planned), settings, records)
        runs = _ordered(records.runs, chosen, every)
    if trouble and not runs:
        raise ModelError(f"{trouble}; nothing was written")
    found = compute_results(runs, against, prices)
    report = path.with_suffix(REPORT)
    _written(report, page(_about(call) | settings._asdict(), found))
    _shown(call, found, path, report)
    if trouble:
        raise ModelError(f"{trouble}; the same command goes on where it ended")
    return Exit.OK


def _work(call: Invocation, due: Sequence[Due], total: int, settings: Settings, records: RunFile) -> str:
    """Make the runs that are due. Returns why some of them could not be made; nothing if all is well."""
    failed = in_a_row = 0
    last = ""
    with progress(total, total - len(due)) as step:
        for task, arm in due:
            step("", f"{task.name} {arm.name}")
            try:
                made = run_trial(task, arm, _opened(call, step), settings)
            except ModelError as error:
                failed, in_a_row, last = failed + 1, in_a_row + 1, str(error)
                if in_a_row == MOST_TROUBLE:
                    break
                continue
            in_a_row = 0
            records.add(made)
            step(_line(made), "")
    return f"{failed} {'run' if failed == 1 else 'runs'} had no answer: {last}" if failed else ""


def _line(run: RunRecord) -> str:
    return f"{run.task} {run.arm}: {run.done} of {run.jobs} done, {run.turns} turns, {run.reason}"


def _opened(call: Invocation, step: Step | None = None) -> Model:
    """The model, anew for each run. Raises ModelError, in one line that says what to do."""
    name = call.word("model") or call.environ.get("HOLDFAST_MODEL")
    if name is not None and name.startswith(REHEARSAL):
        return Rehearsal(read_script(name.removeprefix(REHEARSAL)))
    from ..agent.models import Retries, open_model

    retries = None if step is None else Retries(on_retry=lambda line: step("", line))
    return open_model(name, call.word("base_url"), call.word("tool_calls") or "native", call.environ, retries)


def _about(call: Invocation) -> dict[str, Any]:
    """What the runs of a file have in common beside the settings."""
    return {
        "holdfast": __version__,
        "model": call.word("model") or call.environ.get("HOLDFAST_MODEL") or call.word("base_url") or "by key",
        "tool_calls": call.word("tool_calls") or "native",
    }


def _out(call: Invocation) -> Path:
    path = Path(call.word("out") or OUT)
    if path.suffix == REPORT:
        raise Misuse(f"--out {path}: the report will be there; name a file that ends otherwise, like {OUT}")
    return path


def _written(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise StoreError(f"the report cannot be written to {path}: {error.strerror}") from error


def _tasks(call: Invocation) -> list[Task]:
    number = RUNS if (given := call.number("runs")) is None else given
    first = 1 if (given := call.number("seed")) is None else given
    least, most = call.options.get("jobs") or (FEWEST, MOST)
    kinds = call.words("tasks") or list(tasks.KINDS)
    with _misused():
        sets = [tasks.find_tasks(name, range(first, first + number), least, most) for name in kinds]
    every = [task for row in zip_longest(*sets) for task in row if task is not None]  # half of it is a bit of each
    names = [task.name for task in every]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Misuse(f"two tasks are named {', '.join(sorted(twice))}: rename a folder")
    if not every:
        raise Misuse("there is nothing to run: --runs is 0")
    return every


def _arms(call: Invocation) -> list[Arm]:
    with _misused():
        return [arms.find_arm(name) for name in call.words("arms") or arms.USUAL]


@contextmanager
def _misused() -> Iterator[None]:
    """A name that is none is a fault of the command line."""
    try:
        yield
    except UsageError as error:
        raise Misuse(str(error)) from error


def _against(call: Invocation, chosen: Sequence[Arm]) -> str:
    against = call.word("against") or chosen[0].name
    if against not in [arm.name for arm in chosen]:
        raise Misuse(f"--against {against}: it is none of the arms {', '.join(arm.name for arm in chosen)}")
    return against


def _settings(call: Invocation) -> Settings:
    given = {name: number for name in Settings._fields if (number := call.number(name)) is not None}
    return Settings(**given)


def _prices(call: Invocation) -> Prices | None:
    read, written = call.options.get("price_in"), call.options.get("price_out")
    if read is None and written is None:
        return None
    if read is None or written is None:
        raise Misuse("a cost needs both --price-in and --price-out")
    return Prices(read, written)


def _ordered(runs: Sequence[RunRecord], chosen: Sequence[Arm], every: Sequence[Task]) -> list[RunRecord]:
    """The runs that were asked for, in the order in which arms and tasks were."""
    found = {(run.arm, run.task): run for run in runs}
    return [found[place] for arm in chosen for task in every if (place := (arm.name, task.name)) in found]


def _shown(call: Invocation, found: Results, path: Path, report: Path) -> None:
    if call.wants_json:
        call.screen.print_json({**results_data(found), "runs": str(path), "report": str(report)})
        return
    call.screen.print([*lines(call.screen, found), "", f"runs: {path}", f"report: {report}"])
