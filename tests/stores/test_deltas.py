"""Changes that are stored as deltas: read backward from a plan, and forward as a watcher does."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from holdfast import Change, Plan, Todo
from holdfast.errors import DamagedRecord
from holdfast.stores import Key, Record, codec, deltas
from holdfast.stores.deltas import ChangeRow, WatchedPlans, backward

KEY = Key("s", "a")
PLANS = [Plan(tuple(Todo(str(id), f"todo {id}") for id in range(1, count + 1)), revision=count) for count in range(4)]
"""A plan that gets a todo more with each change."""


@contextmanager
def guard(key: Key, sequence: int) -> Iterator[None]:
    """What cannot be read is damage, with its place."""
    try:
        yield
    except ValueError as error:
        raise DamagedRecord(str(error), key, sequence) from error


def rows() -> list[ChangeRow]:
    """The three changes of the plan, at the sequences 10, 20 and 30."""
    return [
        ChangeRow(10 * at, 1, 10 * (at - 1), "person", "add", 0, codec.delta_to_json(PLANS[at - 1], PLANS[at]))
        for at in (1, 2, 3)
    ]


def read_back(stored: list[ChangeRow], plan: Plan = PLANS[3], a_page: int = 2) -> list[Record]:
    """The history of a plan, the newest first, read some rows at a time."""

    def page(sequence: int) -> list[ChangeRow]:
        return [row for row in reversed(stored) if row.sequence <= sequence][:a_page]

    return list(backward(KEY, 30, codec.plan_to_json(plan), page, guard))


def changed(row: ChangeRow, **fields: object) -> list[ChangeRow]:
    """The rows with one of them damaged."""
    return [other._replace(**fields) if other.sequence == row.sequence else other for other in rows()]  # type: ignore[arg-type]  # any field may be damaged


@pytest.mark.parametrize("a_page", [1, 2, 5])
def test_a_history_is_read_back_to_the_empty_plan(a_page: int) -> None:
    """Page by page, each change with the plans before and after it."""
    assert read_back(rows(), a_page=a_page) == [
        Record(10 * at, KEY, Change(PLANS[at - 1], PLANS[at], "person", "add")) for at in (3, 2, 1)
    ]


def test_an_undo_comes_back_as_one() -> None:
    """With what it took back."""
    row = rows()[0]._replace(action="undo", undoes=7)
    assert row.record(KEY, PLANS[0], PLANS[1]).change == Change(PLANS[0], PLANS[1], "person", "undo", 7)
    assert (row.session, row.agent) == ("", "")


@pytest.mark.parametrize(
    ("stored", "plan", "sequence", "why"),
    [
        pytest.param(
            rows(),
            PLANS[3]._replace(summary="Other", revision=9),
            30,
            "^the history does not lead to the plan$",
            id="plan",
        ),
        pytest.param(changed(rows()[1], delta="[5]"), PLANS[3], 20, "not a change", id="change"),
        pytest.param(
            changed(rows()[1], previous=0),
            PLANS[3],
            20,
            "^the history does not begin with an empty plan$",
            id="cut off",
        ),
        pytest.param(
            changed(rows()[1], previous=20),
            PLANS[3],
            20,
            "^the history does not begin with an empty plan$",
            id="circle",
        ),
    ],
)
def test_what_was_changed_past_holdfast_is_damage(stored: list[ChangeRow], plan: Plan, sequence: int, why: str) -> None:
    """It is found where it stands, and the message says what does not fit."""
    with pytest.raises(DamagedRecord, match=why) as damage:
        read_back(stored, plan)
    assert damage.value.sequence == sequence


class Watched:
    """A watcher's plans, over a history that counts how often it is asked for."""

    def __init__(self, history: list[Record] | None = None) -> None:
        self.asked = 0
        self._history = read_back(rows()) if history is None else history
        self.plans = WatchedPlans(self._walk, guard)

    def _walk(self, key: Key) -> Iterator[Record]:
        self.asked += 1
        return iter(self._history)


def test_a_watcher_follows_from_change_to_change() -> None:
    """Without looking at the history: each change leads on from the plan that the last one led to."""
    watched = Watched()
    found = [watched.plans.record(row, KEY) for row in rows()]
    assert found == read_back(rows())[::-1] and watched.asked == 0


def test_a_watcher_that_comes_later_goes_back_once() -> None:
    """From the current plan; from there on it follows."""
    watched = Watched()
    found = [watched.plans.record(row, KEY) for row in rows()[1:]]
    assert found == read_back(rows())[::-1][1:] and watched.asked == 1


def test_a_change_that_was_pruned_before_it_was_read_is_passed_over() -> None:
    """And so is one of a board that is gone."""
    assert Watched(read_back(rows())[:1]).plans.record(rows()[1], KEY) is None
    assert Watched(read_back(rows())[2:]).plans.record(rows()[1], KEY) is None
    assert Watched([]).plans.record(rows()[1], KEY) is None


def test_damage_in_a_later_change_is_told_of_the_one_that_cannot_be_shown() -> None:
    """So that the watcher goes on behind it."""
    watched = Watched()

    def damaged(key: Key) -> Iterator[Record]:
        raise DamagedRecord("not a change", key, 30)

    watched.plans = WatchedPlans(damaged, guard)
    with pytest.raises(DamagedRecord, match="not a change") as damage:
        watched.plans.record(rows()[1], KEY)
    assert (damage.value.key, damage.value.sequence) == (KEY, 20)


def test_a_watcher_forgets_the_board_that_was_changed_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is bounded: such a board is found again by going back."""
    assert deltas.MOST_FOLLOWED == 1_000
    monkeypatch.setattr(deltas, "MOST_FOLLOWED", 2)
    watched = Watched()
    first, second, _ = rows()
    for board in (1, 2):
        watched.plans.record(first._replace(board=board), KEY)
    watched.plans.record(second._replace(board=1), KEY)
    watched.plans.record(first._replace(board=3), KEY)
    assert watched.asked == 0
    watched.plans.record(rows()[2]._replace(board=1), KEY)
    assert watched.asked == 0, "it was changed lately"
    watched.plans.record(second._replace(board=2), KEY)
    assert watched.asked == 1
