"""The command `start`: work on a todo begins."""

from ...plan import Status
from ..command import Example
from ..person_edit import ONE_ID, edit_command

COMMAND = edit_command(
    "start",
    "Mark a todo as in progress; the one that was in progress goes back to pending.",
    (ONE_ID,),
    [Example("holdfast start 2", "work on todo 2")],
    lambda board, id, _: board.edit(id, status=Status.IN_PROGRESS),
)
