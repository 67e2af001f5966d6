"""Rows in columns that stay aligned for every script, and fit the screen."""

from collections.abc import Sequence
from typing import NamedTuple

from .lines import Line, Span, cut_line, line_width, pad_line, text_line, trim_line

GAP = 2
LEAST_FOR_LAST = 16
"""How many columns the last cells want, if they need that many, before another column is left out for them."""


class Column(NamedTuple):
    """One column: its title, how wide it may be, whether a narrow screen may leave it out, where its cells stand."""

    title: str
    widest: int = 24
    is_optional: bool = False
    is_right: bool = False


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[Line]], room: int) -> list[Line]:
    """The rows under their titles, in `room` columns of the screen. The last column takes what the others leave."""
    titles = [text_line(column.title, "bold") for column in columns]
    every = [titles, *rows] if any(column.title for column in columns) else list(rows)
    widths = [
        min(column.widest, max(line_width(cut_line(row[at], column.widest)) for row in every))
        for at, column in enumerate(columns[:-1])
    ]
    last = min(LEAST_FOR_LAST, max(line_width(row[-1]) for row in every)) or -GAP  # no gap before nothing
    chosen = _chosen_columns(columns, widths, last, room)
    return [_row_line([(columns[at], row[at], widths[at]) for at in chosen], row[-1], room) for row in every]


def _chosen_columns(columns: Sequence[Column], widths: Sequence[int], last: int, room: int) -> list[int]:
    """The columns before the last that there is room for: optional ones are left out from the right."""
    chosen = list(range(len(widths)))
    for at in reversed(range(len(widths))):
        if sum(widths[other] + GAP for other in chosen) + last <= room:
            break
        if columns[at].is_optional:
            chosen.remove(at)
    return chosen


def _row_line(cells: Sequence[tuple[Column, Line, int]], last: Line, room: int) -> Line:
    spans: list[Span] = []
    for column, cell, columns in cells:
        spans += [*pad_line(cell, columns, column.is_right), Span(" " * GAP)]
    return trim_line((*spans, *cut_line(last, max(room - line_width(spans), 1))))


def pair_lines(pairs: Sequence[tuple[str, str]], room: int) -> list[Line]:
    """Two columns without titles: a name, and its value."""
    return table_lines((Column(""), Column("")), [(text_line(name), text_line(value)) for name, value in pairs], room)
