"""The results as lines for a terminal: a table of the arms, their differences, and the conclusion."""

import textwrap

from ..terminal.lines import Line, Span, cut_text, text_line
from ..terminal.table import Column, table_lines
from ..text import one_line
from .comparison import Comparison, by_arm, conclusion
from .figures import Figure
from .results import Results, kind_tables

MARK = "*"
FIRST = "share"
"""The figure that has its interval beside it, and stays however narrow a screen is."""
END: Line = ()


def summary_lines(found: Results, room: int) -> list[Line]:
    """A row an arm; then a row for each arm that is held against another one, and a few plain sentences."""
    if not found.rows:
        return [text_line("No runs yet.")]
    columns = (
        _name_column(room),
        Column("RUNS", is_right=True, is_optional=True),
        *(_column(figure) for figure in found.figures),
        Column(""),
    )
    rows = [
        [text_line(row), text_line(str(len(runs))), *(_cell(found, row, figure) for figure in found.figures), END]
        for row, runs in found.rows.items()
    ]
    return [*table_lines(columns, rows, room), *_kind_lines(found, room), *_compared_lines(found, room)]


def _kind_lines(found: Results, room: int) -> list[Line]:
    lines: list[Line] = []
    for figure, kinds, rows in kind_tables(found):
        heads = (Column(kind.upper(), is_right=True, is_optional=True) for kind in kinds)
        columns = (_name_column(room), *heads, Column(""))
        cells = [[text_line(row), *(text_line(value) for value, _ in its), END] for row, its in rows.items()]
        about = f"{figure.title.capitalize()}, by kind of task:"
        lines += [(), (Span(cut_text(about, room)),), *table_lines(columns, cells, room)]
    return lines


def _compared_lines(found: Results, room: int) -> list[Line]:
    rows = by_arm(found.comparisons)
    if not rows:
        return []
    figures = [one.figure for one in next(iter(rows.values()))]
    heads = [_name_column(room), Column("TASKS", is_right=True, is_optional=True)]
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


def _name_column(room: int) -> Column:
    """The names of the rows. With a host and a model they are long."""
    return Column("ARM", widest=max(room // 2, 16))


def _column(figure: Figure) -> Column:
    return Column(figure.title.upper(), is_right=True, is_optional=figure.key != FIRST)


def _cell(found: Results, row: str, figure: Figure) -> Line:
    value, interval = found.format_figure(row, figure)
    return text_line(f"{value} ({interval})" if interval and figure.key == FIRST else value)


def _cells(one: Comparison) -> list[Line]:
    """What a row says of one figure; what is larger than chance is marked, and bold."""
    style, mark = ("bold", MARK) if one.word else ("", " ")
    if one.figure.key != FIRST:
        return [text_line(one.short + mark, style)]
    return [text_line(f"{one.short} ({one.interval})", style), text_line(one.chance + mark, style)]
