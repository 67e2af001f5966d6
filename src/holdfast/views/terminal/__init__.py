"""The plan in a terminal, in colour: a box to print, a box that follows a board, and the view of all boards."""

from .box import TodoBox
from .follow import Follower, follow

__all__ = ["Follower", "TodoBox", "follow"]
