"""The runs in the report: a table with all of them at a glance, and what was said and done in each."""

from collections.abc import Iterable, Mapping
from typing import Any

from .records import Run
from .report_text import safe
from .results import Results

KINDS = ("user", "model", "call", "result", "failed", "reminder", "summary", "end")
"""What an entry of a transcript may be; each has its look."""


def grid(found: Results) -> Iterable[str]:
    """A row a task, a column an arm, and in each place how much is done, which leads to the run."""
    if not found.arms:
        return
    places = _places(found)
    tasks = list(dict.fromkeys(task for _, task in places))
    yield '<div class="wide" tabindex="0"><table class="runs"><thead><tr><th scope="col">jobs done</th>'
    yield "".join(f'<th scope="col">{safe(arm)}</th>' for arm in found.arms)
    yield "</tr></thead><tbody>"
    for task in tasks:
        cells = "".join(f"<td>{_links(places.get((arm, task), {}))}</td>" for arm in found.arms)
        yield f'<tr><th scope="row">{safe(task)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def transcripts(found: Results) -> Iterable[str]:
    """Every run, by arm, closed until it is asked for."""
    number = 0
    for arm, runs in found.arms.items():
        yield f"<h3>{safe(arm)}</h3>"
        for run in runs:
            number += 1
            yield _run(number, run)


def _places(found: Results) -> dict[tuple[str, str], dict[int, Run]]:
    """The runs by arm and task, each by its number on the page."""
    places: dict[tuple[str, str], dict[int, Run]] = {}
    for number, run in enumerate((run for runs in found.arms.values() for run in runs), 1):
        places.setdefault((run.arm, run.task), {})[number] = run
    return places


def _links(runs: Mapping[int, Run]) -> str:
    return "".join(
        f'<a href="#run-{number}" style="--share: {run.share:.0%}">{run.done} of {run.jobs}</a>'
        for number, run in runs.items()
    )


def _run(number: int, run: Run) -> str:
    """A run. Its target is inside, so that a browser that is led there opens it."""
    more = (
        f"{run.hollow} hollow, {run.twice} done twice, {run.turns} turns, {run.tokens_in:,} tokens in, {run.seconds} s"
    )
    jobs = "".join(_job(text, "done" if done else "not done", done) for text, done in run.verdicts)
    todos = "".join(_job(text, status, status == "completed") for text, status in run.todos)
    said = "".join(_entry(entry) for entry in run.transcript)
    return (
        f"<details><summary><b>{safe(run.task)}</b> {run.done} of {run.jobs} done <small>{more}</small> "
        f"<small>{safe(run.reason)}</small></summary>"
        f'<div class="inside" id="run-{number}"><div class="both">{_list("True in the folder", jobs)}'
        f"{_list('Marked by the model', todos)}</div>{said}</div></details>"
    )


def _list(title: str, items: str) -> str:
    return f"<div><small>{title}</small><ul>{items}</ul></div>" if items else ""


def _job(text: str, word: str, is_done: bool) -> str:
    return f'<li class="{"is-done" if is_done else "is-open"}"><b>{safe(word)}</b> {safe(text)}</li>'


def _entry(entry: Mapping[str, Any]) -> str:
    kind, lines = str(entry.get("kind")), str(entry.get("text")).split("\n")
    look = kind if kind in KINDS else ""
    text = "\n".join(map(safe, lines))
    return f'<div class="entry {look}"><span class="kind">{safe(kind)}</span><pre>{text}</pre></div>'
