"""The command `reword`: another text for a todo."""

from ...board import Board
from ...dialects import Reply
from ..command import Example
from ..invocation import Invocation
from ..person_edit import ONE_ID, TEXT, edit_command


def reword(board: Board, id: str, call: Invocation) -> Reply:
    """Give a todo another text. Its active form goes with the old one."""
    text = " ".join(call.words("text"))
    return board.edit(id, content=text, active_form=text)


COMMAND = edit_command(
    "reword",
    "Give a todo another text.",
    (ONE_ID, TEXT),
    Example("holdfast reword 3 Run only the fast tests", "todo 3 says something else"),
    reword,
)
