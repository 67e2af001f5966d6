"""The command `reopen`: todos are to be done after all."""

from ...plan import Status
from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "reopen",
    "Mark todos as pending again: blocked ones, and those that were completed or cancelled.",
    (SEVERAL_IDS,),
    [Example("holdfast reopen 5", "todo 5 is no longer blocked")],
    lambda board, id, _: board.edit(id, status=Status.PENDING),
)
