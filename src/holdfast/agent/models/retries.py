"""Asking again: trouble that may pass is worth another try, a few times, with longer and longer waits."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ...errors import ModelError

T = TypeVar("T")


class Passing(Exception):
    """Trouble that may pass. `after` is how many seconds the server asks to wait, if it does."""

    def __init__(self, what: str, advice: str, after: float | None = None) -> None:
        super().__init__(what)
        self.what, self.advice, self.after = what, advice, after


@dataclass(frozen=True)
class Retries:
    """How often to ask, and how long to wait between: the first wait doubles each time, with jitter.

    A server that says how long to wait is heard, unless it asks for more than `longest` seconds.
    `on_retry` is told in a line why there is a wait, and how long. After a connection lost in mid-answer the answer
    starts anew, and so do the pieces of its text.
    """

    tries: int = 5
    first: float = 0.5
    longest: float = 60.0
    sleep: Callable[[float], object] = time.sleep
    jitter: Callable[[], float] = random.random
    on_retry: Callable[[str], object] | None = None

    def run(self, attempt: Callable[[], T]) -> T:
        """What `attempt` returns, once it does not raise Passing.

        Raises ModelError when the tries are used up, or the server asks to wait too long.
        """
        for number in range(1, self.tries):
            try:
                return attempt()
            except Passing as trouble:
                self._wait(trouble, number)
        try:
            return attempt()
        except Passing as trouble:
            times = f"{self.tries} tries" if self.tries > 1 else "one try"
            raise ModelError(f"{trouble.what}, after {times}: {trouble.advice}") from trouble

    def _wait(self, trouble: Passing, number: int) -> None:
        seconds = trouble.after
        if seconds is None:
            seconds = min(self.longest, self.first * 2 ** (number - 1)) * (0.5 + self.jitter() / 2)
        if seconds > self.longest:
            raise ModelError(f"{trouble.what}, and asks to wait {seconds:.0f} s: try again then") from trouble
        if self.on_retry is not None:
            self.on_retry(f"{trouble.what}; again in {seconds:.1f} s")
        self.sleep(seconds)
