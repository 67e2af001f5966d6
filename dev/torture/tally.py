"""The result of a part of the torture: how much it tried, and what was lost."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

MOST_LISTED = 5


class TortureResult(NamedTuple):
    """One line of the table. `lost` says what went wrong, `not_run` why nothing was tried."""

    what: str
    times: int = 0
    lost: tuple[str, ...] = ()
    not_run: str = ""

    def __str__(self) -> str:
        """The line of the table, with what was lost below it."""
        if self.not_run:
            return f"{self.what:58} not run: {self.not_run}"
        losses = [f"    {loss}" for loss in self.lost[:MOST_LISTED]]
        return "\n".join([f"{self.what:58} {self.times:>10,} tried {len(self.lost):>6,} lost", *losses])


Share = Callable[[int, int], TortureResult]
"""A share of some work: takes a random seed and a number of tries."""


def run_in_processes(share: Share, seed: int, times: int) -> TortureResult:
    """The work of a part, divided among processes, each with its own seed."""
    processes = os.cpu_count() or 1
    with ProcessPoolExecutor(processes) as pool:
        parts = list(
            pool.map(share, [seed + index for index in range(processes)], [times // processes + 1] * processes)
        )
    return add_up(parts)


def add_up(parts: Sequence[TortureResult]) -> TortureResult:
    """Several parts of one thing as one line."""
    return TortureResult(
        parts[0].what, sum(part.times for part in parts), tuple(loss for part in parts for loss in part.lost)
    )
