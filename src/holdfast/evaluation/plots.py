"""Plots as SVG: a row an arm, a dot a run, the mean with its interval. Nothing hangs on a colour."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .figures import Figure
from .results import Results
from .statistics import Mean

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 760, 150, 130, 44, 46, 34
INK, FAINT, DOT, BAR, PAPER = "#1f2933", "#d5dbe1", "#7b9cc0", "#1f5a96", "#ffffff"
STEPS = (1, 2, 2.5, 5, 10)
GRID = 5
DOTS_BELOW, DOT_GAP = 12, 4.5
"""How far below the line of the mean the runs stand, and how far apart those that are equal."""
MOST_APART = 2


class Row(NamedTuple):
    """One line of a plot."""

    name: str
    mean: Mean
    values: tuple[float, ...]


def plot(found: Results, figure: Figure, title: str) -> str:
    """A figure of every arm, as one SVG image that stands alone."""
    rows = [
        Row(arm, found.means[arm, figure.key], tuple(figure.of(run) for run in runs))
        for arm, runs in found.arms.items()
    ]
    most = 1.0 if figure.key == "share" else nice(max((max(row.values) for row in rows), default=0.0))
    height = TOP + ROW * len(rows) + BOTTOM
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        f'<text x="16" y="24" font-size="15" font-weight="600" fill="{INK}">{escape(title)}</text>',
        *_grid(figure, most, height),
        *(part for at, row in enumerate(rows) for part in _row(row, figure, TOP + ROW * at + ROW / 3, most)),
        "</svg>",
    ]
    return "\n".join(body) + "\n"


def nice(most: float) -> float:
    """The end of an axis: a round number not below the greatest value."""
    if most <= 0:
        return 1.0
    power = 1.0
    while power * 10 <= most:
        power *= 10
    while power > most:
        power /= 10
    return next(step * power for step in (*STEPS, 20) if step * power >= most)


def _x(value: float, most: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * value / most, 1)


def _grid(figure: Figure, most: float, height: int) -> list[str]:
    lines = []
    for at in range(GRID + 1):
        value = most * at / GRID
        x = _x(value, most)
        lines.append(f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{height - BOTTOM + 4}" stroke="{FAINT}"/>')
        lines.append(
            f'<text x="{x}" y="{height - 12}" text-anchor="middle" fill="{INK}">{escape(figure.form(value))}</text>'
        )
    return lines


def _row(row: Row, figure: Figure, y: float, most: float) -> list[str]:
    name = row.name if len(row.name) <= 18 else f"{row.name[:17]}…"
    low, high, value = (_x(part, most) for part in (row.mean.low, row.mean.high, row.mean.value))
    words = f"{figure.form(row.mean.value)}"
    return [
        f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end" fill="{INK}">{escape(name)}</text>',
        *_dots(row.values, y, most),
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{BAR}" stroke-width="4" stroke-linecap="round"/>',
        f'<rect x="{value - 2}" y="{y - 9}" width="4" height="18" fill="{BAR}"/>',
        f'<text x="{WIDTH - RIGHT + 14}" y="{y + 4}" fill="{INK}">{escape(words)}</text>',
    ]


def _dots(values: Sequence[float], y: float, most: float) -> list[str]:
    """A dot a run, below the line of the mean; equal ones stand above and below one another."""
    seen: dict[float, int] = {}
    dots = []
    for value in values:
        count = seen[value] = seen.get(value, -1) + 1
        apart = (count + 1) // 2 % (MOST_APART + 1) * (1 if count % 2 else -1)
        dots.append(
            f'<circle cx="{_x(value, most)}" cy="{y + DOTS_BELOW + apart * DOT_GAP:.1f}" r="2.4" fill="{DOT}"/>'
        )
    return dots
