"""The command `done`: todos are completed."""

from ...plan import Status
from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "done",
    "Mark todos as completed.",
    (SEVERAL_IDS,),
    Example("holdfast done 2 3", "todos 2 and 3 are done"),
    lambda board, id, _: board.edit(id, status=Status.COMPLETED),
)
