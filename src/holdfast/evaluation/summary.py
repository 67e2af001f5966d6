"""The results as lines for a terminal: a table of the arms, their differences, and the conclusion."""

import textwrap

from ..terminal.screen import BOLD, Screen
from ..terminal.table import Cell, Column, table
from .comparison import Comparison, by_arm, conclusion
from .figures import Figure
from .results import Results

MARK = "*"
FIRST = "share"
"""The figure that shows its interval, and stays even on a narrow screen."""
END = Cell("")


def lines(screen: Screen, results: Results) -> list[str]:
    """One row per arm, one row per comparison, and a few plain sentences."""
    if not results.arms:
        return ["No runs yet."]
    columns = (
        Column("ARM"),
        Column("RUNS", right=True, can_go=True),
        *(_column(figure) for figure in results.figures),
        Column(""),
    )
    rows = [
        [
            Cell(screen.text(arm)),
            Cell(str(len(runs))),
            *(_cell(results, arm, figure) for figure in results.figures),
            END,
        ]
        for arm, runs in results.arms.items()
    ]
    return [*table(screen, columns, rows), *_compared(screen, results)]


def _compared(screen: Screen, results: Results) -> list[str]:
    rows = by_arm(results.comparisons)
    if not rows:
        return []
    figures = [one.figure for one in next(iter(rows.values()))]
    heads = [Column("ARM"), Column("TASKS", right=True, can_go=True)]
    for figure in figures:
        heads += [_column(figure), *([Column("P", right=True, can_go=True)] if figure.key == FIRST else [])]
    cells = [
        [
            Cell(screen.text(arm)),
            Cell(str(row[0].difference.pairs)),
            *(cell for one in row for cell in _cells(one)),
            END,
        ]
        for arm, row in rows.items()
    ]
    about = f"Against {results.against}, on the same tasks, shares in points; {MARK} larger than chance:"
    sentences = textwrap.wrap(
        screen.text(" ".join(conclusion(results.comparisons))), screen.columns, break_on_hyphens=False
    )
    return ["", screen.cut(screen.text(about)), *table(screen, (*heads, Column("")), cells), "", *sentences]


def _column(figure: Figure) -> Column:
    return Column(figure.title.upper(), right=True, can_go=figure.key != FIRST)


def _cell(results: Results, arm: str, figure: Figure) -> Cell:
    value, interval = results.format_figure(arm, figure)
    return Cell(f"{value} ({interval})" if interval and figure.key == FIRST else value)


def _cells(one: Comparison) -> list[Cell]:
    """The cells of one comparison; what is larger than chance is marked, and bold."""
    style, mark = (BOLD, MARK) if one.word else ("", " ")
    if one.figure.key != FIRST:
        return [Cell(one.short + mark, style)]
    return [Cell(f"{one.short} ({one.interval})", style), Cell(one.chance + mark, style)]
