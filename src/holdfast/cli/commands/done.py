"""The command `done`: todos are completed."""

from ...plan import Status
from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import SEVERAL_IDS, set_status


def run(call: Invocation) -> int:
    """Mark todos as completed."""
    return set_status(call, Status.COMPLETED)


COMMAND = Command(
    "done",
    "Mark todos as completed.",
    run,
    (SEVERAL_IDS,),
    (Example("holdfast done 2 3", "todos 2 and 3 are done"),),
    PLAN_KEYS,
)
