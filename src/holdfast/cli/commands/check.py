"""The command `check`: what a todo must pass to be done."""

from ...board import Board
from ...dialects import Reply
from ..command import Argument, Example
from ..invocation import Invocation, Misuse
from ..person_edit import ONE_ID, edit_command

CHECK_TEXT = "a command, file:PATH, or file:PATH contains TEXT"


def set_check(board: Board, id: str, call: Invocation) -> Reply:
    """Give a todo a check, or take it off. What was proved stays proved."""
    text = call.word("check")
    if (text is None) != call.flag("remove"):
        raise Misuse("give a check, or --remove")
    return board.edit(id, check=text or "")


COMMAND = edit_command(
    "check",
    "Say what a todo must pass to be done.",
    (
        ONE_ID,
        Argument("CHECK", CHECK_TEXT, many="?"),
        Argument("--remove", "remove its check"),
    ),
    [Example("holdfast check 3 'make test'", "todo 3 is done only when this passes")],
    set_check,
)
