"""The figures of an evaluation: how each is read from a run, and formatted. The most important comes first."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .records import RunRecord
from .statistics import Mean, mean, ratio


class Prices(NamedTuple):
    """What a million tokens cost, in and out."""

    tokens_in: float
    tokens_out: float

    def cost(self, run: RunRecord) -> float:
        """What a run cost."""
        return (run.tokens_in * self.tokens_in + run.tokens_out * self.tokens_out) / 1_000_000


class Figure(NamedTuple):
    """One figure: its key, its title, how it is read from a run, and how it is formatted.

    The figure of several runs is their mean. With `per` it is the sum of what each has, for each of what `per` counts
    in all of them.
    """

    key: str
    title: str
    of: Callable[[RunRecord], float]
    form: Callable[[float], str]
    more_is_better: bool = False
    per: Callable[[RunRecord], float] | None = None

    def of_all(self, runs: Sequence[RunRecord]) -> Mean:
        """The figure of some runs, with its interval. Needs at least one run."""
        if self.per is None:
            return mean([self.of(run) for run in runs])
        return ratio([(self.of(run), self.per(run)) for run in runs])


def percent(value: float) -> str:
    """A share in percent."""
    return f"{value * 100:.0f} %"


def _number(value: float) -> str:
    if math.isinf(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


FIGURES = (
    Figure("share", "work done", lambda run: run.share, percent, True),
    Figure("whole", "whole runs", lambda run: float(run.is_whole), percent, True),
    Figure("hollow", "hollow", lambda run: float(run.hollow), _number),
    Figure("tokens_in", "tokens in", lambda run: float(run.tokens_in), _number),
    Figure(
        "tokens_per_job", "tokens per job", lambda run: float(run.tokens_in), _number, per=lambda run: float(run.done)
    ),
    Figure("turns", "turns", lambda run: float(run.turns), _number),
    Figure("twice", "done twice", lambda run: float(run.twice), _number),
    Figure("early", "left early", lambda run: float(run.early), percent),
    Figure("tokens_out", "tokens out", lambda run: float(run.tokens_out), _number),
    Figure("seconds", "seconds", lambda run: run.seconds, _number),
)
COMPARED = ("share", "whole", "hollow", "tokens_in")
"""The figures by which arms are compared, the one that counts first."""
BY_KIND = ("share", "tokens_per_job")
"""The figures that are also shown for each kind of task."""


def figures(prices: Prices | None = None) -> tuple[Figure, ...]:
    """All figures, with the cost of a run if there are prices."""
    if prices is None:
        return FIGURES
    at = len(COMPARED)
    return (*FIGURES[:at], Figure("cost", "cost", prices.cost, "{:.4f}".format), *FIGURES[at:])
