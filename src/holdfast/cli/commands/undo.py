"""The command `undo`: the plan as it was before its newest change."""

from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import edit_whole


def run(call: Invocation) -> int:
    """Take the newest change back."""
    return edit_whole(call, lambda board: board.undo())


COMMAND = Command(
    "undo",
    "Take the newest change back, whoever made it; again for the one before it.",
    run,
    examples=(Example("holdfast undo", "the plan as it was before the last change"),),
    json_keys=PLAN_KEYS,
)
