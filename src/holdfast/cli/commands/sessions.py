"""The command `sessions`: every plan of the store on a line."""

import time
from collections.abc import Iterator

from ...errors import DamagedRecord
from ...plan import Plan, Status
from ...stores.damage import PlanOrDamage, damaged_records, sessions_with_damage
from ...terminal.durations import age
from ...terminal.lines import STATUS_STYLES, Line, text_line, todo_line
from ...terminal.table import Column, table_lines
from ...terminal.words import place
from ...transfer.data import board_data
from ..command import Argument, Command, Example, Exit, Uses, whole_number
from ..invocation import Invocation

COLUMNS = (
    Column("SESSION"),
    Column("TITLE", is_optional=True),
    Column("AGENT", 16),
    Column("DONE", is_right=True),
    Column("CHANGED", is_optional=True),
    Column("FROM", 32, is_optional=True),
    Column("NOW"),
)
NEWEST = 100
"""How many plans are listed if nobody asks for more."""

DAMAGED = "damaged: holdfast doctor says more"


def run(call: Invocation) -> int:
    """Print every plan of the store on a line. The exit code is 3 if one of them is damaged."""
    screen, now = call.screen, time.time()
    most = call.number("limit")
    if most is None:
        most = 0 if call.wants_json else NEWEST
    found = sessions_with_damage(call.store, most + 1 if most else None, call.flag("all"))
    shown = found[: most or None]
    if call.wants_json:
        screen.print_json([board_data(board) for board in shown])
    elif not shown and not call.has_plans:
        screen.print_text(call.no_plans_yet)
    else:
        home = call.environ.get("HOME", "")
        columns, rows = _without_empty([_row(board, screen.columns, now, home) for board in shown])
        screen.print(table_lines(columns, rows, screen.columns) if rows else ())
        screen.print_text(*_left_out(call, found, shown))
    return Exit.STORE if damaged_records(shown) else Exit.OK


def _left_out(call: Invocation, found: list[PlanOrDamage], shown: list[PlanOrDamage]) -> Iterator[str]:
    """How to see what is not on the list. It is not counted: that would cost more than the list."""
    if len(found) > len(shown):
        yield "There are older plans: holdfast sessions --limit 0"
    elif len(sessions_with_damage(call.store, len(shown) + 1)) > len(shown):
        yield "Other plans were archived: holdfast sessions --all"


def _row(board: PlanOrDamage, columns: int, now: float, home: str) -> list[Line]:
    session, agent = map(text_line, board.key)
    if isinstance(board, DamagedRecord):
        unknown = text_line("?")
        return [session, (), agent, unknown, unknown, (), text_line(DAMAGED, STATUS_STYLES[Status.BLOCKED])]
    plan = board.plan
    done = text_line(f"{len(plan.done)}/{len(plan.todos)}")
    changed = text_line(age(now - plan.updated_at))
    return [
        session,
        text_line(plan.title),
        agent,
        done,
        changed,
        text_line(place(plan.about, home)),
        _current(plan, columns),
    ]


def _without_empty(rows: list[list[Line]]) -> tuple[list[Column], list[list[Line]]]:
    """The columns that have anything in them, and the rows with only those."""
    used = [at for at in range(len(COLUMNS)) if any(span.text for row in rows for span in row[at])]
    return [COLUMNS[at] for at in used], [[row[at] for at in used] for row in rows]


def _current(plan: Plan, columns: int) -> Line:
    """What is being done, or will be next; one word for a plan that is finished or empty."""
    todo = plan.next or next(iter(plan.open), None)
    if plan.is_archived:
        return text_line("archived")
    if todo is None:
        return text_line("finished" if plan.todos else "cleared")
    return todo_line(todo, columns)


COMMAND = Command(
    "sessions",
    "List the plans in the store, the one changed last first. Archived ones are left out.",
    run,
    (
        Argument("--all", "also archived plans"),
        Argument(
            "--limit", f"how many plans, 0 for all; default {NEWEST}, all with --json", "N", of=whole_number, short="-n"
        ),
    ),
    (
        Example("holdfast sessions", "which agents are there, where, and what they do now"),
        Example("holdfast sessions --all --json", "all of them, for programs"),
    ),
    "a list, each as in `show` without `todos`, with `current` (the id of the todo in progress, or "
    "null); a damaged one has only `session`, `agent`, `damaged` (why)",
    uses=Uses.STORE,
)
