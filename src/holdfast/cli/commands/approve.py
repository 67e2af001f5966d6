"""The command `approve`: the work may begin on a plan that waits for a person."""

from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import edited_plan, print_plan

APPROVED = "Approved. The agent is told with its next step; if it has stopped, tell it to go on."
WAITS_FOR_NOBODY = "This plan does not wait for approval."


def run(call: Invocation) -> int:
    """Approve the plan, and print it."""
    key = call.known_key
    board = call.board(key)
    waited = board.plan.awaits_approval
    return print_plan(call, key, edited_plan(board.approve()), [APPROVED if waited else WAITS_FOR_NOBODY])


COMMAND = Command(
    "approve",
    "Let the work begin on a plan that waits for a person. Correct it first, if need be.",
    run,
    (),
    (
        Example("holdfast approve", "the plan is good"),
        Example("holdfast approve --session 3f2a", "that of the session whose id begins with 3f2a"),
    ),
    PLAN_KEYS,
)
