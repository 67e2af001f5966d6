"""Lengths of time as people read them."""

import pytest

from holdfast.terminal.durations import age, duration, exact_duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0s"),
        (0.9, "0s"),
        (59.9, "59s"),
        (60, "1m 00s"),
        (134, "2m 14s"),
        (3_600, "1h 00m"),
        (3_780, "1h 03m"),
        (86_400 * 3 + 3_600 * 4, "3d 4h"),
    ],
)
def test_the_two_largest_units(seconds: float, words: str) -> None:
    """A length of time has two units at most, and is never less than nothing."""
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(12, "12s ago"), (200, "3m ago"), (7_300, "2h ago"), (86_400 * 5 + 9, "5d ago"), (float("inf"), "-")],
)
def test_an_age_has_its_largest_unit(seconds: float, words: str) -> None:
    """How long ago, at a glance."""
    assert age(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-1, "0.0s"), (0.44, "0.4s"), (9.94, "9.9s"), (9.96, "10s"), (59.6, "1m 00s"), (3_599.7, "1h 00m")],
)
def test_tenths_where_it_is_short(seconds: float, words: str) -> None:
    """What took less than ten seconds is told in tenths, the rest to the nearest second."""
    assert exact_duration(seconds) == words
