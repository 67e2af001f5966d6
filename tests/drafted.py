"""Lists of texts as a model drafts them, and the plans that they make."""

from holdfast import Plan, Status
from holdfast.plan import Draft, Wish
from holdfast.plan.transitions import replace

LATER = 1000.0


def listed(*texts: str, status: Status = Status.PENDING) -> Draft:
    """A whole list of these texts."""
    return Draft([Wish(content=text, status=status) for text in texts])


def planned(*texts: str) -> Plan:
    """A plan of these texts."""
    return replace(Plan(), listed(*texts), 1.0)
