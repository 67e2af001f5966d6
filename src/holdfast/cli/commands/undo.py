"""The command `undo`: the plan as it was before its newest change."""

from ..command import Example
from ..person_edit import plan_command

COMMAND = plan_command(
    "undo",
    "Take the newest change back, whoever made it; again for the one before it.",
    Example("holdfast undo", "the plan as it was before the last change"),
    lambda board: board.undo(),
)
