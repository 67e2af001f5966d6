"""The simulation behind the page on scale: what it says follows from the costs that it is given."""

import random

import pytest

pytest.importorskip("psycopg")

from dev.bench.simulation import (
    BUDGET,
    BUSY,
    CORES,
    PEAK,
    SYNC,
    WRITES,
    ServerCost,
    hold,
    needs,
    simulate,
    stored_a_day,
    watchers_of_a_replica,
)

COST = ServerCost(cpu=0.0005, stored=400, logged=1500, first=2000, heard=0.0001, put_away=100)


def test_a_lone_write_takes_its_work_and_a_sync() -> None:
    """Without others there is nothing to wait for but the sync before."""
    times, syncs = simulate(1.0, COST, random.Random(1))
    assert len(times) == syncs
    assert min(times) == pytest.approx(COST.cpu + SYNC)
    assert max(times) <= COST.cpu + 2 * SYNC + 1e-9


def test_many_writes_share_a_sync() -> None:
    """A sync takes all commits that are there by then, so syncs do not limit the rate."""
    times, syncs = simulate(5_000.0, COST, random.Random(1))
    assert len(times) / syncs > 10
    assert sorted(times)[len(times) // 2] < 3 * SYNC


def test_servers_that_are_too_few_are_slow() -> None:
    """Beyond the cores' capacity writes queue up, and the budget is missed."""
    times, _ = simulate(1.2 * CORES / COST.cpu, COST, random.Random(1))
    assert sorted(times)[int(len(times) * 0.99)] > BUDGET


@pytest.mark.parametrize("sessions", [10_000, 10_000_000, 200_000_000])
def test_the_servers_that_are_found_hold_the_load(sessions: int) -> None:
    """Their cores are not too busy, nearly all writes are in time, and one server fewer would not do."""
    day = hold(sessions, COST)
    busy = day.peak_writes * COST.cpu / CORES
    assert day.peak_writes == pytest.approx(sessions * WRITES * PEAK / 86_400)
    assert busy / day.servers <= BUSY
    assert day.late <= BUDGET
    assert day.servers == 1 or busy / (day.servers - 1) > BUSY


def test_what_is_needed_beside_servers_follows_from_the_costs() -> None:
    """Disk, log, replicas for watchers, and the time to put plans away."""
    assert stored_a_day(10, COST) == 10 * (2000 + (WRITES - 1) * 400)
    assert watchers_of_a_replica(100.0, COST) == int(CORES * BUSY / 0.01)
    disk, watchers, put_away = needs(1_000_000, COST)[1:]
    assert "30 days of history: 0.2 TB" in disk and "18 GB a day" in disk
    assert "138 if all sessions are in one namespace, 138,240 if they are in 1,000" in watchers
    assert put_away.endswith("2.8 hours")
