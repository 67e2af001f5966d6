"""Means with their intervals, and whether two arms differ by more than chance. The standard library is enough.

All random draws start from a fixed seed: the same runs give the same figures.
"""

import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

DRAWS = 2000
MOST_EXACT = 24
"""Up to so many pairs, every way to flip their signs is counted; beyond, `FLIPS` random ones."""
FLIPS = 10_000
AT_ONCE = 12
ROUNDING_ERROR = 1e-9
"""Sums that differ by less are equal: rounding leaves such differences."""
SIGNIFICANCE = 0.05
INTERVAL = 0.95


class Mean(NamedTuple):
    """A mean, and the interval that it lies in at 95 %."""

    value: float
    low: float
    high: float


class PairedDifference(NamedTuple):
    """How much more one arm has of a figure than another, on the same tasks.

    `chance` is how often flipping coins would give a difference as large. `pairs` is how many tasks both have run.
    """

    mean: Mean
    chance: float
    pairs: int

    @property
    def is_larger_than_chance(self) -> bool:
        """Whether the difference is significant."""
        return self.chance < SIGNIFICANCE


def mean(values: Sequence[float], seed: int = 1) -> Mean:
    """The mean of some values, with a bootstrap interval. Needs at least one value."""
    rng = random.Random(seed)
    return _with_interval(fmean(values), [fmean(rng.choices(values, k=len(values))) for _ in range(DRAWS)])


def ratio(pairs: Sequence[tuple[float, float]], seed: int = 1) -> Mean:
    """The sum of the first of each pair divided by that of the second, with a bootstrap interval over the pairs.

    Without anything to divide by it is infinite. Needs at least one pair.
    """
    rng = random.Random(seed)
    return _with_interval(_quotient(pairs), [_quotient(rng.choices(pairs, k=len(pairs))) for _ in range(DRAWS)])


def paired_difference(pairs: Sequence[tuple[float, float]], seed: int = 1) -> PairedDifference:
    """How much greater the first of each pair is. Needs at least one pair."""
    differences = [first - second for first, second in pairs]
    return PairedDifference(mean(differences, seed), chance(differences, seed), len(pairs))


def chance(differences: Sequence[float], seed: int = 1) -> float:
    """How often differences with random signs have a mean as far from 0 as these have."""
    seen = abs(sum(differences)) - ROUNDING_ERROR
    moved = [value for value in differences if value]
    if seen <= 0:
        return 1.0
    if len(moved) <= MOST_EXACT:
        return _share_of_all_flips(moved, seen)
    parts = [_signed_sums(moved[at : at + AT_ONCE]) for at in range(0, len(moved), AT_ONCE)]
    rng = random.Random(seed)
    hits = sum(abs(sum(map(rng.choice, parts))) >= seen for _ in range(FLIPS))
    return (hits + 1) / (FLIPS + 1)


def holm_corrected(chances: Sequence[float]) -> list[float]:
    """The chances of several comparisons, corrected by Holm's rule: many comparisons find something by luck."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    found, least = [0.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, chances[at] * (len(chances) - rank)))
        found[at] = least
    return found


def fewest_pairs(comparisons: int) -> int:
    """How many pairs it takes at least before one of so many comparisons can be larger than chance."""
    pairs = 1
    while 2 ** (1 - pairs) * comparisons >= SIGNIFICANCE:
        pairs += 1
    return pairs


def _with_interval(value: float, draws: list[float]) -> Mean:
    draws.sort()
    edge = round(DRAWS * (1 - INTERVAL) / 2)
    return Mean(value, draws[edge], draws[-1 - edge])


def _quotient(pairs: Sequence[tuple[float, float]]) -> float:
    parts = sum(part for _, part in pairs)
    return sum(whole for whole, _ in pairs) / parts if parts else math.inf


def _share_of_all_flips(values: Sequence[float], seen: float) -> float:
    """The share of all ways to flip signs that come as far from 0. Each half of the values is added up once."""
    half = len(values) // 2
    others = sorted(_signed_sums(values[half:]))
    hits = sum(
        len(others) - bisect_left(others, seen - total) + bisect_right(others, -seen - total)
        for total in _signed_sums(values[:half])
    )
    return hits / 2.0 ** len(values)


def _signed_sums(values: Sequence[float]) -> list[float]:
    """The sums of values, one for each way to flip their signs."""
    sums = [0.0]
    for value in values:
        sums = [total + signed for total in sums for signed in (value, -value)]
    return sums
