"""The command `eval`: whether a plan helps a model. `holdfast.evaluation` is loaded only when it runs."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...errors import ModelError, StoreError
from ..command import Argument, Command, Example, Exit, Uses, comma_list, positive_number, whole_number
from ..invocation import Invocation, Misuse, usage_is_misuse
from ..model_option import MODEL_ARGUMENTS, model_name, open_chosen_model, tool_calls

if TYPE_CHECKING:
    from ...evaluation.arms import Arm
    from ...evaluation.figures import Prices
    from ...evaluation.records import RunRecord
    from ...evaluation.results import Results
    from ...evaluation.tasks import Task
    from ...evaluation.trial import Host, TrialSettings

HOSTS = ("agent", "bare")
OUT, REPORT = "holdfast-eval.jsonl", ".html"
RUNS = 5
TOOLS = ("bash", "read_file", "write_file", "edit_file")
FEWEST_JOBS, MOST_JOBS = 6, 20


def run(call: Invocation) -> int:
    """Make the runs that are not recorded yet; then print the figures and write the report."""
    from ...agent.tools.bash import hide_environment
    from ...evaluation.batch import Batch, due_runs, planned_runs, recorded_runs
    from ...evaluation.records import RunFile
    from ...evaluation.report import page
    from ...evaluation.results import compute_results
    from ...terminal.progress_bar import step_progress

    hide_environment()
    path = _out_path(call)
    arms, settings = _arms(call), _settings(call)
    planned = planned_runs(_tasks(call), _hosts(call), arms)
    against, prices, others = _against(call, arms), _prices(call), _other_runs(call, path)
    about = {**_about(call), **settings._asdict()}
    with RunFile(path, about) as records:
        due = due_runs(planned, records)
        for name in dict.fromkeys(run.host for run in due):
            _open_host(call, name)  # an unknown model is an error before anything is run
        with step_progress(len(planned), len(planned) - len(due)) as step:
            batch = Batch(
                due,
                lambda name: _open_host(call, name, lambda line: step("", line)),
                settings,
                records,
                step,
                call.number("parallel") or 1,
            )
            trouble = batch.make_runs()
        runs = recorded_runs(planned, records)
    if trouble and not runs:
        raise ModelError(f"{trouble}; nothing was written")
    found = compute_results([*runs, *others], against, prices)
    report = path.with_suffix(REPORT)
    _write_report(report, page(about, found))
    _print_results(call, found, path, report)
    if trouble:
        raise ModelError(f"{trouble}; run the same command again to continue")
    return Exit.OK


def _about(call: Invocation) -> dict[str, Any]:
    """What the runs of a file have in common beside the settings."""
    return {
        "holdfast": __version__,
        "model": call.word("label") or model_name(call) or call.word("base_url") or "by key",
        "tool_calls": tool_calls(call),
    }


def _hosts(call: Invocation) -> list[str]:
    names = call.words("host") or [HOSTS[0]]
    if unknown := [name for name in names if name not in HOSTS]:
        raise Misuse(f"unknown host {', '.join(map(repr, unknown))}: there are {', '.join(HOSTS)}")
    return names


def _open_host(call: Invocation, name: str, on_retry: Callable[[str], object] | None = None) -> "Host":
    """The host of a name, with a model of its own. Raises ModelError, which says what to do."""
    if name == "bare":
        from ...evaluation.bare_chat import open_chat
        from ...evaluation.bare_host import BareHost

        return BareHost(open_chat(model_name(call), call.word("base_url"), call.environ, on_retry))
    from ...evaluation.agent_host import AgentHost

    return AgentHost(open_chosen_model(call, model_name(call), on_retry))


def _other_runs(call: Invocation, path: Path) -> "list[RunRecord]":
    """The runs of the files that are shown, too."""
    from ...evaluation.records import read_runs

    others = [Path(word) for word in call.words("with")]
    if path in others:
        raise Misuse(f"--with {path}: that is the file of these runs")
    return [run for other in others for run in read_runs(other).runs]


def _out_path(call: Invocation) -> Path:
    path = Path(call.word("out") or OUT)
    if path.suffix == REPORT:
        raise Misuse(f"--out {path}: the report will be there; use another ending, as in {OUT}")
    return path


def _write_report(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise StoreError(f"the report cannot be written to {path}: {error.strerror}") from error


def _tasks(call: Invocation) -> "list[Task]":
    from ...evaluation import tasks

    number = RUNS if (given := call.number("runs")) is None else given
    first = 1 if (given := call.number("seed")) is None else given
    fewest, most = call.options.get("jobs") or (FEWEST_JOBS, MOST_JOBS)
    kinds = call.words("tasks") or list(tasks.KINDS)
    with usage_is_misuse():
        sets = [tasks.find_tasks(name, range(first, first + number), fewest, most) for name in kinds]
    every = [task for row in zip_longest(*sets) for task in row if task is not None]  # half of it is a bit of each
    names = [task.name for task in every]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Misuse(f"two tasks are named {', '.join(sorted(twice))}: rename a folder")
    if not every:
        raise Misuse("there is nothing to run: --runs is 0")
    return every


def _arms(call: Invocation) -> "list[Arm]":
    from ...evaluation import arms

    with usage_is_misuse():
        return [arms.find_arm(name) for name in call.words("arms") or arms.USUAL]


def _against(call: Invocation, arms: "Sequence[Arm]") -> str:
    against = call.word("against") or arms[0].name
    if against not in [arm.name for arm in arms]:
        raise Misuse(f"--against {against}: the arms are {', '.join(arm.name for arm in arms)}")
    return against


def _settings(call: Invocation) -> "TrialSettings":
    from ...evaluation.trial import TrialSettings

    given = {name: number for name in TrialSettings._fields if (number := call.options.get(name)) is not None}
    return TrialSettings(**given)


def _prices(call: Invocation) -> "Prices | None":
    from ...evaluation.figures import Prices

    read, written = call.options.get("price_in"), call.options.get("price_out")
    if read is None and written is None:
        return None
    if read is None or written is None:
        raise Misuse("a cost needs both --price-in and --price-out")
    return Prices(read, written)


def _print_results(call: Invocation, found: "Results", path: Path, report: Path) -> None:
    from ...evaluation.results import results_data
    from ...evaluation.summary import summary_lines

    if call.wants_json:
        call.screen.print_json({**results_data(found), "runs": str(path), "report": str(report)})
        return
    call.screen.print(summary_lines(found, call.screen.columns))
    call.screen.print_text("", f"runs: {path}", f"report: {report}")


def tool_names(word: str) -> str:
    """Names of the agent's tools, separated by commas. Raises ValueError for an unknown one."""
    names = comma_list(word)
    if unknown := [name for name in names if name not in TOOLS]:
        raise ValueError(f"expected names of {', '.join(TOOLS)}, received {', '.join(unknown)}")
    return ",".join(names)


