"""Retries: a transient error is worth another try, a few times, with longer and longer waits."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ...errors import ModelError

T = TypeVar("T")


class TransientError(Exception):
    """An error that may pass. `after` is how many seconds the server asks to wait; `None` if it does not say."""

    def __init__(self, what: str, advice: str, after: float | None = None) -> None:
        super().__init__(what)
        self.what, self.advice, self.after = what, advice, after


@dataclass(frozen=True)
class Retries:
    """How often to ask, and how long to wait between: the first wait doubles each time, with jitter.

    If the server says how long to wait, that counts, unless it is more than `longest` seconds. `on_retry` gets a line
    that says why there is a wait, and how long. After a connection lost in mid-answer, the answer and the pieces of
    its text start again.
    """

    tries: int = 5
    first: float = 0.5
    longest: float = 60.0
    sleep: Callable[[float], object] = time.sleep
    jitter: Callable[[], float] = random.random
    on_retry: Callable[[str], object] | None = None

    def run(self, attempt: Callable[[], T]) -> T:
        """What `attempt` returns, once it does not raise TransientError.

        Raises ModelError when the tries are used up, or the server asks to wait too long.
        """
        for number in range(1, self.tries):
            try:
                return attempt()
            except TransientError as error:
                self._wait(error, number)
        try:
            return attempt()
        except TransientError as error:
            times = f"{self.tries} tries" if self.tries > 1 else "one try"
            raise ModelError(f"{error.what}, after {times}: {error.advice}") from error

    def _wait(self, error: TransientError, number: int) -> None:
        seconds = error.after
        if seconds is None:
            seconds = min(self.longest, self.first * 2 ** (number - 1)) * (0.5 + self.jitter() / 2)
        if seconds > self.longest:
            raise ModelError(f"{error.what}, and asks to wait {seconds:.0f} s: try again then") from error
        if self.on_retry is not None:
            self.on_retry(f"{error.what}; again in {seconds:.1f} s")
        self.sleep(seconds)
