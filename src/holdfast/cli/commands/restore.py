"""The command `restore`: the plan as it was at a revision."""

from ..command import Argument, Example, whole_number
from ..person_edit import plan_command

COMMAND = plan_command(
    "restore",
    "Bring the plan back as it was at a revision. It may have been finished or cleared since. `holdfast log` has the "
    "revisions.",
    (Argument("REV", "the revision, as `holdfast log` counts them", of=whole_number),),
    [Example("holdfast restore 4", "the plan of revision 4; `holdfast show --at 4` shows it first")],
    lambda board, call, seen: board.restore(call.number("rev") or 0, expected_revision=seen),
    lambda board, call: board.at(call.number("rev") or 0),
)