def job_counts(word: str) -> tuple[int, int]:
    """How many jobs a task has: `8`, or `6-20`. Raises ValueError for anything else."""
    fewest, _, most = word.partition("-")
    counts = whole_number(fewest), whole_number(most or fewest)
    if not FEWEST_JOBS <= counts[0] <= counts[1] <= MOST_JOBS:
        raise ValueError(f"expected a number from 6 to 20, or two like 6-20, received '{word}'")
    return counts


def price(word: str) -> float:
    """What a million tokens cost. Raises ValueError for anything but a number from 0 on."""
    if not word.replace(".", "", 1).isdecimal() or not word.isascii():
        raise ValueError(f"expected a price like 2.50, received '{word}'")
    return float(word)


COMMAND = Command(
    "eval",
    "Measure on your own model whether a plan helps: the same tasks with and without one, graded by what is in the "
    "folder at the end.",
    run,
    (
        *MODEL_ARGUMENTS,
        Argument(
            "--host",
            "the loop around the model: agent (Holdfast's own), bare (one tool, JSON actions), or both; default agent",
            "H,H",
            of=comma_list,
        ),
        Argument("--arms", "what the model plans with; default none,plain,quiet,rail", "A,B", of=comma_list),
        Argument("--against", "the arm that the others are compared with; default: the first", "ARM"),
        Argument(
            "--tasks", "kinds (files,code,lookups,changes,prose) and folders with tasks of your own", "T", of=comma_list
        ),
        Argument(
            "--runs", f"how many tasks of each kind, and runs of one of your own; default {RUNS}", "N", of=whole_number
        ),
        Argument(
            "--jobs", f"how many jobs a task has, like 8 or 6-20; default {FEWEST_JOBS}-{MOST_JOBS}", "N", of=job_counts
        ),
        Argument("--seed", "makes the tasks: the same seed gives the same ones; default 1", "N", of=whole_number),
        Argument("--parallel", "how many runs are made side by side; default 1", "N", of=positive_number),
        Argument("--turns", "how many turns a run may take", "N", of=whole_number),
        Argument("--seconds", "how many seconds a run may take", "N", of=whole_number),
        Argument("--context", "how many tokens a conversation has before it is summed up", "N", of=whole_number),
        Argument("--answer", "how many tokens an answer may have, with --tool-calls json", "N", of=whole_number),
        Argument(
            "--tools", "which of the agent's tools it has, like bash,read_file; default all", "T,T", of=tool_names
        ),
        Argument("--noise", "how many lines of noise follow each tool's answer", "N", of=whole_number),
        Argument("--price-in", "what a million tokens cost that the model reads", "P", of=price),
        Argument("--price-out", "what a million tokens cost that it writes", "P", of=price),
        Argument("--out", f"the file of the runs; default {OUT}", "FILE"),
        Argument("--label", "what the model is called in tables and reports; default: its name", "NAME"),
        Argument("--with", "other files of runs to show, too, like those of another model", "FILE,FILE", of=comma_list),
    ),
    (
        Example("holdfast eval --model anthropic:NAME --runs 3", "four arms, twelve tasks each"),
        Example(
            "holdfast eval --base-url http://127.0.0.1:8080/v1 --tool-calls json --context 1500",
            "a local model without tool calls",
        ),
        Example("holdfast eval --arms rail,rail-no-tail,rail-no-guard --against rail", "what a part is worth"),
        Example("holdfast eval --tasks ./my-task,files", "a task of your own, too"),
        Example(
            "holdfast eval --base-url http://127.0.0.1:8080/v1 --tool-calls json --host agent,bare --parallel 8",
            "two hosts, eight runs side by side",
        ),
    ),
    "`arms` (`model`, `host`, `arm`, `runs`, each figure's `value`, `low`, `high`, and some for each of `kinds`), "
    "`compared` (`arm`, `against`, `figure`, `value`, "
    "`low`, `high`, `chance`, `pairs`, `larger_than_chance`), `runs` and `report` (paths)",
    uses=Uses.NOTHING,
)
