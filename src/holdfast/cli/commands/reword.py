"""The command `reword`: another text for a todo."""

from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import ONE_ID, TEXT, edit_each


def run(call: Invocation) -> int:
    """Give a todo another text. Its active form goes with the old one."""
    text = " ".join(call.words("text"))
    return edit_each(call, lambda board, id: board.edit(id, content=text, active_form=text))


COMMAND = Command(
    "reword",
    "Give a todo another text.",
    run,
    (ONE_ID, TEXT),
    (Example("holdfast reword 3 Run only the fast tests", "todo 3 says something else"),),
    PLAN_KEYS,
)
