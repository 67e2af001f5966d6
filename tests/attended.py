"""Boards under attention, for the tests of what it says and of what a write must show."""

from holdfast import Board
from holdfast.attention.driver import Attention
from holdfast.attention.policies import Policy


def planned(policy: str | Policy = "quiet", *contents: str) -> Attention:
    """Attention to a board with a plan of these todos, its first turn begun."""
    attention = Attention(Board(), policy)
    attention.tail()
    assert attention.board.write({"todos": [{"content": content} for content in contents or ("A", "B", "C")]}).ok
    return attention
