"""Numbers as bars, in lines that fit the screen."""

from collections.abc import Sequence
from typing import NamedTuple

from ..text import fit, pad, width
from .screen import Screen

LONGEST = 20
LEAST_LABEL = 12
MOST_LABEL = 60


class Bar(NamedTuple):
    """One line: a text that is safe to print and its style, a number in words, and the number's share of the most."""

    label: str
    number: str
    share: float
    style: str = ""


def bars(screen: Screen, rows: Sequence[Bar]) -> list[str]:
    """A line for each: its label, its number, its bar."""
    longest = min(LONGEST, screen.columns // 4)
    numbers = max((len(row.number) for row in rows), default=0)
    room = min(max(screen.columns - longest - numbers - 4, LEAST_LABEL), MOST_LABEL)
    labels = max((width(fit(row.label, room)) for row in rows), default=0)
    return [
        f"{screen.styled(pad(row.label, labels), row.style)}  {row.number:>{numbers}}  "
        f"{screen.bar(row.share, longest, rest='')}".rstrip()
        for row in rows
    ]
