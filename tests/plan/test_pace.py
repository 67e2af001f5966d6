"""How a plan goes on, and in which order sessions are shown."""

import pytest

from holdfast import Plan, Status, Todo
from holdfast.plan.pace import MAIN, Pace, Rank, began, pace, pace_of, rank

NOW = 10_000.0


def plan_of(*statuses: Status, updated_at: float = NOW) -> Plan:
    """A plan with todos of these statuses, the first one created last."""
    todos = [Todo(str(at), "A", status, created_at=100.0 - at) for at, status in enumerate(statuses)]
    return Plan(tuple(todos), updated_at=updated_at)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        pytest.param(plan_of(Status.COMPLETED, Status.IN_PROGRESS), Pace.RUNNING, id="one in progress"),
        pytest.param(plan_of(Status.IN_PROGRESS, updated_at=NOW - 3_599), Pace.RUNNING, id="just not quiet"),
        pytest.param(plan_of(Status.IN_PROGRESS, updated_at=NOW - 3_600), Pace.WAITING, id="quiet for an hour"),
        pytest.param(plan_of(Status.COMPLETED, Status.PENDING), Pace.WAITING, id="none in progress"),
        pytest.param(plan_of(Status.BLOCKED), Pace.WAITING, id="blocked"),
        pytest.param(plan_of(Status.COMPLETED, Status.CANCELLED), Pace.FINISHED, id="all done"),
        pytest.param(plan_of(), Pace.FINISHED, id="empty"),
    ],
)
def test_how_a_plan_goes_on(plan: Plan, expected: Pace) -> None:
    """It runs while a todo is in progress and somebody writes, waits while one is open, and is finished otherwise."""
    assert pace(plan, NOW) is expected
    assert pace_of(not plan.open, plan.current is not None, NOW - plan.updated_at) is expected


def test_a_plan_was_begun_with_its_oldest_todo() -> None:
    """An empty one counts from when its todos went."""
    assert began(plan_of(Status.PENDING, Status.PENDING, Status.PENDING)) == 98.0
    assert began(plan_of()) == NOW


def test_what_runs_comes_first_and_among_equals_the_newest() -> None:
    """By when it was begun, so that a write moves nothing; what is finished, by when that was. Then by name."""
    ranks = {
        "running, old": rank(Pace.RUNNING, 1.0, 9.0, "b"),
        "running, new": rank(Pace.RUNNING, 2.0, 3.0, "a"),
        "waiting": rank(Pace.WAITING, 5.0, 6.0, "a"),
        "finished late": rank(Pace.FINISHED, 1.0, 8.0, "b"),
        "finished early": rank(Pace.FINISHED, 2.0, 7.0, "a"),
        "finished early, too": rank(Pace.FINISHED, 2.0, 7.0, "c"),
    }
    expected = ["running, new", "running, old", "waiting", "finished late", "finished early", "finished early, too"]
    assert sorted(ranks, key=lambda name: ranks[name]) == expected
    assert ranks["waiting"] == Rank(1, -5.0, "a")


def test_the_numbers_and_names_that_views_share() -> None:
    """Pages know a pace by its number, and a main agent by its name."""
    assert [*Pace] == [0, 1, 2] and MAIN == "main"
