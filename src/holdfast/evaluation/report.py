"""The report: one complete HTML page, with plots and the transcript of every run, without scripts."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .comparison import Comparison, by_arm, conclusion
from .plots import plot
from .report_runs import grid, transcripts
from .report_text import html_line, html_table
from .results import Results, kind_tables

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = Path(__file__).with_name("report.css")
PLOTTED = ("share", "hollow", "tokens_in")
HOW = (
    "Arms are compared on the tasks that both have run. p is the share of all ways to flip the signs of the "
    "differences that give one as large, corrected for the number of arms by Holm's rule; the intervals are not."
)


def page(about: Mapping[str, Any], results: Results) -> str:
    """The whole page."""
    model = html_line(str(about.get("model")))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>holdfast eval: {model}</title><style>\n{STYLE.read_text(encoding='utf-8')}</style></head><body><main>",
        f"<h1>Does a plan help {model}?</h1>",
        *_answer(results),
        f'<p class="settings">{_settings(about)}</p>',
        *_arms(results),
        *_kinds(results),
        *_compared(results),
        *_plots(results),
        "<h2>Every run</h2>",
        *grid(results),
        *transcripts(results),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _answer(results: Results) -> Iterable[str]:
    if results.comparisons:
        yield f'<p class="answer">{html_line(" ".join(conclusion(results.comparisons)))}</p>'


def _settings(about: Mapping[str, Any]) -> str:
    return "\n".join(
        f"<span>{html_line(key.replace('_', ' '))} <b>{html_line(str(value))}</b></span>"
        for key, value in about.items()
    )


def _arms(results: Results) -> Iterable[str]:
    rows = {
        row: [str(len(runs)), *(_cell(*results.format_figure(row, figure)) for figure in results.figures)]
        for row, runs in results.rows.items()
    }
    yield "<h2>The arms</h2>"
    yield from html_table(["arm", "runs", *(figure.title for figure in results.figures)], rows)


def _kinds(results: Results) -> Iterable[str]:
    for figure, kinds, rows in kind_tables(results):
        yield f"<h2>{html_line(figure.title.capitalize())}, by kind of task</h2>"
        yield from html_table(["arm", *kinds], {row: [_cell(*cell) for cell in cells] for row, cells in rows.items()})


def _compared(results: Results) -> Iterable[str]:
    rows = by_arm(results.comparisons)
    if not rows:
        return
    cells = {arm: [str(row[0].difference.pairs), *map(_difference, row)] for arm, row in rows.items()}
    yield f"<h2>Against {html_line(results.against)}</h2>"
    yield from html_table(["arm", "tasks", *(one.figure.title for one in next(iter(rows.values())))], cells)
    yield f"<p><small>{HOW}</small></p>"


def _cell(value: str, interval: str) -> str:
    return f"{html_line(value)}<br><small>{html_line(interval)}</small>" if interval else html_line(value)


def _difference(one: Comparison) -> str:
    word = f' <b class="{one.word}">{one.word}</b>' if one.word else ""
    return f"{html_line(one.value)}{word}<br><small>{html_line(one.interval)}, p {html_line(one.chance)}</small>"


def _plots(results: Results) -> Iterable[str]:
    if results.rows:
        yield '<h2>Plots</h2><div class="plots">'
        for figure in results.figures:
            if figure.key in PLOTTED:
                yield plot(results, figure, f"{figure.title.capitalize()}: mean, 95 % interval, every run")
        yield "</div>"
