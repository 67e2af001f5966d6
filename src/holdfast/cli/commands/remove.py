"""The command `remove`: todos leave the plan."""

from ...plan import Plan
from ...transfer.data import PLAN_KEYS
from ..command import Command, Example
from ..invocation import Invocation
from ..person_edit import SEVERAL_IDS, edit_each, named_ids
from ..question import YES, confirm_emptying


def run(call: Invocation) -> int:
    """Remove todos from the plan; ask first if no other is left."""
    key = call.known_key
    plan = call.board(key).plan
    left = len(plan.todos) - len(named_ids(call, plan))
    confirm_emptying(call, key, plan, plan if left else Plan())
    return edit_each(call, lambda board, id, _: board.remove(id))


COMMAND = Command(
    "remove",
    "Remove todos from the plan. If a todo will not be done but should stay in sight, `cancel` it.",
    run,
    (SEVERAL_IDS, YES),
    (Example("holdfast remove 4", "todo 4 is gone; `holdfast undo` brings it back"),),
    PLAN_KEYS,
)
