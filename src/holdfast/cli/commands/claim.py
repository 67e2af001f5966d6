"""The command `claim`: a todo for one of several agents."""

from ...board.claims import SECONDS
from ..command import Argument, Command, Example, positive_number
from ..invocation import Invocation
from ..todo_claim import AS, JSON_KEYS, claimant, print_claim


def run(call: Invocation) -> int:
    """Take a todo, or renew the claim on it."""
    seconds = call.number("seconds")
    claimed = call.board(call.known_key).claim(claimant(call), call.word("id"), SECONDS if seconds is None else seconds)
    return print_claim(call, claimed.reply, "" if claimed.todo is None else claimed.todo.id)


COMMAND = Command(
    "claim",
    "Take the next free todo for an agent, or keep it for longer.",
    run,
    (
        Argument("ID", "the todo; default: the agent's own, else the next free one", many="?"),
        AS,
        Argument("--seconds", f"for how long; default {SECONDS:g}", "N", of=positive_number),
    ),
    (
        Example("holdfast claim --as worker-7", "the next free todo is worker-7's for five minutes"),
        Example("holdfast claim 3 --as worker-7 --seconds 60", "todo 3, for a minute more"),
    ),
    JSON_KEYS,
)
