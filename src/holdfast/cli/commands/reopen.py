"""The command `reopen`: todos are to be done after all."""

from ...plan import Status
from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "reopen",
    "Mark todos as pending again. Blocked ones, and those that were done or cancelled.",
    (SEVERAL_IDS,),
    [Example("holdfast reopen 5", "todo 5 is blocked no more")],
    lambda board, id, _: board.edit(id, status=Status.PENDING),
)
