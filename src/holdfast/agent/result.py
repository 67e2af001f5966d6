"""How a run ends: done, interrupted, or stopped for a reason; and its result."""

from typing import NamedTuple

from ..plan import Todo
from .messages import Message, message_text

DONE = "done"
INTERRUPTED = "interrupted"


class RunEnded(Exception):
    """Ends a run, with its reason."""


class RunResult(NamedTuple):
    """The result of a run: why it ended, the todos as they are now, and the whole conversation."""

    reason: str
    todos: tuple[Todo, ...]
    messages: list[Message]

    @property
    def text(self) -> str:
        """The model's last words."""
        return message_text(self.messages[-1])
