"""The command `resume`: an open plan continues in the next conversation, or is archived."""

from ...board.handover import offer, open_plan_elsewhere
from ...coding_agents.hooks.offers import want_plan
from ...stores import StoredPlan
from ...terminal.plan import heading
from ...transfer.data import PLAN_KEYS, plan_data
from ..command import Argument, Command, Example, Exit
from ..invocation import CommandError, Invocation
from ..person_edit import edited_plan

NEXT = "With hooks, the next prompt in a new conversation here brings it back. Anywhere else, paste this:"
NOTHING_OPEN = "nothing is open here: no plan to go on with"


def run(call: Invocation) -> int:
    """Bring an open plan into the next conversation."""
    found = _found(call)
    if call.flag("no"):
        edited_plan(call.board(found.key).archive())
        call.screen.print_text("Archived: it is not offered any more. Any change brings it back.")
        return Exit.OK
    want_plan(call.environ, found.key)
    if call.wants_json:
        call.screen.print_json(plan_data(found.key, found.plan))
        return Exit.OK
    call.screen.print([heading(found.key, call.screen.columns, found.plan.title)])
    call.screen.print_text(NEXT, *offer(found, "your plan tool", is_asked=True).split("\n"))
    return Exit.OK


def _found(call: Invocation) -> StoredPlan:
    """The plan that is meant: the one that was named, else the open one that was changed last."""
    if call.word("session") is not None:
        key = call.known_key
        found: StoredPlan | None = StoredPlan(key, call.store.load(key))
    else:
        found = open_plan_elsewhere(call.store, "")
    if found is None or not found.plan.open:
        raise CommandError(NOTHING_OPEN)
    return found


COMMAND = Command(
    "resume",
    "Continue an open plan in a new conversation of a coding agent, or archive it.",
    run,
    (Argument("--no", "archive it instead: it is not offered to new conversations"),),
    (
        Example("holdfast resume", "the plan changed last, in the next conversation"),
        Example("holdfast resume --no --session 3f2a", "nobody will continue that one"),
    ),
    PLAN_KEYS,
)
