"""The command `remove`: todos off the plan."""

from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "remove",
    "Take todos off the plan.",
    (SEVERAL_IDS,),
    Example("holdfast remove 4", "todo 4 is gone"),
    lambda board, id, _: board.remove(id),
)
