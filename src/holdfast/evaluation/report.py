"""The report: one HTML page that stands alone, with plots and the transcript of every run. No script."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .comparison import Compared, by_arm, conclusion
from .figures import Figure
from .plots import plot
from .report_runs import grid, transcripts
from .report_text import safe
from .results import Results

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = Path(__file__).with_name("report.css")
PLOTTED = ("share", "hollow", "tokens_in")
HOW = (
    "Arms are compared on the tasks that both have run. p is the share of all ways to flip the signs of the "
    "differences that give one as large, corrected for the number of arms by Holm's rule; the intervals are not."
)


def page(about: Mapping[str, Any], found: Results) -> str:
    """The whole page."""
    model = safe(str(about.get("model")))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>holdfast eval: {model}</title><style>\n{STYLE.read_text(encoding='utf-8')}</style></head><body><main>",
        f"<h1>Does a plan help {model}?</h1>",
        *_answer(found),
        f'<p class="settings">{_settings(about)}</p>',
        *_arms(found),
        *_compared(found),
        *_plots(found),
        "<h2>Every run</h2>",
        *grid(found),
        *transcripts(found),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _answer(found: Results) -> Iterable[str]:
    if found.compared:
        yield f'<p class="answer">{safe(" ".join(conclusion(found.compared)))}</p>'


def _settings(about: Mapping[str, Any]) -> str:
    return "\n".join(
        f"<span>{safe(key.replace('_', ' '))} <b>{safe(str(value))}</b></span>" for key, value in about.items()
    )


def _arms(found: Results) -> Iterable[str]:
    rows = {
        arm: [str(len(runs)), *(_cell(*found.written(arm, figure)) for figure in found.figures)]
        for arm, runs in found.arms.items()
    }
    yield "<h2>The arms</h2>"
    yield from _table(["arm", "runs", *(figure.title for figure in found.figures)], rows)


def _compared(found: Results) -> Iterable[str]:
    rows = by_arm(found.compared)
    if not rows:
        return
    cells = {arm: [str(row[0].difference.pairs), *map(_difference, row)] for arm, row in rows.items()}
    yield f"<h2>Against {safe(found.against)}</h2>"
    yield from _table(["arm", "tasks", *(one.figure.title for one in next(iter(rows.values())))], cells)
    yield f"<p><small>{HOW}</small></p>"


def _table(heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """A table. What is in its cells is HTML already."""
    yield '<div class="wide" tabindex="0"><table><thead><tr>'
    yield "".join(f'<th scope="col">{safe(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for name, cells in rows.items():
        yield f'<tr><th scope="row">{safe(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
    yield "</tbody></table></div>"


def _cell(value: str, interval: str) -> str:
    return f"{safe(value)}<br><small>{safe(interval)}</small>" if interval else safe(value)


def _difference(one: Compared) -> str:
    word = f' <b class="{one.word}">{one.word}</b>' if one.word else ""
    return f"{safe(one.value)}{word}<br><small>{safe(one.interval)}, p {safe(one.chance)}</small>"


def _plots(found: Results) -> Iterable[str]:
    if found.arms:
        yield '<h2>Plots</h2><div class="plots">'
        yield from (_plot(found, figure) for figure in found.figures if figure.key in PLOTTED)
        yield "</div>"


def _plot(found: Results, figure: Figure) -> str:
    return plot(found, figure, f"{figure.title.capitalize()}: mean, 95 % interval, every run")
