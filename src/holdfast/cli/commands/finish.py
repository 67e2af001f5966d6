"""The command `finish`: a claimed todo is completed."""

from ..command import Argument, Command, Example
from ..invocation import Invocation
from ..todo_check import RUN_CHECK, UNCHECKED, allow_check
from ..todo_claim import AS, ID, JSON_KEYS, claimant, print_claim


def run(call: Invocation) -> int:
    """Complete a todo that the agent has claimed."""
    id, board = call.word("id") or "", call.board(call.known_key)
    allow_check(call, board, id)
    return print_claim(call, board.finish(claimant(call), id, call.word("evidence")), id)


COMMAND = Command(
    "finish",
    "Complete a claimed todo, unless another agent has taken it over. One with a check must pass it. "
    "To give a todo back, use `release`. A person uses `done`.",
    run,
    (ID, AS, Argument("--evidence", "what shows that it is done", "TEXT"), RUN_CHECK, UNCHECKED),
    (Example("holdfast finish 3 --as worker-7 --evidence 'all tests pass'", "todo 3 is done"),),
    JSON_KEYS,
)
