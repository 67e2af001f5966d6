"""What `add` and `set` can say of a todo besides its text and its status."""

from ..plan import PRIORITIES, DetailsWish
from .command import Argument
from .invocation import Invocation, Misuse

DETAIL_OPTIONS = (
    Argument("--after", "the ids of the todos that come first, separated by commas", "IDS"),
    Argument("--priority", "how urgent it is", choices=(*PRIORITIES, "none")),
    Argument("--note", "anything worth knowing", "TEXT"),
    Argument("--owner", "who does it", "NAME"),
    Argument("--section", "the heading that it is listed under", "TEXT"),
)


def given_details(call: Invocation) -> DetailsWish | None:
    """The details that were given; None if there are none."""
    after, priority = call.word("after"), call.word("priority")
    wish = DetailsWish(
        description=call.word("note"),
        priority="" if priority == "none" else priority,
        blocked_by=None if after is None else tuple(filter(None, (id.strip() for id in after.split(",")))),
        owner=call.word("owner"),
        section=call.word("section"),
    )
    return None if wish == DetailsWish() else wish


def wanted_details(call: Invocation) -> DetailsWish:
    """The details that were given. Raises Misuse if there are none."""
    wish = given_details(call)
    if wish is None:
        raise Misuse(f"say what to set: {', '.join(option.name for option in DETAIL_OPTIONS)}")
    return wish
