"""The results as lines for a terminal: a table of the arms, their differences, and the conclusion."""

import textwrap

from ..terminal.lines import Line, Span, cut_text, text_line
from ..terminal.table import Column, table_lines
from ..text import one_line
from .comparison import Comparison, by_arm, conclusion
from .figures import Figure
from .results import Results

MARK = "*"
FIRST = "share"
"""The figure that has its interval beside it, and stays however narrow a screen is."""
END: Line = ()


def summary_lines(found: Results, room: int) -> list[Line]:
    """A row an arm; then a row for each arm that is held against another one, and a few plain sentences."""
    if not found.arms:
        return [text_line("No runs yet.")]
    columns = (
        Column("ARM"),
        Column("RUNS", is_right=True, is_optional=True),
        *(_column(figure) for figure in found.figures),
        Column(""),
    )
    rows = [
        [text_line(arm), text_line(str(len(runs))), *(_cell(found, arm, figure) for figure in found.figures), END]
        for arm, runs in found.arms.items()
    ]
    return [*table_lines(columns, rows, room), *_compared_lines(found, room)]


def _compared_lines(found: Results, room: int) -> list[Line]:
    rows = by_arm(found.comparisons)
    if not rows:
        return []
    figures = [one.figure for one in next(iter(rows.values()))]
    heads = [Column("ARM"), Column("TASKS", is_right=True, is_optional=True)]
    for figure in figures:
        heads += [_column(figure), *([Column("P", is_right=True, is_optional=True)] if figure.key == FIRST else [])]
    cells = [
        [text_line(arm), text_line(str(row[0].difference.pairs)), *(cell for one in row for cell in _cells(one)), END]
        for arm, row in rows.items()
    ]
    about = f"Against {found.against}, on the same tasks, shares in points; {MARK} larger than chance:"
    words = textwrap.wrap(one_line(" ".join(conclusion(found.comparisons))), room, break_on_hyphens=False)
    table = table_lines((*heads, Column("")), cells, room)
    return [(), (Span(cut_text(about, room)),), *table, (), *map(text_line, words)]


def _column(figure: Figure) -> Column:
    return Column(figure.title.upper(), is_right=True, is_optional=figure.key != FIRST)


def _cell(found: Results, arm: str, figure: Figure) -> Line:
    value, interval = found.format_figure(arm, figure)
    return text_line(f"{value} ({interval})" if interval and figure.key == FIRST else value)


def _cells(one: Comparison) -> list[Line]:
    """What a row says of one figure; what is larger than chance is marked, and bold."""
    style, mark = ("bold", MARK) if one.word else ("", " ")
    if one.figure.key != FIRST:
        return [text_line(one.short + mark, style)]
    return [text_line(f"{one.short} ({one.interval})", style), text_line(one.chance + mark, style)]
