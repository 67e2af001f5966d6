"""Frozen values and pure steps: a plan, its todos, its changes, and the rules they obey.

Every other room may import this one. It imports nothing of ours but `errors` and `text`. The values are exported
here; the steps are in their own modules.
"""

from .about import About
from .change import Author, Change, Difference, differences
from .plan import Edit, Plan
from .todo import (
    COMPLETED,
    DONE,
    IN_PROGRESS,
    NO_DETAILS,
    PENDING,
    PRIORITIES,
    Details,
    DetailsWish,
    Draft,
    Proof,
    Status,
    Todo,
    Wish,
)

__all__ = [
    "COMPLETED",
    "DONE",
    "IN_PROGRESS",
    "NO_DETAILS",
    "PENDING",
    "PRIORITIES",
    "About",
    "Author",
    "Change",
    "Details",
    "DetailsWish",
    "Difference",
    "Draft",
    "Edit",
    "Plan",
    "Proof",
    "Status",
    "Todo",
    "Wish",
    "differences",
]
