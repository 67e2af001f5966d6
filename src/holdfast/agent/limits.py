"""What ends a run although the model would go on: turns, tokens, time, and a model that repeats itself."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..board.tokens import compact
from .events import ToolCall
from .messages import ModelAnswer
from .result import RunEnded


class Limits(NamedTuple):
    """What one run may take. 0 means no limit.

    `context` is how many tokens a conversation may have before it is compacted, `same_calls` how often in a row the
    same call may be made with the same input.
    """

    turns: int = 100
    tokens: int = 2_000_000
    seconds: float = 3600.0
    context: int = 100_000
    same_calls: int = 3


class Budget:
    """What is left of a run's limits. A subagent has turns of its own, and shares tokens and time with its parent."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.turns = 0
        self.tokens = 0
        self._clock = clock
        self._ends_at = clock() + limits.seconds
        self._last: list[str] = []

    def left(self) -> Limits:
        """The limits for a subagent: what is left of tokens and time, at least a little of each."""
        tokens = max(self.limits.tokens - self.tokens, 1) if self.limits.tokens else 0
        seconds = max(self._ends_at - self._clock(), 0.001) if self.limits.seconds else 0
        return self.limits._replace(tokens=tokens, seconds=seconds)

    def take_turn(self) -> None:
        """Take one turn. Raises RunEnded if there is none left."""
        if self.limits.turns and self.turns >= self.limits.turns:
            raise RunEnded(f"limit: {self.limits.turns} turns")
        if self.limits.tokens and self.tokens >= self.limits.tokens:
            raise RunEnded(f"limit: {self.limits.tokens} tokens")
        if self.limits.seconds and self._clock() >= self._ends_at:
            raise RunEnded(f"limit: {self.limits.seconds:g} seconds")
        if self._last and len(self._last) == self.limits.same_calls and len(set(self._last)) == 1:
            name, _, _ = self._last[0].partition(" ")
            raise RunEnded(f"loop: {name} was called {self.limits.same_calls} times in a row with the same input")
        self.turns += 1

    def spend(self, answer: ModelAnswer) -> None:
        """Count what an answer took."""
        self.tokens += answer.tokens_in + answer.tokens_out

    def record_calls(self, calls: Sequence[ToolCall]) -> None:
        """Remember the calls of a turn. A turn without calls breaks a row of equal ones."""
        recent = [f"{call.name} {compact(call.input)}" for call in calls]
        self._last = [*self._last, *recent][-self.limits.same_calls :] if recent else []
