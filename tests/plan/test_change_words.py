"""What became of a todo or a plan by a change, in words that every view has."""

import pytest

from holdfast import Plan, Status, Todo
from holdfast.plan import Change, Details
from holdfast.plan.change import Difference
from holdfast.plan.change_words import KINDS, begins_plan, clears_plan, details_changed, kind

TODO = Todo("1", "A")
DONE = TODO._replace(status=Status.COMPLETED)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (None, TODO, "added"),
        (TODO, None, "removed"),
        (DONE, TODO, "reopened"),
        (TODO, TODO._replace(status=Status.IN_PROGRESS), "started"),
        (TODO, DONE, "completed"),
        (TODO, TODO._replace(status=Status.CANCELLED), "cancelled"),
        (TODO, TODO._replace(status=Status.BLOCKED, content="B"), "blocked"),
        (TODO, TODO._replace(content="B", active_form="Doing B"), "reworded"),
        (TODO, TODO._replace(active_form="Doing A"), "changed"),
        (TODO, TODO, "moved"),
    ],
)
def test_each_change_of_a_todo_has_one_word(before: Todo | None, after: Todo | None, word: str) -> None:
    """A new status says more than a new text, and a new text more than the rest."""
    assert kind(Difference(before, after)) == word
    assert word in KINDS and len(KINDS) == 10


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (Details(), Details(), []),
        (Details(), Details(owner="ann"), ["held by ann"]),
        (Details(owner="ann"), Details(owner="bob"), ["held by bob, before: ann"]),
        (Details(owner="ann"), Details(), ["given back by ann"]),
        (Details(), Details(priority="high"), ["high priority"]),
        (Details(priority="high"), Details(), ["no priority"]),
        (Details(), Details(blocked_by=("2", "3")), ["waits for 2, 3"]),
        (Details(blocked_by=("2",)), Details(), ["waits for no other"]),
        (Details(), Details(reason="no key"), ["because: no key"]),
        (Details(reason="no key"), Details(reason="no key"), []),
        (Details(reason="no key"), Details(), []),
        (Details(), Details(section="Docs"), ["under Docs"]),
        (Details(section="Docs"), Details(), ["under no heading"]),
        (Details(), Details(description="All"), ["note: All"]),
        (Details(description="All"), Details(), ["no note"]),
        (Details(), Details(description="x" * 61), [f"note: {'x' * 59}…"]),
        (Details(), Details(owner="ann", priority="low"), ["held by ann", "low priority"]),
    ],
)
def test_each_detail_that_changed_is_named(old: Details, new: Details, words: list[str]) -> None:
    """In a few words; a long text is cut. A new todo is compared with one that has no details."""
    assert details_changed(TODO._replace(details=old), TODO._replace(details=new)) == words
    if old == Details():
        assert details_changed(None, TODO._replace(details=new)) == words


@pytest.mark.parametrize(
    ("before", "after", "begins", "clears"),
    [
        pytest.param(Plan(), Plan((TODO,)), True, False, id="first"),
        pytest.param(Plan((DONE,)), Plan((TODO,), number=2), True, False, id="next"),
        pytest.param(Plan((TODO,)), Plan((DONE,)), False, False, id="goes on"),
        pytest.param(Plan((TODO,)), Plan(), False, True, id="cleared"),
        pytest.param(Plan(), Plan(number=2), False, False, id="nothing"),
    ],
)
def test_a_plan_begins_and_is_cleared(before: Plan, after: Plan, begins: bool, clears: bool) -> None:
    """It begins with its first todos, and is cleared when the last ones go."""
    change = Change(before, after)
    assert (begins_plan(change), clears_plan(change)) == (begins, clears)
