"""The command `sessions`: every plan of the store on a line."""

from ...errors import DamagedRecord
from ...plan import Plan, Status
from ...stores.damage import PlanOrDamage, damaged_records
from ...terminal.lines import STATUS_STYLES, Line, text_line, todo_line
from ...terminal.plan import local_time
from ...terminal.table import Column, table_lines
from ...transfer.data import board_data
from ..command import Command, Example, Exit, Uses
from ..invocation import Invocation

COLUMNS = (
    Column("SESSION"),
    Column("AGENT", 16),
    Column("DONE", is_right=True),
    Column("CHANGED", is_optional=True),
    Column("NOW"),
)
DAMAGED = "damaged: holdfast doctor says more"


def run(call: Invocation) -> int:
    """Print every plan of the store on a line. The exit code is 3 if one of them is damaged."""
    screen = call.screen
    if call.wants_json:
        screen.print_json([board_data(board) for board in call.boards])
    elif not call.boards:
        screen.print_text(call.no_plans_yet)
    else:
        rows = [_row(board, screen.columns) for board in call.boards]
        screen.print(table_lines(COLUMNS, rows, screen.columns))
    return Exit.STORE if damaged_records(call.boards) else Exit.OK


def _row(board: PlanOrDamage, columns: int) -> list[Line]:
    names = [text_line(name) for name in board.key]
    if isinstance(board, DamagedRecord):
        return [*names, text_line("?"), text_line("?"), text_line(DAMAGED, STATUS_STYLES[Status.BLOCKED])]
    plan = board.plan
    done = text_line(f"{len(plan.done)}/{len(plan.todos)}")
    return [*names, done, text_line(local_time(plan.updated_at)), _current(plan, columns)]


def _current(plan: Plan, columns: int) -> Line:
    """What is being done, or will be next; one word for a plan that is finished or empty."""
    todo = plan.next or next(iter(plan.open), None)
    if todo is None:
        return text_line("finished" if plan.todos else "cleared")
    return todo_line(todo, columns)


COMMAND = Command(
    "sessions",
    "List every plan in the store, the one changed last first.",
    run,
    examples=(Example("holdfast sessions --json", "the same for programs"),),
    json_keys="a list, each as in `show` without `todos`, with `current` (the id of the todo in progress, or "
    "null); a damaged one has only `session`, `agent`, `damaged` (why)",
    uses=Uses.STORE,
)
