"""The torture, in small: each part tries something, and loses nothing."""

from collections.abc import Callable

import pytest

from dev.torture.clocks import torture_clock
from dev.torture.crowds import torture_crowd_on_sqlite
from dev.torture.hostile_text import torture_views
from dev.torture.kills import torture_writers_on_sqlite
from dev.torture.payloads import torture_dialects
from dev.torture.tally import TortureResult, add_up
from dev.torture.told import torture_told
from dev.torture.trespasses import torture_commands, torture_exports


@pytest.mark.parametrize(
    ("part", "times"),
    [
        (torture_dialects, 1),
        (torture_views, 1),
        (torture_clock, 20),
        (torture_told, 50),
        (torture_exports, 50),
        (torture_commands, 3),
        (torture_crowd_on_sqlite, 32),
        (torture_writers_on_sqlite, 6),
    ],
)
def test_a_part_tries_something_and_loses_nothing(part: Callable[[int, int], TortureResult], times: int) -> None:
    """With any seed, as often as it is told."""
    result = part(1, times)
    assert result.times >= times
    assert (result.lost, result.not_run) == ((), "")


def test_what_was_lost_is_listed() -> None:
    """The parts of one thing are one line, with the first losses below it; what was not run says why."""
    parts = [TortureResult("writes", 10, ("one",)), TortureResult("writes", 5, tuple("abcdef"))]
    lines = str(add_up(parts)).splitlines()
    assert lines[0].split() == ["writes", "15", "tried", "7", "lost"]
    assert [line.strip() for line in lines[1:]] == ["one", "a", "b", "c", "d"]
    assert str(TortureResult("writes", not_run="no disk")).endswith("not run: no disk")
