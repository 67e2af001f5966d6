"""How a run ends: done, interrupted, or stopped with a reason; and what it came to."""

from typing import NamedTuple

from ..plan import Todo
from .messages import Message, words

DONE = "done"
INTERRUPTED = "interrupted"


class Ended(Exception):
    """Ends a run, with its reason."""


class Result(NamedTuple):
    """What a run came to: why it ended, the todos as they are now, and the whole conversation."""

    reason: str
    todos: tuple[Todo, ...]
    messages: list[Message]

    @property
    def text(self) -> str:
        """The model's last words."""
        return words(self.messages[-1])
