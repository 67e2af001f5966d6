"""Rows in columns that stay right for every script, and fit the screen."""

from collections.abc import Sequence
from typing import NamedTuple

from ..text import fit, pad, width
from .screen import BOLD, Screen

GAP = 2
LEAST_FOR_LAST = 16
"""How many columns the last cells want, if they have that much to say, before another column is left out for them."""


class Column(NamedTuple):
    """One column: its title, how wide it may be, whether a narrow screen may do without it."""

    title: str
    most: int = 24
    can_go: bool = False
    right: bool = False


class Cell(NamedTuple):
    """A text that is safe to print, and its style."""

    text: str
    style: str = ""


def table(screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """The rows under their titles. The last column takes what the others leave."""
    titles = [Cell(column.title, BOLD) for column in columns]
    lines = [titles, *rows] if any(column.title for column in columns) else list(rows)
    widths = [
        min(column.most, max(width(fit(line[at].text, column.most)) for line in lines))
        for at, column in enumerate(columns[:-1])
    ]
    last = min(LEAST_FOR_LAST, max(width(line[-1].text) for line in lines)) or -GAP  # no gap before nothing
    shown = _shown(screen, columns, widths, last)
    return [_line(screen, [(columns[at], line[at], widths[at]) for at in shown], line[-1]) for line in lines]


def _shown(screen: Screen, columns: Sequence[Column], widths: Sequence[int], last: int) -> list[int]:
    """The columns before the last that there is room for: those that can go do so from the right."""
    shown = list(range(len(widths)))
    for at in reversed(range(len(widths))):
        if sum(widths[other] + GAP for other in shown) + last <= screen.columns:
            break
        if columns[at].can_go:
            shown.remove(at)
    return shown


def _line(screen: Screen, cells: Sequence[tuple[Column, Cell, int]], last: Cell) -> str:
    line = "".join(_padded(screen, *cell) + " " * GAP for cell in cells)
    taken = sum(wide + GAP for _, _, wide in cells)
    return (line + screen.styled(screen.cut(last.text, taken), last.style)).rstrip()


def _padded(screen: Screen, column: Column, cell: Cell, wide: int) -> str:
    if column.right:
        text = fit(cell.text, wide)
        return " " * (wide - width(text)) + screen.styled(text, cell.style)
    return screen.styled(pad(cell.text, wide), cell.style)
