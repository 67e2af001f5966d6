"""The command `set`: what todos wait for, their priority, note, owner and section."""

from ..command import Example
from ..person_edit import SEVERAL_IDS, edit_command
from ..todo_details import DETAIL_OPTIONS, wanted_details

COMMAND = edit_command(
    "set",
    "Set what todos wait for, their priority, note, owner and section. An empty text removes it.",
    (SEVERAL_IDS, *DETAIL_OPTIONS),
    [
        Example("holdfast set 4 --after 2,3", "todo 4 waits for 2 and 3"),
        Example("holdfast set 4 5 --priority high --owner worker-7 --section Release", "details of two todos"),
        Example('holdfast set 4 --after ""', "todo 4 waits for no other"),
    ],
    lambda board, id, call: board.edit(id, details=wanted_details(call)),
)
