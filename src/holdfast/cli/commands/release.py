"""The command `release`: a claimed todo is given back."""

from ..command import Command, Example
from ..invocation import Invocation
from ..todo_claim import AS, ID, JSON_KEYS, claimant, print_claim


def run(call: Invocation) -> int:
    """Give a todo back."""
    id = call.word("id") or ""
    return print_claim(call, call.board(call.known_key).release(claimant(call), id), id)


COMMAND = Command(
    "release",
    "Give a claimed todo back, as pending: another agent may take it. For a todo that is done, use `finish`.",
    run,
    (ID, AS),
    (Example("holdfast release 3 --as worker-7", "another agent may have todo 3"),),
    JSON_KEYS,
)
