"""The command `stats`: how long todos took and what plans cost, as a table and as bars."""

import time
from collections.abc import Sequence

from ...board.figures import Figures, Took, figures, total
from ...plan import Todo
from ...plan.checklist import GLYPHS
from ...terminal.bars import Bar, bar_lines
from ...terminal.durations import exact_duration
from ...terminal.lines import STATUS_STYLES, Line, Span, cut_text, text_line
from ...terminal.plan import heading
from ...terminal.table import pair_lines
from ...text import counted, one_line
from ...transfer.data import todo_data
from ..command import Argument, Command, Example, Exit
from ..invocation import Invocation

UNKNOWN = "-"
KEYS = (
    "`boards` (each `session`, `agent`), `plans`, `plans_finished`, `writes`, `edits`, `rejected`, `tokens` (by what "
    "they were spent on), `todos` (as in `show`, each with `session`, `agent`, `plan` and `seconds`, or null)"
)


def run(call: Invocation) -> int:
    """Print what one board, or all, have done."""
    keys = call.keys if call.flag("all") else [call.known_key]
    found = total([figures(call.store, key) for key in keys])
    now = time.time()
    screen = call.screen
    if call.wants_json:
        boards = [key._asdict() for key in keys]
        screen.print_json({"boards": boards, **_data(found, now)})
        return Exit.OK
    columns = screen.columns
    title = (Span(cut_text(f"{counted(len(keys), 'plan')} of {call.database_label}", columns)),)
    screen.print([title if call.flag("all") else heading(keys[0], columns), (), *_summary(found, columns)])
    screen.print(_todo_lines(found.todos, now, columns))
    screen.print(_token_lines(found, columns))
    return Exit.OK


def _summary(found: Figures, columns: int) -> list[Line]:
    rows = [
        ("plans", str(found.plans)),
        ("finished", str(found.finished)),
        ("writes", str(found.writes)),
        ("rejected", str(found.rejected)),
        ("edits by people", str(found.edits)),
        ("tokens", str(sum(count for _, count in found.tokens))),
    ]
    wide = max(len(count) for _, count in rows)
    return pair_lines([(what, f"{count:>{wide}}") for what, count in rows], columns)


def _todo_lines(todos: Sequence[Took], now: float, columns: int) -> list[Line]:
    """A line for each todo: how long it took, and that as a bar."""
    times = [took.seconds(now) for took in todos]
    longest = max((seconds for seconds in times if seconds is not None), default=0.0)
    rows = [
        Bar(
            _label(took.todo),
            UNKNOWN if seconds is None else exact_duration(seconds),
            seconds / longest if seconds and longest else 0.0,
        )
        for took, seconds in zip(todos, times, strict=True)
    ]
    return [(), *bar_lines(rows, columns)] if rows else []


def _label(todo: Todo) -> Line:
    style = STATUS_STYLES[todo.status]
    return Span(f"{GLYPHS[todo.status]} ", style.removesuffix(" strike")), Span(one_line(todo.content), style)


def _token_lines(found: Figures, columns: int) -> list[Line]:
    """A line for each thing that tokens were spent on, with a bar."""
    most = max((count for _, count in found.tokens), default=0)
    rows = [Bar(text_line(what), str(count), count / most) for what, count in found.tokens] if most else []
    return [(), text_line("tokens by what they were spent on"), *bar_lines(rows, columns)] if rows else []


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


COMMAND = Command(
    "stats",
    "Show how long todos took, what was finished, written, rejected, and spent.",
    run,
    (Argument("--all", "every plan in the store, not only one"),),
    (
        Example("holdfast stats", "the plan that was changed last, and those before it"),
        Example("holdfast stats --all --json", "the whole store, for programs"),
    ),
    KEYS,
)
