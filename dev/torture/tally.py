"""What a part of the torture tells: how much it tried, and what was lost."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

MOST_TOLD = 5


class Tried(NamedTuple):
    """One line of the closing table. `lost` says what went wrong, `not_run` why nothing was tried."""

    what: str
    times: int = 0
    lost: tuple[str, ...] = ()
    not_run: str = ""

    def __str__(self) -> str:
        """The line of the table, with what was lost below it."""
        if self.not_run:
            return f"{self.what:58} not run: {self.not_run}"
        told = [f"    {loss}" for loss in self.lost[:MOST_TOLD]]
        return "\n".join([f"{self.what:58} {self.times:>10,} tried {len(self.lost):>6,} lost", *told])


Share = Callable[[int, int], Tried]
"""A part of some work: a seed and a number of tries in, what came of it out."""


def shared_out(share: Share, seed: int, times: int) -> Tried:
    """The work of a part, divided among processes, each with a seed of its own."""
    processes = os.cpu_count() or 1
    with ProcessPoolExecutor(processes) as pool:
        parts = list(
            pool.map(share, [seed + index for index in range(processes)], [times // processes + 1] * processes)
        )
    return added_up(parts)


def added_up(parts: Sequence[Tried]) -> Tried:
    """Several parts of one thing as one line."""
    return Tried(parts[0].what, sum(part.times for part in parts), tuple(loss for part in parts for loss in part.lost))
