"""Pictures of measurements, as SVG: bars for figures side by side, lines for what grows."""

from collections.abc import Mapping, Sequence
from html import escape

from dev.bench.measurement import Measurement
from holdfast.evaluation.plots import BAR, FAINT, INK, PAPER, round_up

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 330, 90, 46, 20
BAR_ROW, LINES_HEIGHT = 26, 360
LINE_LEFT, LINE_RIGHT = 60, 130
GRID = 5
DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 4")


def bars(title: str, rows: Sequence[Measurement]) -> str:
    """One bar per row, as long as its value."""
    most = max(row.value for row in rows)
    body = []
    for at, row in enumerate(rows):
        y, long = TOP + BAR_ROW * at, (WIDTH - LEFT - RIGHT) * row.value / most
        body += [
            f'<text x="{LEFT - 10}" y="{y + 14}" text-anchor="end" fill="{INK}">{escape(_short(row.what))}</text>',
            f'<rect x="{LEFT}" y="{y + 2}" width="{max(long, 1):.1f}" height="16" fill="{BAR}"/>',
            f'<text x="{LEFT + long + 8:.1f}" y="{y + 14}" fill="{INK}">{escape(format_value(row))}</text>',
        ]
    return _image(title, TOP + BAR_ROW * len(rows) + BOTTOM, body)


def lines(title: str, series: Mapping[str, Sequence[float]], below: str) -> str:
    """One line per series, with its own dashes and its name at the end. `below` names the steps."""
    most = round_up(max(max(values) for values in series.values()))
    steps = max(len(values) for values in series.values()) - 1

    def x(step: float) -> float:
        return LINE_LEFT + (WIDTH - LINE_LEFT - LINE_RIGHT) * step / steps

    def y(value: float) -> float:
        return LINES_HEIGHT - 40 - (LINES_HEIGHT - TOP - 40) * value / most

    body = [f'<text x="{x(steps / 2):.0f}" y="{LINES_HEIGHT - 10}" text-anchor="middle" fill="{INK}">{below}</text>']
    for at in range(GRID + 1):
        value = most * at / GRID
        body += [
            f'<line x1="{x(0)}" y1="{y(value):.1f}" x2="{x(steps)}" y2="{y(value):.1f}" stroke="{FAINT}"/>',
            f'<text x="{x(0) - 8}" y="{y(value) + 4:.1f}" text-anchor="end" fill="{INK}">{value:,.0f}</text>',
        ]
    ends = _spread_labels({name: y(values[-1]) for name, values in series.items()})
    for at, (name, values) in enumerate(series.items()):
        points = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in enumerate(values))
        dash = f' stroke-dasharray="{DASHES[at % len(DASHES)]}"' if DASHES[at % len(DASHES)] else ""
        body += [
            f'<polyline points="{points}" fill="none" stroke="{BAR}" stroke-width="2"{dash}/>',
            f'<text x="{x(steps) + 8}" y="{ends[name] + 4:.1f}" fill="{INK}">{escape(name)}</text>',
        ]
    return _image(title, LINES_HEIGHT, body)


def format_value(row: Measurement) -> str:
    """A row's value with its unit."""
    return f"{row.value:,.0f} {row.unit}" if row.value >= 100 else f"{row.value:,.1f} {row.unit}"


def _spread_labels(heights: Mapping[str, float], least: float = 15.0) -> dict[str, float]:
    """The heights of labels, moved so that none covers another."""
    placed: dict[str, float] = {}
    last = -least
    for name, height in sorted(heights.items(), key=lambda pair: pair[1]):
        last = placed[name] = max(height, last + least)
    return placed


def _short(text: str) -> str:
    return text if len(text) <= 50 else f"{text[:49]}…"


def _image(title: str, height: int, body: Sequence[str]) -> str:
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        f'<text x="16" y="24" font-size="15" font-weight="600" fill="{INK}">{escape(title)}</text>',
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"
