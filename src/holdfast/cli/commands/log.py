"""The command `log`: the changes of a plan."""

from itertools import islice

from ...terminal.log import log_lines
from ...transfer.data import RECORD_KEYS, record_data
from ..command import Argument, Command, Example, Exit, whole_number
from ..invocation import Invocation

NEWEST = 20


def run(call: Invocation) -> int:
    """Print the changes of one plan, the newest first."""
    key, screen = call.known_key, call.screen
    limit = call.number("limit")
    records = islice(call.store.history(key), NEWEST if limit is None else limit or None)
    if call.wants_json:
        screen.print_json([record_data(record) for record in records])
        return Exit.OK
    lines = [line for record in records for line in log_lines(record.change, screen.columns)]
    screen.print(lines)
    if not lines:
        screen.print_text("No changes yet." if call.has_plans else call.no_plans_yet)
    return Exit.OK


COMMAND = Command(
    "log",
    "Show the changes of a plan, when and by whom, the newest first.",
    run,
    (Argument("--limit", f"how many changes, 0 for all; default {NEWEST}", "N", of=whole_number, short="-n"),),
    (
        Example("holdfast log", f"the last {NEWEST} changes"),
        Example("holdfast log -n 0 --json", "the whole history, for programs"),
    ),
    RECORD_KEYS,
)
