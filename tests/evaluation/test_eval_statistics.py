"""Means, intervals and chances: against values worked out by hand, and as laws."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.evaluation.statistics import chance, corrected, difference, mean

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
    ("differences", "expected"),
    [
        ([1.0], 1.0),
        ([1.0, 1.0], 0.5),
        ([1.0] * 6, 2 / 64),
        ([1.0, 2.0, 3.0], 0.25),
        ([1.0, -1.0], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.0, 0.0, 1.0, 1.0], 0.5),
    ],
)
def test_chance_by_hand(differences: list[float], expected: float) -> None:
    """The share of all ways to flip signs whose mean is as far from nothing."""
    assert chance(differences) == pytest.approx(expected)


def test_many_pairs_are_drawn_by_lot_and_agree() -> None:
    """Beyond a dozen pairs lots are drawn: a clear difference is clear, no difference is none, each time the same."""
    rng = random.Random(3)
    clear = [1 + rng.random() for _ in range(30)]
    none = [rng.choice((-1, 1)) * (1 + rng.random()) for _ in range(30)]
    assert chance(clear) < 0.001
    assert chance(none) > 0.05
    assert chance(none) == chance(none)


@settings(max_examples=25)
@given(VALUES)
def test_a_difference_has_two_sides(values: list[float]) -> None:
    """Turned around, a difference has the same chance and the other sign."""
    there = difference([(value, 0.0) for value in values])
    back = difference([(0.0, value) for value in values])
    assert there.chance == back.chance
    assert there.mean.value == pytest.approx(-back.mean.value)
    assert 0 < there.chance <= 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_looking_more_often_makes_no_chance_smaller(chances: list[float]) -> None:
    """Holm's rule only ever raises a chance, keeps their order, and stays at or under 1."""
    after = corrected(chances)
    assert all(before <= now <= 1 for before, now in zip(chances, after, strict=True))
    ordered = [now for _, now in sorted(zip(chances, after, strict=True))]
    assert all(first <= second for first, second in pairwise(ordered))


def test_holm_by_hand() -> None:
    """The smallest is taken as often as there are comparisons, the next one time less."""
    assert corrected([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
