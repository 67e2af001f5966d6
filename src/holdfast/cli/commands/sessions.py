"""The command `sessions`: every plan of the store on a line."""

import sys
import time

from ...errors import DamagedRecord
from ...plan import Plan, Status
from ...stores.damage import PlanOrDamage, damaged_records
from ...stores.newest import boards_by_age, count_boards
from ...terminal.durations import age
from ...terminal.lines import STATUS_STYLES, Line, text_line, todo_line
from ...terminal.table import Column, table_lines
from ...terminal.words import place
from ...text import counted
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
    shown, put_away = _listed(call, most or sys.maxsize)
    if call.wants_json:
        screen.print_json([board_data(board) for board in shown])
    elif not shown and not put_away:
        screen.print_text(call.no_plans_yet)
    else:
        home = call.environ.get("HOME", "")
        columns, rows = _without_empty([_row(board, screen.columns, now, home) for board in shown])
        screen.print(table_lines(columns, rows, screen.columns) if rows else ())
        older = count_boards(call.store) - len(shown) - put_away
        screen.print_text(
            *([f"{counted(put_away, 'plan')} put away: holdfast sessions --all"] if put_away else []),
            *([f"{counted(older, 'older plan')}: holdfast sessions --limit 0"] if older > 0 else []),
        )
    return Exit.STORE if damaged_records(shown) else Exit.OK


def _listed(call: Invocation, most: int) -> tuple[list[PlanOrDamage], int]:
    """The boards to list, so many of them, and how many were passed over because somebody has put them away."""
    shown: list[PlanOrDamage] = []
    put_away = 0
    for board in boards_by_age(call.store):
        if call.flag("all") or not _is_archived(board):
            shown.append(board)
        else:
            put_away += 1
        if len(shown) == most:
            break
    return shown, put_away


def _is_archived(board: PlanOrDamage) -> bool:
    return not isinstance(board, DamagedRecord) and board.plan.is_archived


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
        return text_line("put away")
    if todo is None:
        return text_line("finished" if plan.todos else "cleared")
    return todo_line(todo, columns)


COMMAND = Command(
    "sessions",
    "List the plans in the store, the one changed last first. Those that were put away are left out.",
    run,
    (
        Argument("--all", "those that were put away, too"),
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
