"""What `claim`, `release` and `finish` have in common: several agents work on one plan."""

from ..board.claims import LONGEST_NAME
from ..dialects import Reply
from ..terminal.lines import todo_line
from ..terminal.plan import progress_line, short_id
from ..text import describe
from ..transfer.data import PLAN_KEYS, plan_data
from .command import Argument, Exit
from .invocation import Invocation
from .person_edit import edited_plan


def claimant_name(word: str) -> str:
    """The name of an agent. Raises ValueError if it is empty or too long."""
    if not 0 < len(word) <= LONGEST_NAME:
        raise ValueError(f"expected a name of 1 to {LONGEST_NAME} characters, received {describe(word)}")
    return word


AS = Argument(
    "--as",
    "who does it: a name that no other agent has, the same each time",
    "NAME",
    of=claimant_name,
    is_required=True,
)
ID = Argument("ID", "the todo, by its id in `holdfast show`")
JSON_KEYS = f"{PLAN_KEYS}, `claimed` (the id)"


def claimant(call: Invocation) -> str:
    """Who claims, releases or finishes."""
    return call.word("as") or ""


def print_claim(call: Invocation, reply: Reply, id: str) -> int:
    """Print the todo that it was about, and how far the plan is. Raises CommandError if it was refused."""
    plan, screen = edited_plan(reply), call.screen
    if call.wants_json:
        screen.print_json({**plan_data(call.key, plan), "claimed": id})
        return Exit.OK
    screen.print(todo_line(todo, screen.columns, id=short_id(todo)) for todo in plan.todos if todo.id == id)
    screen.print([progress_line(plan, screen.columns)])
    return Exit.OK
