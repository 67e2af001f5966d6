"""The figures as lines for a terminal: a table, and what the comparisons say."""

from ..cli.screen import Screen
from ..cli.table import Cell, Column, table
from .figures import Figure, Results, verdict


def lines(screen: Screen, found: Results) -> list[str]:
    """A row an arm, with intervals where there is room for them; then a sentence a comparison."""
    if not found.arms:
        return ["No runs yet."]
    columns = (Column("ARM"), Column("RUNS", right=True), *(_column(figure) for figure in found.figures), Column(""))
    rows = [
        [
            Cell(screen.text(arm)),
            Cell(str(len(runs))),
            *(_cell(found, arm, figure) for figure in found.figures),
            Cell(""),
        ]
        for arm, runs in found.arms.items()
    ]
    said = [screen.cut(screen.text(verdict(one))) for one in found.compared]
    return [*table(screen, columns, rows), *([""] if said else []), *said]


def _column(figure: Figure) -> Column:
    return Column(figure.title.upper(), right=True, can_go=figure.key != "share")


def _cell(found: Results, arm: str, figure: Figure) -> Cell:
    value, low, high = found.means[arm, figure.key]
    if figure.key == "share":
        return Cell(f"{figure.form(value)} ({figure.form(low)} to {figure.form(high)})")
    return Cell(figure.form(value))
