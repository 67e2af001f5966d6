"""The command `block`: todos wait for something."""

from ...plan import Status
from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import SEVERAL_IDS, set_status


def run(call: Invocation) -> int:
    """Mark todos as blocked: they wait for something."""
    return set_status(call, Status.BLOCKED)


COMMAND = Command(
    "block",
    "Mark todos as blocked: they wait for something.",
    run,
    (SEVERAL_IDS,),
    (Example("holdfast block 5", "todo 5 must wait"),),
    PLAN_KEYS,
)
