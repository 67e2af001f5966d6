"""The command `move`: a todo at another place of the plan."""

from ...transfer.data import PLAN_KEYS
from ..command import Argument, Command, Example, positive_number
from ..invocation import Invocation
from ..person_edit import ONE_ID, edit_each, position


def run(call: Invocation) -> int:
    """Put a todo at another place."""
    return edit_each(call, lambda board, id: board.move(id, position(call) or 0))


COMMAND = Command(
    "move",
    "Put a todo at another place.",
    run,
    (ONE_ID, Argument("PLACE", "where: 1 is the top; past the end is the end", of=positive_number)),
    (Example("holdfast move 5 1", "todo 5 to the top"),),
    PLAN_KEYS,
)
