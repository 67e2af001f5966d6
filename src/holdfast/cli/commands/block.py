"""The command `block`: todos wait for something."""

from ...plan import DetailsWish, Status
from ..command import Argument, Example
from ..person_edit import SEVERAL_IDS, edit_command

COMMAND = edit_command(
    "block",
    "Mark todos as blocked: they wait for something. `reopen` unblocks them. For a todo that waits for another "
    "todo, use `set --after`.",
    (SEVERAL_IDS, Argument("--reason", "what they wait for", "TEXT")),
    [Example('holdfast block 5 --reason "no key for the server yet"', "todo 5 must wait, and everyone sees why")],
    lambda board, id, call: board.edit(
        id, status=Status.BLOCKED, details=DetailsWish(reason=call.word("reason") or "")
    ),
)
