"""What is wrong with a write."""

from typing import NamedTuple

IN_DOUBT = "in_doubt"
"""The code of the one fault after which the plan may have changed: the store's answer was lost on its way."""

CHECK_FAILED = "check_failed"
"""The code of the fault that a todo's check did not pass."""

NOT_CHECKED = "not_checked"
"""The code of the fault that nobody here can run a todo's check, and the rules ask for proof."""


class Fault(NamedTuple):
    """One thing wrong with a write: where, in words, and a code that a program can act on.

    `item` (counted from 0), `field`, `limit` and `received` are the parts that the message is made of.
    """

    path: str
    message: str
    code: str | int
    item: int | None = None
    field: str = ""
    limit: object = None
    received: str = ""


class Refusal(NamedTuple):
    """A write that is refused, with all its faults. The plan stays as it was."""

    faults: tuple[Fault, ...]
