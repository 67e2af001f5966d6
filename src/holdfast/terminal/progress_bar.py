"""How far something long is: on a terminal as a bar, elsewhere as a line for each step."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from ..text import fit, one_line

Step = Callable[[str, str], None]
WIDEST = 40
"""Columns of the text beside a bar."""


@contextmanager
def step_progress(total: int, done: int) -> Iterator[Step]:
    """Show on standard error how far something is. A step takes what came to an end, and what begins."""
    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task("", total=total, completed=done)
            yield lambda ended, begins: _draw_step(bar, task, ended, begins)
    else:
        yield _print_step


def _bar(console: Console) -> Progress:
    columns = (
        BarColumn(30),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    return Progress(*columns, console=console, transient=True)


def _draw_step(bar: Progress, task: TaskID, ended: str, begins: str) -> None:
    if ended:
        bar.console.print(Text(one_line(ended)))
        bar.advance(task)
    bar.update(task, description=fit(one_line(begins), WIDEST))


def _print_step(ended: str, begins: str) -> None:
    if ended:
        print(one_line(ended), file=sys.stderr, flush=True)
