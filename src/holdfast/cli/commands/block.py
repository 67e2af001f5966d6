"""The command `block`: todos wait for something."""

from ...plan import Status
from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "block",
    "Mark todos as blocked: they wait for something.",
    (SEVERAL_IDS,),
    Example("holdfast block 5", "todo 5 must wait"),
    lambda board, id, _: board.edit(id, status=Status.BLOCKED),
)
