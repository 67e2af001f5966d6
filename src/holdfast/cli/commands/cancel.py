"""The command `cancel`: todos will not be done."""

from ...plan import Status
from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "cancel",
    "Mark todos as cancelled: they will not be done. For work that was done, use `done`. `reopen` undoes both.",
    (SEVERAL_IDS,),
    [Example("holdfast cancel 4", "todo 4 is not needed")],
    lambda board, id, _: board.edit(id, status=Status.CANCELLED),
)
