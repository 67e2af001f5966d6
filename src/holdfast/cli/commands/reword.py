"""The command `reword`: another text for a todo."""

from ..command import Example
from ..person_edit import ONE_ID, TEXT, edit_command

COMMAND = edit_command(
    "reword",
    "Give a todo another text. Its active form is removed.",
    (ONE_ID, TEXT),
    [Example("holdfast reword 3 Run only the fast tests", "todo 3 says something else")],
    lambda board, id, call: board.edit(id, content=" ".join(call.words("text"))),
)
