"""What `claim`, `release` and `finish` have in common: several agents work on one plan."""

from ..board.claims import LONGEST_NAME
from ..dialects import Reply
from ..text import describe
from ..transfer.data import PLAN_KEYS
from .command import Argument
from .invocation import Invocation
from .person_edit import edited_plan, print_todos


def claimant_name(word: str) -> str:
    """The name of an agent. Raises ValueError if it is empty or too long."""
    if not 0 < len(word) <= LONGEST_NAME:
        raise ValueError(f"expected a name of 1 to {LONGEST_NAME} characters, received {describe(word)}")
    return word


AS = Argument(
    "--as",
    "the agent's name: unique, and the same each time",
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
    return print_todos(call, call.known_key, edited_plan(reply), [id], claimed=id)
