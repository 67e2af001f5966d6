"""The calls of one answer, in the model's order. Frameworks run them side by side; on the plan they act one by one.

A plan write waits until the calls before it have ended: they may be the work that it marks as done. The report of any
other call waits for the writes before it: it is work on what they made current.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import NamedTuple

GRACE = 1.0
"""How many seconds a call has to start. One that never does, as when a guardrail refused it, is not waited for."""


class CallProgress(NamedTuple):
    """Where one call is."""

    is_write: bool
    started: "Future[None]"
    ended: "Future[None]"


class CallOrder:
    """The calls of an answer by their ids, and whether each writes the plan."""

    def __init__(self, calls: Mapping[str, bool]) -> None:
        self._calls = {call: CallProgress(is_write, Future(), Future()) for call, is_write in calls.items()}

    def start(self, call: str) -> None:
        """A call starts."""
        if call in self._calls and not self._calls[call].started.done():
            self._calls[call].started.set_result(None)

    def end(self, call: str) -> None:
        """A call has ended, and what it did is on the board."""
        self.start(call)
        if call in self._calls and not self._calls[call].ended.done():
            self._calls[call].ended.set_result(None)

    def wait(self, call: str) -> None:
        """Wait for the calls that this one must come after."""
        for other in self._before(call):
            try:
                other.started.result(GRACE)
            except TimeoutError:
                continue
            other.ended.result()

    async def wait_async(self, call: str) -> None:
        """The same without blocking the event loop."""
        for other in self._before(call):
            started, _ = await asyncio.wait([asyncio.wrap_future(other.started)], timeout=GRACE)
            if started:
                await asyncio.wait([asyncio.wrap_future(other.ended)])

    def _before(self, call: str) -> list[CallProgress]:
        """The calls before this one that matter to it: all of them to a write, the writes to any other."""
        if call not in self._calls:
            return []
        earlier = list(self._calls.values())[: list(self._calls).index(call)]
        return [other for other in earlier if self._calls[call].is_write or other.is_write]
