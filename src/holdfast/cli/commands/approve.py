"""The command `approve`: the work may begin on a plan that waits for a person."""

from ...terminal.plan import plan_lines
from ...transfer.data import PLAN_KEYS, plan_data
from ..command import Command, Example, Exit
from ..invocation import Invocation
from ..person_edit import edited_plan

APPROVED = "Approved. The agent is told with its next step; if it has stopped, tell it to go on."
WAITS_FOR_NOBODY = "This plan waits for nobody: nothing to approve."


def run(call: Invocation) -> int:
    """Approve the plan, and print it."""
    key = call.known_key
    board = call.board(key)
    waited = board.plan.awaits_approval
    plan = edited_plan(board.approve())
    if call.wants_json:
        call.screen.print_json(plan_data(key, plan))
    else:
        call.screen.print(plan_lines(key, plan, call.screen.columns))
        call.screen.print_text(APPROVED if waited else WAITS_FOR_NOBODY)
    return Exit.OK


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
