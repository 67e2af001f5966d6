"""The command `clear`: an empty plan."""

from ...plan import Plan
from ..command import Example
from ..person_edit import plan_command

COMMAND = plan_command(
    "clear",
    "Remove every todo from the plan. `holdfast undo` brings them back.",
    (),
    [Example("holdfast clear --session nightly", "an empty plan")],
    lambda board, _, seen: board.clear(expected_revision=seen),
    lambda board, call: Plan(),
)
