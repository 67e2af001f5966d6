"""The command `done`: todos are completed."""

from ...board import Board
from ...dialects import Reply
from ...plan import Status
from ..command import Example
from ..invocation import Invocation
from ..person_edit import SEVERAL_IDS, edit_command
from ..todo_check import RUN_CHECK, UNCHECKED, allow_check


def complete(board: Board, id: str, call: Invocation) -> Reply:
    """Complete a todo, or prove one that was completed without its check."""
    allow_check(call, board, id)
    todo = board.plan.get(id)
    if todo is not None and todo.is_claimed and not call.flag("unchecked"):
        return board.prove(id)
    return board.edit(id, status=Status.COMPLETED)


COMMAND = edit_command(
    "done",
    "Mark todos as completed. One with a check must pass it. For work that will not be done, use `cancel`; an agent "
    "that has claimed a todo uses `finish`.",
    (SEVERAL_IDS, RUN_CHECK, UNCHECKED),
    [Example("holdfast done 2 3", "todos 2 and 3 are done")],
    complete,
)
