"""The command `add`: a new todo on the plan."""

from ...transfer.data import PLAN_KEYS
from ..command import Argument, Command, Example, positive_number
from ..invocation import Invocation
from ..person_edit import TEXT, edited_plan, position, print_todos


def run(call: Invocation) -> int:
    """Put a new todo on the plan."""
    board = call.board()
    new_id = str(board.plan.next_id)
    plan = edited_plan(board.add(" ".join(call.words("text")), position=position(call)))
    return print_todos(call, plan, [new_id] if plan.get(new_id) is not None else [])


COMMAND = Command(
    "add",
    "Add a todo.",
    run,
    (TEXT, Argument("--place", "where: 1 is the top; default: at the end", "N", of=positive_number)),
    (
        Example("holdfast add Run the tests on Windows", "at the end"),
        Example('holdfast add "Ask the owner (now!)" --place 1', "at the top"),
    ),
    PLAN_KEYS,
)
