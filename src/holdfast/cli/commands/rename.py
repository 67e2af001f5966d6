"""The command `rename`: what a person calls a session."""

from ...plan import Plan
from ...terminal.plan import heading
from ...transfer.data import PLAN_KEYS, plan_data
from ..command import Argument, Command, Example, Exit
from ..invocation import Invocation
from ..person_edit import edited_plan


def run(call: Invocation) -> int:
    """Give the session a name."""
    key = call.known_key
    plan: Plan = edited_plan(call.board(key).rename(" ".join(call.words("name"))))
    if call.wants_json:
        call.screen.print_json(plan_data(key, plan))
    else:
        call.screen.print([heading(key, call.screen.columns, plan.about.label or "no name")])
    return Exit.OK


COMMAND = Command(
    "rename",
    "Give a session a name for people. Its id stays, and `--session` takes a part of the name, too.",
    run,
    (Argument("NAME", 'the name; it may have several words; "" removes it', many="+"),),
    (Example("holdfast rename Parser, second try --session 3f2a", "the session whose id begins with 3f2a"),),
    PLAN_KEYS,
)
