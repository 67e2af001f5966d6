"""The command `stats`: how long todos took and what plans cost, as a table and as bars."""

import time
from collections.abc import Sequence

from ...board.figures import Figures, Took, figures, total
from ...terminal.bars import Bar, bars
from ...terminal.durations import exact_duration
from ...terminal.plan import heading
from ...terminal.screen import STYLES, Screen
from ...terminal.table import Cell, Column, table
from ...transfer.data import todo_data
from ..command import Argument, Command, Example, Exit
from ..invocation import Invocation

UNKNOWN = "-"
KEYS = (
    "`boards` (each `session`, `agent`), `plans`, `plans_finished`, `writes`, `edits`, `rejected`, `tokens` (by what "
    "they were spent on), `todos` (as of `show`, each with `session`, `agent`, `plan` and `seconds`, or null)"
)


def stats(call: Invocation) -> int:
    """Print what one board, or all, have done."""
    keys = call.keys if call.flag("all") else [call.known_key]
    found = total([figures(call.store, key) for key in keys])
    now = time.time()
    screen = call.screen
    if call.wants_json:
        boards = [key._asdict() for key in keys]
        screen.print_json({"boards": boards, **_data(found, now)})
        return Exit.OK
    title = f"{len(keys)} plans of {screen.text(call.shown_place)}" if call.flag("all") else ""
    screen.print([screen.cut(title) or heading(screen, keys[0]), "", *_summary(screen, found)])
    screen.print(_todo_lines(screen, found.todos, now))
    screen.print(_token_lines(screen, found))
    return Exit.OK


def _summary(screen: Screen, found: Figures) -> list[str]:
    rows = [
        ("plans", str(found.plans)),
        ("finished", str(found.finished)),
        ("writes", str(found.writes)),
        ("rejected", str(found.rejected)),
        ("edits by people", str(found.edits)),
        ("tokens", str(sum(count for _, count in found.tokens))),
    ]
    wide = max(len(count) for _, count in rows)
    return table(screen, (Column(""), Column("")), [(Cell(what), Cell(f"{count:>{wide}}")) for what, count in rows])


def _todo_lines(screen: Screen, todos: Sequence[Took], now: float) -> list[str]:
    """A line for each todo: how long it took, and that as a bar."""
    times = [took.seconds(now) for took in todos]
    longest = max((seconds for seconds in times if seconds is not None), default=0.0)
    rows = [
        Bar(
            f"{screen.glyph(took.todo.status)} {screen.text(took.todo.content)}",
            UNKNOWN if seconds is None else exact_duration(seconds),
            seconds / longest if seconds and longest else 0.0,
            STYLES[took.todo.status],
        )
        for took, seconds in zip(todos, times, strict=True)
    ]
    return ["", *bars(screen, rows)] if rows else []


def _token_lines(screen: Screen, found: Figures) -> list[str]:
    """A line for each thing that tokens were spent on, with a bar."""
    most = max((count for _, count in found.tokens), default=0)
    rows = [Bar(screen.text(what), str(count), count / most) for what, count in found.tokens] if most else []
    return ["", "tokens by what they were spent on", *bars(screen, rows)] if rows else []


def _data(found: Figures, now: float) -> dict[str, object]:
    return {
        "plans": found.plans,
        "plans_finished": found.finished,
        "writes": found.writes,
        "edits": found.edits,
        "rejected": found.rejected,
        "tokens": dict(found.tokens),
        "todos": [
            {**took.key._asdict(), "plan": took.number, **todo_data(took.todo), "seconds": took.seconds(now)}
            for took in found.todos
        ],
    }


COMMANDS = (
    Command(
        "stats",
        "Show how long todos took, what was finished, written, rejected, and spent.",
        stats,
        (Argument("--all", "every plan in the store, not only one"),),
        (
            Example("holdfast stats", "the plan that was changed last, and those before it"),
            Example("holdfast stats --all --json", "the whole store, for programs"),
        ),
        KEYS,
    ),
)
