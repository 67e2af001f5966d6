"""The command `add`: a new todo on the plan."""

from ...transfer.data import PLAN_KEYS
from ..command import Argument, Command, Example, positive_number
from ..invocation import Invocation
from ..person_edit import TEXT, edited_plan, position, print_todos
from ..todo_details import DETAIL_OPTIONS, given_details
from .check import CHECK_TEXT


def run(call: Invocation) -> int:
    """Put a new todo on the plan."""
    key = call.exact_key if call.flag("new") else call.known_key
    board = call.board(key)
    new_id = str(board.plan.next_id)
    text, check = " ".join(call.words("text")), call.word("check") or ""
    plan = edited_plan(board.add(text, position=position(call), check=check, details=given_details(call)))
    return print_todos(call, key, plan, [new_id] if plan.get(new_id) is not None else [])


COMMAND = Command(
    "add",
    "Add a todo.",
    run,
    (
        TEXT,
        Argument("--place", "where: 1 is the top; default: at the end", "N", of=positive_number),
        Argument("--check", f"what it must pass to be done: {CHECK_TEXT}", "CHECK"),
        *DETAIL_OPTIONS,
        Argument("--new", "the session, or the agent, may be a new one"),
    ),
    (
        Example("holdfast add Run the tests on Windows", "at the end"),
        Example("holdfast add Fix the parser --check 'make test'", "done only when this passes"),
        Example('holdfast add "Ask the owner (now!)" --place 1', "at the top"),
        Example("holdfast add Tag the release --after 2,3 --priority high", "it waits for 2 and 3"),
        Example("holdfast add Begin --session parser --new", "the first todo of a new session"),
    ),
    PLAN_KEYS,
)
