"""The command `finish`: a claimed todo is completed."""

from ..command import Argument, Command, Example
from ..invocation import Invocation
from ..todo_claim import AS, ID, JSON_KEYS, claimant, print_claim


def run(call: Invocation) -> int:
    """Complete a todo that the agent has claimed."""
    id = call.word("id") or ""
    return print_claim(call, call.board(call.known_key).finish(claimant(call), id, call.word("evidence")), id)


COMMAND = Command(
    "finish",
    "Complete a claimed todo, unless another agent has taken it over.",
    run,
    (ID, AS, Argument("--evidence", "what shows that it is done", "TEXT")),
    (Example("holdfast finish 3 --as worker-7 --evidence 'all tests pass'", "todo 3 is done"),),
    JSON_KEYS,
)
