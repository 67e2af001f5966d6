"""Numbers as bars, in lines that fit the screen."""

from collections.abc import Sequence
from typing import NamedTuple

from .lines import Line, Span, cut_line, line_width, pad_line, trim_line

FULL, EMPTY = "█", "░"
LONGEST = 20
LEAST_LABEL = 12
MOST_LABEL = 60


class Bar(NamedTuple):
    """One line: its label, a number in words, and the number's share of the largest one."""

    label: Line
    number: str
    share: float


def bar_lines(bars: Sequence[Bar], columns: int) -> list[Line]:
    """A line for each: its label, its number, its bar."""
    longest = min(LONGEST, columns // 4)
    numbers = max((len(bar.number) for bar in bars), default=0)
    room = min(max(columns - longest - numbers - 4, LEAST_LABEL), MOST_LABEL)
    labels = max((line_width(cut_line(bar.label, room)) for bar in bars), default=0)
    return [
        trim_line(
            (
                *pad_line(bar.label, labels),
                Span(f"  {bar.number:>{numbers}}  "),
                *bar_spans(bar.share, longest, rest=""),
            )
        )
        for bar in bars
    ]


def bar_spans(share: float, columns: int, rest: str = EMPTY) -> Line:
    """A bar that is filled up to a share of its columns. Anything above nothing shows at least one full column."""
    full = min(columns, max(round(share * columns), 1 if share > 0 else 0))
    return Span(FULL * full, "green"), Span(rest * (columns - full), "dim")
