"""The command `move`: a todo at another place of the plan."""

from ..command import Argument, Example, positive_number
from ..person_edit import ONE_ID, edit_command, position

COMMAND = edit_command(
    "move",
    "Put a todo at another place.",
    (ONE_ID, Argument("PLACE", "where: 1 is the top; a number past the end means the end", of=positive_number)),
    [Example("holdfast move 5 1", "todo 5 to the top")],
    lambda board, id, call: board.move(id, position(call) or 0),
)
