"""Holdfast: the plan of an LLM agent, checked, kept safe, and put back before the model when it fades.

Importing this does nothing: each name is loaded when it is first asked for.

    from holdfast import Board

    board = Board()
    reply = board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]})
    print(reply.text)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import dialects
    from .attention.driver import Attention
    from .board import Board
    from .board.session import Session
    from .dialects.dialect import Notice, Reply
    from .errors import HoldfastError
    from .plan import Change, Plan, Status, Todo
    from .plan.rules import NO_LIMIT, Fault, Rules

__version__ = "0.1.0"

__all__ = [
    "NO_LIMIT",
    "Attention",
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

_ROOMS = {
    "attention.driver": ["Attention"],
    "board": ["Board"],
    "dialects.dialect": ["Notice", "Reply"],
    "errors": ["HoldfastError"],
    "plan": ["Change", "Plan", "Status", "Todo"],
    "plan.rules": ["NO_LIMIT", "Fault", "Rules"],
    "board.session": ["Session"],
}


def __getattr__(name: str) -> object:
    """Load a public name from its room."""
    for room, names in _ROOMS.items():
        if name in names:
            value: object = getattr(import_module(f".{room}", __name__), name)
            globals()[name] = value
            return value
    if name == "dialects":
        return import_module(".dialects", __name__)
    raise AttributeError(f"module 'holdfast' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
