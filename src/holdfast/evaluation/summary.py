"""The figures as lines for a terminal: a table, what sets the arms apart, and what may be said of it."""

import textwrap

from ..terminal.screen import BOLD, Screen
from ..terminal.table import Cell, Column, table
from .comparison import Compared, by_arm, conclusion
from .figures import Figure
from .results import Results

MARK = "*"
FIRST = "share"
"""The figure that has its interval beside it, and stays however narrow a screen is."""
END = Cell("")


def lines(screen: Screen, found: Results) -> list[str]:
    """A row an arm; then a row for each arm that is held against another one, and a few plain sentences."""
    if not found.arms:
        return ["No runs yet."]
    columns = (
        Column("ARM"),
        Column("RUNS", right=True, can_go=True),
        *(_column(figure) for figure in found.figures),
        Column(""),
    )
    rows = [
        [Cell(screen.text(arm)), Cell(str(len(runs))), *(_cell(found, arm, figure) for figure in found.figures), END]
        for arm, runs in found.arms.items()
    ]
    return [*table(screen, columns, rows), *_compared(screen, found)]


def _compared(screen: Screen, found: Results) -> list[str]:
    rows = by_arm(found.compared)
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
    about = f"Against {found.against}, on the same tasks, shares in points; {MARK} larger than chance:"
    said = textwrap.wrap(screen.text(" ".join(conclusion(found.compared))), screen.columns, break_on_hyphens=False)
    return ["", screen.cut(screen.text(about)), *table(screen, (*heads, Column("")), cells), "", *said]


def _column(figure: Figure) -> Column:
    return Column(figure.title.upper(), right=True, can_go=figure.key != FIRST)


def _cell(found: Results, arm: str, figure: Figure) -> Cell:
    value, interval = found.written(arm, figure)
    return Cell(f"{value} ({interval})" if interval and figure.key == FIRST else value)


def _cells(one: Compared) -> list[Cell]:
    """What a row says of one figure; what is larger than chance is marked, and bold."""
    style, mark = (BOLD, MARK) if one.word else ("", " ")
    if one.figure.key != FIRST:
        return [Cell(one.short + mark, style)]
    return [Cell(f"{one.short} ({one.interval})", style), Cell(one.chance + mark, style)]
