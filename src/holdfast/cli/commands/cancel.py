"""The command `cancel`: todos will not be done."""

from ...plan import Status
from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import SEVERAL_IDS, set_status


def run(call: Invocation) -> int:
    """Mark todos as cancelled: they will not be done."""
    return set_status(call, Status.CANCELLED)


COMMAND = Command(
    "cancel",
    "Mark todos as cancelled: they will not be done.",
    run,
    (SEVERAL_IDS,),
    (Example("holdfast cancel 4", "todo 4 is not needed"),),
    PLAN_KEYS,
)
