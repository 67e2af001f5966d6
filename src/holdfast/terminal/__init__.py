"""The plan in a terminal: safe lines, tables, a box to print or to follow a board with, and the view of all boards."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .box import TodoBox
    from .follower import BoardFollower, follow

__all__ = ["BoardFollower", "TodoBox", "follow"]


def __getattr__(name: str) -> object:
    """Load what draws with `rich` when it is first asked for: most commands print without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import follower

    return getattr(follower, name)
