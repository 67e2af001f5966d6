"""Means, intervals and chances: against values worked out by hand and by other programs, and as laws."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.evaluation.statistics import chance, fewest_pairs, holm_corrected, mean, paired_difference, ratio

TOKENS = [120.0, 340.0, -15.0, 410.0, 95.0, -60.0, 230.0, 180.0, 75.0, -20.0, 310.0, 50.0]
VALUES = st.lists(st.floats(-10, 10).map(lambda value: round(value, 3)), min_size=1, max_size=8)


def test_an_interval_has_the_mean_in_it_and_grows_with_the_spread() -> None:
    """Values that are all the same leave no doubt; the wider they lie, the wider the interval."""
    assert mean([3.0, 3.0, 3.0]) == (3.0, 3.0, 3.0)
    close, wide = mean([0.9, 1.0, 1.1, 1.0]), mean([0.0, 1.0, 2.0, 1.0])
    assert close.low < 1 < close.high
    assert wide.high - wide.low > close.high - close.low


def test_an_interval_covers_what_it_says() -> None:
    """Of many samples of a known mean, about 95 in 100 have it in their interval."""
    rng = random.Random(7)
    hits = 0
    for _ in range(40):
        found = mean([rng.gauss(5, 2) for _ in range(25)])
        hits += found.low <= 5 <= found.high
    assert 34 <= hits <= 40


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        (range(1, 11), 3.7, 7.3),
        ([0.0] * 3 + [1.0] * 9, 0.5, 1.0),
        (TOKENS, 62.9, 227.1),
    ],
)
def test_an_interval_is_the_one_that_another_program_finds(values: Sequence[float], low: float, high: float) -> None:
    """The same as scipy.stats.bootstrap with method="percentile" and 199,999 draws, but for the luck of fewer draws."""
    found = mean([float(value) for value in values])
    allowed = (high - low) / 20
    assert found.low == pytest.approx(low, abs=allowed)
    assert found.high == pytest.approx(high, abs=allowed)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([1.0], 1.0),
        ([1.0, 1.0], 0.5),
        ([1.0] * 6, 2 / 64),
        ([1.0, 2.0, 3.0], 0.25),
        ([1.0, -1.0], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.0, 0.0, 1.0, 1.0], 0.5),
        ([0.1, 0.2, -0.3], 1.0),
        ([1 / 3, 1 / 3, 1 / 3, -1 / 3, 2 / 3, 5 / 6], 10 / 64),
    ],
)
def test_chance_by_hand(differences: list[float], expected: float) -> None:
    """The share of all ways to flip signs whose mean is as far from nothing."""
    assert chance(differences) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0], 0.1875),
        ([0.5, 0.5, -0.25, 1.0, 0.0, 0.0, 0.75, -0.5, 1.0, 0.25], 0.109375),
        (TOKENS, 0.0078125),
    ],
)
def test_chance_is_the_one_that_another_program_finds(differences: list[float], expected: float) -> None:
    """The same as scipy.stats.permutation_test with permutation_type="samples", every flip of signs tried."""
    assert chance(differences) == pytest.approx(expected)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_chance_is_what_trying_every_flip_gives(sixths: list[int]) -> None:
    """Ties and fractions change nothing: it is the share of flips, counted one by one in whole numbers."""
    sums = [sum(map(int.__mul__, sixths, signs)) for signs in product((1, -1), repeat=len(sixths))]
    expected = sum(abs(total) >= abs(sum(sixths)) for total in sums) / len(sums)
    assert chance([value / 6 for value in sixths]) == pytest.approx(expected, abs=0)


@pytest.mark.parametrize(("pairs", "allowed"), [(13, 0.0), (24, 0.0), (30, 0.01), (60, 0.01)])
def test_chance_of_many_pairs(pairs: int, allowed: float) -> None:
    """Up to 24 pairs every flip counts, beyond that lots are drawn, the same each time: both agree with a sum table."""
    rng = random.Random(7)
    sixths = [rng.randint(-4, 5) for _ in range(pairs)]
    sums = Counter([0])
    for value in sixths:
        sums = Counter({total: sums[total - value] + sums[total + value] for total in _reached(sums, value)})
    exact = sum(count for total, count in sums.items() if abs(total) >= abs(sum(sixths))) / 2**pairs
    found = chance([value / 6 for value in sixths])
    assert found == pytest.approx(exact, abs=allowed)
    assert found == chance([value / 6 for value in sixths])
    assert 0.01 < exact < 0.9


def _reached(sums: Counter[int], value: int) -> set[int]:
    return {total + signed for total in sums for signed in (value, -value)}


def test_arms_that_are_the_same_are_seldom_called_different() -> None:
    """Of many comparisons of an arm with itself, no more than about 5 in 100 are larger than chance."""
    rng = random.Random(11)
    shares = (0, 1, 1, 2, 5, 5, 6, 6)
    pairs = [[(rng.choice(shares) / 6, rng.choice(shares) / 6) for _ in range(10)] for _ in range(200)]
    called = sum(chance([first - second for first, second in one]) < 0.05 for one in pairs)
    assert called <= 16


@pytest.mark.parametrize(("comparisons", "pairs"), [(1, 6), (3, 7), (6, 8), (9, 9), (11, 9)])
def test_how_many_pairs_it_takes(comparisons: int, pairs: int) -> None:
    """With so many pairs that all say the same a comparison can be larger than chance, with one less it cannot."""
    others = [1.0] * (comparisons - 1)
    assert fewest_pairs(comparisons) == pairs
    assert holm_corrected([chance([1.0] * pairs), *others])[0] < 0.05
    assert holm_corrected([chance([1.0] * (pairs - 1)), *others])[0] >= 0.05


@settings(max_examples=25)
@given(VALUES)
def test_a_difference_has_two_sides(values: list[float]) -> None:
    """Turned around, a difference has the same chance and the other sign."""
    there = paired_difference([(value, 0.0) for value in values])
    back = paired_difference([(0.0, value) for value in values])
    assert there.chance == back.chance
    assert there.mean.value == pytest.approx(-back.mean.value)
    assert 0 < there.chance <= 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_looking_more_often_makes_no_chance_smaller(chances: list[float]) -> None:
    """Holm's rule only ever raises a chance, keeps their order, and stays at or under 1."""
    after = holm_corrected(chances)
    assert all(before <= now <= 1 for before, now in zip(chances, after, strict=True))
    ordered = [now for _, now in sorted(zip(chances, after, strict=True))]
    assert all(first <= second for first, second in pairwise(ordered))


def test_holm_by_hand() -> None:
    """The smallest is taken as often as there are comparisons, the next one time less."""
    assert holm_corrected([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm_corrected([]) == []


def test_holm_is_the_one_that_another_program_finds() -> None:
    """The same as statsmodels' multipletests with method="holm", with equal chances in it."""
    assert holm_corrected([0.001, 0.6, 0.02, 0.6, 0.04]) == pytest.approx([0.005, 1.0, 0.08, 1.0, 0.12])


def test_a_ratio_is_that_of_the_sums() -> None:
    """A run with nothing to divide by adds its part all the same; with nothing at all the ratio is infinite."""
    found = ratio([(100.0, 1.0), (300.0, 3.0), (200.0, 0.0)])
    assert found.value == 150.0
    assert found.low <= 100.0 and found.high > 150.0
    assert ratio([(5.0, 0.0)]) == (math.inf, math.inf, math.inf)
    assert ratio([(7.0, 2.0)] * 9) == (3.5, 3.5, 3.5)
