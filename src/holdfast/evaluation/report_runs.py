"""The runs in the report: a table of all of them, and the transcript of each."""

from collections.abc import Iterable, Mapping
from typing import Any

from .records import RunRecord
from .report_text import html_line, html_table
from .results import Results

KINDS = ("user", "model", "call", "result", "failed", "reminder", "summary", "end")
"""The kinds of entries in a transcript; each has its own style."""


def grid(results: Results) -> Iterable[str]:
    """One row per task, one column per arm; each cell says how much is done, and links to the run."""
    places = _places(results)
    tasks = dict.fromkeys(task for _, task in places)
    rows = {task: [_links(places.get((row, task), {})) for row in results.rows] for task in tasks}
    return html_table(["jobs done", *results.rows], rows, "runs") if rows else ()


def transcripts(results: Results) -> Iterable[str]:
    """Every run, by arm, folded until it is opened."""
    number = 0
    for row, runs in results.rows.items():
        yield f"<h3>{html_line(row)}</h3>"
        for run in runs:
            number += 1
            yield _run(number, run)


def _places(results: Results) -> dict[tuple[str, str], dict[int, RunRecord]]:
    """The runs by row and task, each by its number on the page."""
    places: dict[tuple[str, str], dict[int, RunRecord]] = {}
    for number, (row, run) in enumerate(((row, run) for row, runs in results.rows.items() for run in runs), 1):
        places.setdefault((row, run.task), {})[number] = run
    return places


def _links(runs: Mapping[int, RunRecord]) -> str:
    return "".join(
        f'<a href="#run-{number}" style="--share: {run.share:.0%}">{run.done} of {run.jobs}</a>'
        for number, run in runs.items()
    )


def _run(number: int, run: RunRecord) -> str:
    """A run. Its anchor is inside, so that a browser unfolds it when it follows a link."""
    more = (
        f"{run.hollow} hollow, {run.twice} done twice, {run.turns} turns, {run.tokens_in:,} tokens in, {run.seconds} s"
    )
    jobs = "".join(_job(text, "done" if done else "not done", done) for text, done in run.verdicts)
    todos = "".join(_job(text, status, status == "completed") for text, status in run.todos)
    transcript = "".join(_entry(entry) for entry in run.transcript)
    return (
        f"<details><summary><b>{html_line(run.task)}</b> {run.done} of {run.jobs} done <small>{more}</small> "
        f"<small>{html_line(run.reason)}</small></summary>"
        f'<div class="inside" id="run-{number}"><div class="both">{_list("True in the folder", jobs)}'
        f"{_list('Marked by the model', todos)}</div>{transcript}</div></details>"
    )


def _list(title: str, items: str) -> str:
    return f"<div><small>{title}</small><ul>{items}</ul></div>" if items else ""


def _job(text: str, word: str, is_done: bool) -> str:
    return f'<li class="{"is-done" if is_done else "is-open"}"><b>{html_line(word)}</b> {html_line(text)}</li>'


def _entry(entry: Mapping[str, Any]) -> str:
    kind, lines = str(entry.get("kind")), str(entry.get("text")).split("\n")
    look = kind if kind in KINDS else ""
    text = "\n".join(map(html_line, lines))
    return f'<div class="entry {look}"><span class="kind">{html_line(kind)}</span><pre>{text}</pre></div>'
