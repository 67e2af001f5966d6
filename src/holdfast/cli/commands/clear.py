"""The command `clear`: an empty plan."""

from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import edit_whole


def run(call: Invocation) -> int:
    """Take every todo off the plan."""
    return edit_whole(call, lambda board: board.clear())


COMMAND = Command(
    "clear",
    "Take every todo off the plan. `holdfast undo` brings them back.",
    run,
    examples=(Example("holdfast clear --session nightly", "an empty plan"),),
    json_keys=PLAN_KEYS,
)
