"""Plots as SVG: one row per arm, one dot per run, the mean with its interval. Colour is never the only sign.

An image has its own colours; a page that includes it may restyle its classes.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .figures import Figure
from .report_text import html_line
from .results import Results
from .statistics import Mean

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 760, 150, 130, 44, 46, 34
INK, FAINT, DOT, BAR, PAPER = "#1f2933", "#d5dbe1", "#7b9cc0", "#1f5a96", "#ffffff"
STEPS = (1, 2, 2.5, 5, 10)
GRID = 5
DOTS_BELOW, DOTS_HEIGHT, DOT_GAP = 16, 14, 4.5
"""How far below the line of the mean the runs are, how much room there is, and how far apart equal ones are."""
TICK = 14


class PlotRow(NamedTuple):
    """One line of a plot."""

    name: str
    mean: Mean
    values: tuple[float, ...]


def plot(results: Results, figure: Figure, title: str) -> str:
    """A figure of every arm, as one complete SVG image."""
    rows = [
        PlotRow(name, results.means[name, figure.key], tuple(figure.of(run) for run in runs))
        for name, runs in results.rows.items()
    ]
    most = 1.0 if figure.key == "share" else round_up(max((max(row.values) for row in rows), default=0.0))
    height = TOP + ROW * len(rows) + BOTTOM
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{html_line(title)}</title>",
        f'<rect class="paper" width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        f'<text class="ink" x="16" y="24" font-size="15" font-weight="600" fill="{INK}">{html_line(title)}</text>',
        *_grid(figure, most, height),
        *(part for at, row in enumerate(rows) for part in _row(row, figure, TOP + ROW * at + ROW // 3, most)),
        "</svg>",
    ]
    return "\n".join(body) + "\n"


def round_up(most: float) -> float:
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
        lines.append(
            f'<line class="grid" x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{height - BOTTOM + 4}" stroke="{FAINT}"/>'
        )
        words = html_line(figure.form(value))
        lines.append(f'<text class="ink" x="{x}" y="{height - 12}" text-anchor="middle" fill="{INK}">{words}</text>')
    return lines


def _row(row: PlotRow, figure: Figure, y: int, most: float) -> list[str]:
    name = row.name if len(row.name) <= 18 else f"{row.name[:17]}…"
    low, high, value = (_x(part, most) for part in (row.mean.low, row.mean.high, row.mean.value))
    words = html_line(figure.form(row.mean.value))
    return [
        f'<text class="ink" x="{LEFT - 12}" y="{y + 4}" text-anchor="end" fill="{INK}">{html_line(name)}</text>',
        *_dots(row.values, y, most),
        f'<line class="bar" x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{BAR}" stroke-width="4" '
        'stroke-linecap="round"/>',
        f'<rect class="bar" x="{value - 2:.1f}" y="{y - TICK // 2}" width="4" height="{TICK}" fill="{BAR}"/>',
        f'<text class="ink" x="{WIDTH - RIGHT + 14}" y="{y + 4}" fill="{INK}">{words}</text>',
    ]


def _dots(values: Sequence[float], y: int, most: float) -> list[str]:
    """One dot per run, below the line of the mean; equal ones are stacked, closer where there are many."""
    dots = []
    for value, count in Counter(values).items():
        gap = min(DOT_GAP, DOTS_HEIGHT / (count - 1)) if count > 1 else 0.0
        top = y + DOTS_BELOW - gap * (count - 1) / 2
        dots += [
            f'<circle class="dot" cx="{_x(value, most)}" cy="{top + gap * at:.1f}" r="2.4" fill="{DOT}"/>'
            for at in range(count)
        ]
    return dots
