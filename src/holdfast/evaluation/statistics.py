"""Means with their intervals, and whether two arms differ by more than chance. The standard library is enough.

Everything that draws lots draws them from a seed: the same runs give the same figures.
"""

import random
from collections.abc import Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

DRAWS = 2000
MOST_EXACT = 12
"""Up to so many pairs every way to flip their signs is tried; beyond, as many as are drawn."""
SURE = 0.05
INTERVAL = 0.95


class Mean(NamedTuple):
    """A mean, and the interval that it lies in at 95 %."""

    value: float
    low: float
    high: float


class Difference(NamedTuple):
    """How much more one arm has of a figure than another, on the same tasks.

    `chance` is how often flipping coins would give a difference as large. `pairs` is how many tasks both have run.
    """

    mean: Mean
    chance: float
    pairs: int

    @property
    def is_larger_than_chance(self) -> bool:
        """Whether one may speak of a difference."""
        return self.chance < SURE


def mean(values: Sequence[float], seed: int = 1) -> Mean:
    """The mean of some values, its interval by drawing them again with replacement. Needs at least one."""
    rng = random.Random(seed)
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(DRAWS))
    edge = round(DRAWS * (1 - INTERVAL) / 2)
    return Mean(fmean(values), means[edge], means[-1 - edge])


def difference(pairs: Sequence[tuple[float, float]], seed: int = 1) -> Difference:
    """How much greater the first of each pair is. Needs at least one pair."""
    differences = [first - second for first, second in pairs]
    return Difference(mean(differences, seed), chance(differences, seed), len(pairs))


def chance(differences: Sequence[float], seed: int = 1) -> float:
    """How often differences with signs drawn by lot have a mean as far from 0 as these have."""
    seen = abs(sum(differences)) - 1e-9
    moved = [value for value in differences if value]
    if len(moved) <= MOST_EXACT:
        flipped = [sum(map(_signed, moved, signs)) for signs in product((1, -1), repeat=len(moved))]
        return sum(abs(total) >= seen for total in flipped) / len(flipped)
    rng = random.Random(seed)
    hits = sum(abs(sum(value if rng.random() < 0.5 else -value for value in moved)) >= seen for _ in range(DRAWS))
    return (hits + 1) / (DRAWS + 1)


def corrected(chances: Sequence[float]) -> list[float]:
    """The chances of several comparisons made at once, by Holm's rule: whoever looks often finds something by luck."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    found, least = [0.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, chances[at] * (len(chances) - rank)))
        found[at] = least
    return found


def _signed(value: float, sign: int) -> float:
    return value * sign
