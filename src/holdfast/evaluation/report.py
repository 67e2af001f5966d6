"""The report: one HTML page that stands alone, with plots and the transcript of every run. No script."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from ..text import one_line
from .comparing import Compared, by_arm, conclusion
from .figures import Figure
from .plots import plot
from .records import Run
from .results import Results

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2933; background: #fff; max-width: 1120px; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #d5dbe1; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } small { color: #52606d; }
details { border: 1px solid #d5dbe1; border-radius: 6px; margin: .4rem 0; padding: .3rem .8rem; }
summary { cursor: pointer; } svg { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0 .6rem; padding: .4rem .6rem; background: #f4f6f8;
  border-radius: 4px; }
.kind { font-size: .8rem; color: #52606d; text-transform: uppercase; } .failed { background: #fdecea; }
.reminder { background: #fff6db; } .summary { background: #e8f1fb; } .user { background: #eaf7ec; }
"""
HOW = (
    "Arms are compared on the tasks that both have run. p is the share of all ways to flip the signs of the "
    "differences that give one as large, corrected for the number of arms by Holm's rule; the intervals are not."
)
MARKS = {True: "done", False: "not done"}


def page(about: Mapping[str, Any], found: Results) -> str:
    """The whole page."""
    plots = [figure for figure in found.figures if figure.key in ("share", "hollow", "tokens_in")]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>holdfast eval: {_safe(str(about.get('model')))}</title><style>{STYLE}</style></head><body>",
        f"<h1>Does a plan help {_safe(str(about.get('model')))}?</h1>",
        f"<p>{_settings(about)}</p>",
        *_table(found),
        *_compared(found),
        *(plot(found, figure, f"{figure.title}: mean, 95 % interval, every run") for figure in plots if found.arms),
        "<h2>Every run</h2>",
        *(_run(run) for runs in found.arms.values() for run in runs),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _settings(about: Mapping[str, Any]) -> str:
    return ", ".join(f"{_safe(key.replace('_', ' '))} <b>{_safe(str(value))}</b>" for key, value in about.items())


def _table(found: Results) -> Iterable[str]:
    yield '<div class="wide"><table><thead><tr><th>arm</th><th>runs</th>'
    yield from (f"<th>{_safe(figure.title)}</th>" for figure in found.figures)
    yield "</tr></thead><tbody>"
    for arm, runs in found.arms.items():
        cells = "".join(_cell(found, arm, figure) for figure in found.figures)
        yield f"<tr><td>{_safe(arm)}</td><td>{len(runs)}</td>{cells}</tr>"
    yield "</tbody></table></div>"


def _cell(found: Results, arm: str, figure: Figure) -> str:
    value, interval = found.written(arm, figure)
    spread = f"<br><small>{_safe(interval)}</small>" if interval else ""
    return f"<td>{_safe(value)}{spread}</td>"


def _compared(found: Results) -> Iterable[str]:
    rows = by_arm(found.compared)
    if not rows:
        return
    yield "<h2>Larger than chance?</h2>"
    yield f"<p>{_safe(' '.join(conclusion(found.compared)))}</p>"
    yield f'<div class="wide"><table><thead><tr><th>against {_safe(found.against)}</th><th>tasks</th>'
    yield from (f"<th>{_safe(one.figure.title)}</th>" for one in next(iter(rows.values())))
    yield "</tr></thead><tbody>"
    for arm, row in rows.items():
        yield f"<tr><td>{_safe(arm)}</td><td>{row[0].difference.pairs}</td>{''.join(map(_difference, row))}</tr>"
    yield f"</tbody></table></div><p><small>{HOW}</small></p>"


def _difference(one: Compared) -> str:
    word = f' <b class="{one.word}">{one.word}</b>' if one.word else ""
    return f"<td>{_safe(one.value)}{word}<br><small>{_safe(one.interval)}, p {_safe(one.chance)}</small></td>"


def _run(run: Run) -> str:
    title = (
        f"{run.task}, {run.arm}: {run.done} of {run.jobs} done, {run.hollow} hollow, {run.turns} turns, {run.reason}"
    )
    jobs = "".join(f"<li>{MARKS[done]}: {_safe(text)}</li>" for text, done in run.verdicts)
    todos = "".join(f"<li>{_safe(status)}: {_safe(text)}</li>" for text, status in run.todos)
    plan = f"<p>What the model marked:</p><ul>{todos}</ul>" if todos else ""
    said = "".join(_entry(str(entry.get("kind")), str(entry.get("text"))) for entry in run.transcript)
    return (
        f"<details><summary>{_safe(title)}</summary><p>What is true in the folder:</p><ul>{jobs}</ul>{plan}"
        f"{said}</details>"
    )


def _entry(kind: str, text: str) -> str:
    lines = "\n".join(_safe(line) for line in text.split("\n"))
    return f'<div class="kind">{_safe(kind)}</div><pre class="{_safe(kind)}">{lines}</pre>'


def _safe(text: str) -> str:
    """A text of a model or a person as HTML: its tags are shown, and so is what would turn a line around."""
    return escape(one_line(text))
