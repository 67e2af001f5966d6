"""Holdfast: the plan of an LLM agent, checked, kept safe, and put back before the model when it fades.

Importing this does nothing: each name is loaded when it is first asked for.

    from holdfast import Board

    board = Board()
    reply = board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]})
    print(reply.text)
"""

TYPE_CHECKING = False  # `typing` alone takes a fifth of the time of a bare start
if TYPE_CHECKING:
    from . import dialects, shell
    from .attention.driver import Attention
    from .attention.offers import Offer
    from .attention.policies import MINI, OFF, QUIET, RAIL, Policy
    from .attention.reminders import Reminder
    from .board import Board
    from .board.async_board import AsyncAttention, AsyncBoard, AsyncSession
    from .board.claims import Claim
    from .board.session import Session
    from .board.tokens import Tokens
    from .dialects.dialect import Dialect, Notice, Reply
    from .errors import HoldfastError, StoreError, UsageError
    from .plan import Change, Plan, Proof, Status, Todo
    from .plan.checks import Check, CheckResult
    from .plan.fault import Fault
    from .plan.rules import NO_LIMIT, Rules

__version__ = "0.1.0"

__all__ = [
    "MINI",
    "NO_LIMIT",
    "OFF",
    "QUIET",
    "RAIL",
    "AsyncAttention",
    "AsyncBoard",
    "AsyncSession",
    "Attention",
    "Board",
    "Change",
    "Check",
    "CheckResult",
    "Claim",
    "Dialect",
    "Fault",
    "HoldfastError",
    "Notice",
    "Offer",
    "Plan",
    "Policy",
    "Proof",
    "Reminder",
    "Reply",
    "Rules",
    "Session",
    "Status",
    "StoreError",
    "Todo",
    "Tokens",
    "UsageError",
    "dialects",
    "shell",
]

_ROOMS = {
    "attention.driver": ("Attention",),
    "attention.offers": ("Offer",),
    "attention.policies": ("MINI", "OFF", "QUIET", "RAIL", "Policy"),
    "attention.reminders": ("Reminder",),
    "board": ("Board",),
    "board.async_board": ("AsyncAttention", "AsyncBoard", "AsyncSession"),
    "board.claims": ("Claim",),
    "board.session": ("Session",),
    "board.tokens": ("Tokens",),
    "dialects.dialect": ("Dialect", "Notice", "Reply"),
    "errors": ("HoldfastError", "StoreError", "UsageError"),
    "plan": ("Change", "Plan", "Proof", "Status", "Todo"),
    "plan.checks": ("Check", "CheckResult"),
    "plan.fault": ("Fault",),
    "plan.rules": ("NO_LIMIT", "Rules"),
}


def __getattr__(name: str) -> object:
    """Load a public name from its room."""
    for room, names in _ROOMS.items():
        if name in names:
            value: object = getattr(_load(room), name)
            globals()[name] = value
            return value
    if name in ("dialects", "shell"):
        return _load(name)
    raise AttributeError(f"module 'holdfast' has no attribute {name!r}")


def _load(room: str) -> object:
    """Import a room. Meanwhile Python collects nothing: looking for what could be collected takes a tenth of it."""
    import gc

    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return __import__(f"{__name__}.{room}", fromlist=("__name__",))  # `importlib` is one module more
    finally:
        if is_collecting:
            gc.enable()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
