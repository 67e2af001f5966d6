"""Holdfast: the plan of an LLM agent, checked, kept safe, and put back before the model when it fades.

from holdfast import Board

board = Board()
reply = board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]})
print(reply.text)
"""

from . import dialects
from .board import Board
from .dialects import Notice, Reply
from .errors import HoldfastError
from .plan import Change, Plan, Status, Todo
from .rules import NO_LIMIT, Fault, Rules
from .session import Session

__version__ = "0.1.0"

__all__ = [
    "NO_LIMIT",
    "Board",
    "Change",
    "Fault",
    "HoldfastError",
    "Notice",
    "Plan",
    "Reply",
    "Rules",
    "Session",
    "Status",
    "Todo",
    "dialects",
]
