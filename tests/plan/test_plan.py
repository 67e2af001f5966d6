"""What a plan is, and what changed between two: counted, compared and described for every possible plan."""

from collections import Counter

import pytest
from drafted import LATER, listed, planned
from hypothesis import assume, given
from strategies import plans, whole_lists

from holdfast import Plan, Status, Todo
from holdfast.plan import DONE, PRIORITIES, Change, Details, Difference, Draft, Wish, differences
from holdfast.plan.about import NOTHING_KNOWN
from holdfast.plan.transitions import merge, replace


class TestCounting:
    @given(plans())
    def test_counts_add_up(self, plan: Plan) -> None:
        """The counts of all statuses together are the number of todos."""
        assert sum(plan.counts().values()) == len(plan.todos)
        assert set(plan.counts()) == set(Status)
        assert {status: count for status, count in plan.counts().items() if count} == Counter(
            todo.status for todo in plan.todos
        )

    @given(plans())
    def test_every_todo_is_open_or_done(self, plan: Plan) -> None:
        """Open and done todos are all todos, each of them once."""
        assert Counter(plan.open + plan.done) == Counter(plan.todos)
        assert all(todo.is_open for todo in plan.open)
        assert all(todo.status in DONE for todo in plan.done)

    @given(plans())
    def test_finished_is_todos_and_none_open(self, plan: Plan) -> None:
        """A plan is finished when it has todos and none of them is open."""
        assert plan.is_finished == (len(plan.done) == len(plan.todos) > 0)

    @given(plans())
    def test_what_is_next(self, plan: Plan) -> None:
        """What to do now is the todo in progress, else the first pending one that is free, else nothing."""
        pending = [todo for todo in plan.todos if todo.status is Status.PENDING and plan.is_free(todo)]
        assert plan.next == (plan.current or (pending[0] if pending else None))

    def test_blocked_is_open_and_not_next(self) -> None:
        """A blocked todo is open, and nothing that one could do now."""
        plan = replace(Plan(), listed("A", status=Status.BLOCKED), 1.0)
        assert [todo.content for todo in plan.open] == ["A"]
        assert plan.next is None and not plan.is_finished


class TestDifferences:
    @given(plans(), whole_lists)
    def test_differences_lead_from_one_list_to_the_other(self, plan: Plan, draft: Draft) -> None:
        """The differences are what was added, changed and taken out, each todo once, and nothing that stayed."""
        after = replace(plan, draft, LATER)
        assume(after.number == plan.number)
        old = {todo.id: todo for todo in plan.todos}
        new = {todo.id: todo for todo in after.todos}
        expected = {(old.get(id), new.get(id)) for id in old.keys() | new.keys() if old.get(id) != new.get(id)}
        found = differences(plan.todos, after.todos)
        assert {(pair.before, pair.after) for pair in found} == expected
        assert len(found) == len(expected)

    def test_progress_is_a_todo_that_comes_goes_or_changes_its_status(self) -> None:
        """Another text is not progress: a model that only rewords its plan gets no further."""
        before = planned("A", "B")
        reworded = merge(before, Draft([Wish("1", "AA")], merge=True), LATER)
        assert not Change(before, reworded).is_progress
        for draft in (listed("A"), listed("A", "B", "C"), listed("A", "B", status=Status.COMPLETED)):
            assert Change(before, replace(before, draft, LATER)).is_progress

    def test_a_list_that_was_read_again_has_none(self) -> None:
        """Todos are compared by value: it does not matter that they are others in memory."""
        assert differences([Todo("1", "A")], [Todo("1", "A")]) == ()
        assert differences([], [Todo("1", "A")]) == (Difference(None, Todo("1", "A")),)
        more = [Todo("1", "A"), Todo("2", "B")]
        assert differences([Todo("1", "A")], more) == (Difference(None, Todo("2", "B")),)

    def test_what_was_taken_out_comes_last(self) -> None:
        """Differences are in the order of the new list, lost todos after it."""
        before = planned("A", "B")
        after = replace(before, listed("B", "C"), 2.0)
        a, c = before.todos[0], after.todos[1]
        assert differences(before.todos, after.todos) == (Difference(None, c), Difference(a, None))

    def test_a_new_plan_takes_nothing_out_of_the_old_one(self) -> None:
        """The todos of a closed plan do not count as removed when the next plan begins."""
        before = replace(Plan(), listed("A", status=Status.COMPLETED), 1.0)
        after = replace(before, listed("B"), 2.0)
        assert [pair.before for pair in Change(before, after).differences] == [None]

    def test_a_difference_has_both_sides(self) -> None:
        """What changed in a list of the same length is listed with before and after."""
        before = planned("A", "B")
        after = merge(before, Draft([Wish("2", status=Status.COMPLETED)], merge=True), LATER)
        assert differences(before.todos, after.todos) == (Difference(before.todos[1], after.todos[1]),)


@pytest.mark.parametrize(
    ("after", "is_progress"),
    [
        (listed("A", "B"), True),
        (Draft([Wish(content="B")]), True),
        (listed("A", status=Status.IN_PROGRESS), True),
        (Draft([Wish(id="1", content="Another word for it")], merge=True), False),
        (listed("A"), False),
    ],
    ids=["came", "went", "moved", "reworded", "nothing"],
)
def test_a_change_is_progress_if_a_todo_came_went_or_moved(after: Draft, is_progress: bool) -> None:
    """Other words for the same work are not progress."""
    plan = planned("A")
    changed_plan = (merge if after.merge else replace)(plan, after, LATER)
    assert Change(plan, changed_plan).is_progress is is_progress


@pytest.mark.parametrize("status", Status)
def test_a_status_is_its_name(status: Status) -> None:
    """A status equals its word, hashes like it, and prints as it."""
    assert status == status.value == str(status)
    assert {status.value: 1}[status] == 1


def test_a_label_is_the_active_form_or_the_content() -> None:
    """While a todo is worked on, its active form is shown if it has one."""
    assert Todo("1", "Run", active_form="Running").label == "Running"
    assert Todo("1", "Run").label == "Run"


def test_an_id_that_is_not_there() -> None:
    """Asking for a todo that is not in the plan gives None."""
    assert planned("A").get("2") is None


class TestValues:
    """The defaults of a value are empty: hosts and stores rely on that."""

    def test_a_todo(self) -> None:
        """It is pending, with no times but its making, and nothing more to say."""
        assert Todo("1", "A") == ("1", "A", Status.PENDING, "", 0.0, None, None, "", Details(), (), None)

    def test_a_plan(self) -> None:
        """It is the first of its board, with nothing written, edited or seen."""
        assert Plan() == ((), "", 0, 0.0, 1, 1, (), (), "", NOTHING_KNOWN)

    def test_statuses(self) -> None:
        """Their names are what stores keep and models write."""
        assert list(Status) == ["pending", "in_progress", "completed", "cancelled", "blocked"]

    def test_a_draft(self) -> None:
        """It is a whole list, of nothing, that says nothing of what it is for."""
        assert Draft() == ((), None, False, ())

    def test_a_change(self) -> None:
        """It is a write by the model, which takes nothing back."""
        assert Change(Plan(), Plan())[2:] == ("model", "write", 0)

    def test_details(self) -> None:
        """Where nothing is said, they are empty; the priorities are those that the tools of other agents know."""
        assert tuple(Details()) == ("", "", (), "", "", "", "", "")
        assert tuple(PRIORITIES) == ("high", "medium", "low")
