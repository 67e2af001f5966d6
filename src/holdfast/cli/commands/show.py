"""The commands that show plans: `show`, `sessions`, `log`."""

from itertools import islice

from ...attention import reminders
from ...errors import DamagedRecord
from ...plan import Plan, Status
from ...stores.damage import PlanOrDamage, damaged_records
from ...terminal.log import log_lines
from ...terminal.plan import plan_lines, when
from ...terminal.screen import STYLES, Screen
from ...terminal.table import Cell, Column, table
from ...transfer.data import PLAN_KEYS, RECORD_KEYS, board_data, plan_data, record_data
from ...transfer.markdown import to_markdown
from ..command import Argument, Command, Example, Exit, Uses, whole_number
from ..invocation import Invocation, Misuse

FORMATS = ("text", "json", "markdown", "recap", "resume")
NEWEST = 20
DAMAGED = "damaged: holdfast doctor tells more"


def show(call: Invocation) -> int:
    """Print one plan."""
    if call.wants_json and call.word("format") not in (None, "json"):
        raise Misuse(f"--json and --format {call.word('format')} are two forms: say one of them")
    key = call.known_key
    board = call.board(key)
    revision = call.number("at")
    plan = board.plan if revision is None else board.at(revision)
    screen = call.screen
    match "json" if call.wants_json else call.word("format"):
        case "json":
            screen.print_json(plan_data(key, plan))
        case "markdown":
            screen.print(_for_others(screen, to_markdown(plan)))
        case "recap":
            screen.print(_for_others(screen, reminders.recap(plan)))
        case "resume":
            screen.print(_for_others(screen, reminders.resume(plan)))
        case _:
            screen.print(plan_lines(screen, key, plan) if plan.revision or call.found else [_nothing_yet(call)])
    return Exit.OK


def sessions(call: Invocation) -> int:
    """Print every plan of the store on a line. The exit code is 3 if one of them is damaged."""
    if call.wants_json:
        call.screen.print_json([board_data(board) for board in call.found])
    elif not call.found:
        call.screen.print([_nothing_yet(call)])
    else:
        columns = (
            Column("SESSION"),
            Column("AGENT", 16),
            Column("DONE", right=True),
            Column("CHANGED", can_go=True),
            Column("NOW"),
        )
        call.screen.print(table(call.screen, columns, [_row(call.screen, board) for board in call.found]))
    return Exit.STORE if damaged_records(call.found) else Exit.OK


def log(call: Invocation) -> int:
    """Print the changes of one plan, the newest first."""
    key = call.known_key
    limit = call.number("limit")
    limit = NEWEST if limit is None else limit
    records = islice(call.store.history(key), limit or None)
    if call.wants_json:
        call.screen.print_json([record_data(record) for record in records])
        return Exit.OK
    lines = [line for record in records for line in log_lines(call.screen, record.change)]
    call.screen.print(lines or ["No changes yet." if call.found else _nothing_yet(call)])
    return Exit.OK


def _nothing_yet(call: Invocation) -> str:
    return f"No plans yet in {call.screen.text(call.shown_place)}"


def _for_others(screen: Screen, text: str) -> list[str]:
    """The lines of a text that is not for this screen, whole, but with nothing in it that the screen would obey."""
    return [screen.text(line) for line in text.splitlines()]


def _row(screen: Screen, board: PlanOrDamage) -> list[Cell]:
    whose = [Cell(screen.text(name)) for name in board.key]
    if isinstance(board, DamagedRecord):
        return [*whose, Cell("?"), Cell("?"), Cell(DAMAGED, STYLES[Status.BLOCKED])]
    plan = board.plan
    return [*whose, Cell(f"{len(plan.done)}/{len(plan.todos)}"), Cell(when(plan.updated_at)), _now(screen, plan)]


def _now(screen: Screen, plan: Plan) -> Cell:
    """What is being done, or will be next; nothing of a plan that is through."""
    todo = plan.next or next(iter(plan.open), None)
    if todo is None:
        return Cell("finished" if plan.todos else "cleared")
    return Cell(f"{screen.glyph(todo.status)} {screen.todo(todo)}", STYLES[todo.status])


COMMANDS = (
    Command(
        "show",
        "Show a plan.",
        show,
        (
            Argument("--at", "as it was at a revision", "REV", of=whole_number),
            Argument("--format", "how to print it", choices=FORMATS),
        ),
        (
            Example("holdfast show", "the plan that was changed last"),
            Example("holdfast show --session nightly --agent tester", "a subagent's plan"),
            Example("holdfast show --at 3", "the plan as it was at revision 3"),
            Example("holdfast show --format markdown > PLAN.md", "the plan as a task list"),
        ),
        PLAN_KEYS,
    ),
    Command(
        "sessions",
        "List every plan in the store, the one changed last first.",
        sessions,
        examples=(Example("holdfast sessions --json", "the same for programs"),),
        json_keys="a list, each as of `show` without `todos`, with `current` (the id of the todo in progress, or "
        "null); a damaged one has only `session`, `agent`, `damaged` (why)",
        uses=Uses.STORE,
    ),
    Command(
        "log",
        "Show what was changed, when and by whom, the newest first.",
        log,
        (Argument("--limit", f"how many changes, 0 for all; {NEWEST} if not said", "N", of=whole_number, short="-n"),),
        (
            Example("holdfast log", f"the last {NEWEST} changes"),
            Example("holdfast log -n 0 --json", "the whole history, for programs"),
        ),
        RECORD_KEYS,
    ),
)
