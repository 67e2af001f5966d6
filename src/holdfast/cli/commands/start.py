"""The command `start`: work on a todo begins."""

from ...plan import Status
from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import ONE_ID, set_status


def run(call: Invocation) -> int:
    """Mark a todo as in progress; the one that was in progress goes back to pending."""
    return set_status(call, Status.IN_PROGRESS)


COMMAND = Command(
    "start",
    "Mark a todo as in progress; the one that was in progress goes back to pending.",
    run,
    (ONE_ID,),
    (Example("holdfast start 2", "work on todo 2"),),
    PLAN_KEYS,
)
