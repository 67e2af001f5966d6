"""The command `remove`: todos off the plan."""

from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import SEVERAL_IDS, edit_each


def run(call: Invocation) -> int:
    """Take todos off the plan."""
    return edit_each(call, lambda board, id: board.remove(id))


COMMAND = Command(
    "remove",
    "Take todos off the plan.",
    run,
    (SEVERAL_IDS,),
    (Example("holdfast remove 4", "todo 4 is gone"),),
    PLAN_KEYS,
)
