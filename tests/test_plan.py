"""The laws of the pure plan functions, on every plan that writes can lead to."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import finished_plans, plans, updates, whole_lists

from holdfast import Plan, Status, Todo
from holdfast.plan import DONE, PRIORITIES, Change, Details, DetailsWish, Difference, Draft, Wish, differences
from holdfast.planning import advance, changed, clear, match, merge, replace, unknown_ids

LATER = 1000.0


def listed(*texts: str, status: Status = Status.PENDING) -> Draft:
    """A whole list of these texts."""
    return Draft([Wish(content=text, status=status) for text in texts])


def planned(*texts: str) -> Plan:
    """A plan of these texts."""
    return replace(Plan(), listed(*texts), 1.0)


def restated(plan: Plan) -> Draft:
    """The whole list that says what the plan says, by id."""
    wishes = [
        Wish(todo.id, todo.content, todo.status, todo.active_form, todo.evidence, DetailsWish(*todo.details))
        for todo in plan.todos
    ]
    return Draft(wishes, plan.summary, merge=True)


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
        """Open and done todos are all todos, none of them twice."""
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


class TestIdentity:
    @given(plans())
    def test_ids_are_unique(self, plan: Plan) -> None:
        """No two todos of a plan have the same id."""
        ids = [todo.id for todo in plan.todos]
        assert len(ids) == len(set(ids))

    @given(plans(), whole_lists)
    def test_a_restated_text_keeps_its_id(self, plan: Plan, draft: Draft) -> None:
        """In one plan, the nth todo of a text that is written again is the nth that had it, under its old id."""
        after = replace(plan, draft, LATER)
        assume(after.number == plan.number)
        for text in {todo.content for todo in after.todos}:
            old = [todo.id for todo in plan.todos if todo.content == text]
            new = [todo.id for todo in after.todos if todo.content == text]
            kept = min(len(old), len(new))
            assert new[:kept] == old[:kept]
            assert not set(new[kept:]) & {todo.id for todo in plan.todos}

    @given(st.lists(whole_lists, max_size=8), st.data())
    def test_an_id_is_never_reused(self, drafts: list[Draft], data: st.DataObject) -> None:
        """Inside a plan, an id that belonged to one todo never belongs to another, gone or not."""
        plan, number, gone = Plan(), 1, set[str]()
        for now, draft in enumerate(drafts):
            by_id = data.draw(st.none() | updates(plan))
            after = replace(plan, draft, now) if by_id is None or not plan.todos else merge(plan, by_id, now)
            if after.number != number:
                number, gone = after.number, set()
            ids = {todo.id for todo in after.todos}
            assert not ids & gone
            if after.number == plan.number:
                gone |= {todo.id for todo in plan.todos} - ids
            plan = after

    @given(plans(), st.data())
    def test_an_id_given_is_the_todo_meant(self, plan: Plan, data: st.DataObject) -> None:
        """A wish with a known id changes that todo, whatever it says."""
        draft = data.draw(updates(plan, news=False))
        for wish, todo in zip(draft.wishes, match(plan.todos, draft.wishes), strict=True):
            assert todo is not None and todo.id == wish.id

    @given(plans(), whole_lists)
    def test_no_todo_is_meant_twice(self, plan: Plan, draft: Draft) -> None:
        """Two items of a list never speak of the same todo."""
        meant = [todo.id for todo in match(plan.todos, draft.wishes) if todo is not None]
        assert len(meant) == len(set(meant))

    def test_ids_start_at_one_and_count_on(self) -> None:
        """The first list gets the ids 1, 2, 3; what is added later counts on, also after a todo was taken out."""
        plan = planned("A", "B", "C")
        assert [todo.id for todo in plan.todos] == ["1", "2", "3"]
        plan = replace(plan, listed("A", "D"), 2.0)
        assert [(todo.id, todo.content) for todo in plan.todos] == [("1", "A"), ("4", "D")]

    def test_a_reordered_list_keeps_its_ids(self) -> None:
        """Todos that change their places take their ids with them."""
        plan = replace(planned("A", "B", "C"), listed("C", "A", "B"), 2.0)
        assert [(todo.id, todo.content) for todo in plan.todos] == [("3", "C"), ("1", "A"), ("2", "B")]

    def test_unknown_ids_are_named(self) -> None:
        """The ids that a plan does not hold are found in a draft."""
        assert unknown_ids(planned("A"), Draft([Wish("1"), Wish("7"), Wish(content="B")])) == ("7",)

    def test_a_writers_own_id_stands_where_it_is_new(self) -> None:
        """A host's own id is kept for a new todo, and numbers that the plan gives count on behind it."""
        plan = replace(planned("A"), Draft([Wish("8", "B"), Wish(content="C"), Wish("x", "D")], merge=True), 2.0)
        assert [(todo.id, todo.content) for todo in plan.todos] == [("8", "B"), ("9", "C"), ("x", "D")]

    def test_a_number_that_a_writer_asks_for_is_not_given_away(self) -> None:
        """A new todo without an id does not get the number that a later one in the same list asks for."""
        plan = replace(planned("A"), Draft([Wish(content="B"), Wish("2", "C"), Wish(content="D")], merge=True), 2.0)
        assert [(todo.id, todo.content) for todo in plan.todos] == [("3", "B"), ("2", "C"), ("4", "D")]

    def test_a_used_number_is_not_given_again_on_demand(self) -> None:
        """A writer that asks for the number of a todo that is gone gets a new one."""
        plan = replace(planned("A", "B"), listed("B"), 2.0)
        plan = replace(plan, Draft([Wish("2", "B"), Wish("1", "C")], merge=True), 3.0)
        assert [(todo.id, todo.content) for todo in plan.todos] == [("2", "B"), ("3", "C")]


class TestMerging:
    @given(plans(), st.data())
    def test_a_merge_is_a_replacement_with_its_result(self, plan: Plan, data: st.DataObject) -> None:
        """In an open plan, writing some todos by id equals writing the whole list that this leaves, by id."""
        assume(plan.open)
        merged = merge(plan, data.draw(updates(plan)), LATER)
        assert replace(plan, restated(merged), LATER) == merged

    @given(plans(), st.data())
    def test_a_merge_leaves_the_rest_alone(self, plan: Plan, data: st.DataObject) -> None:
        """Todos that an update does not speak of stay what and where they are; new ones stand at the end."""
        draft = data.draw(updates(plan))
        merged = merge(plan, draft, LATER)
        old = len(plan.todos)
        assert [todo.id for todo in merged.todos[:old]] == [todo.id for todo in plan.todos]
        named = {todo.id for todo in match(plan.todos, draft.wishes) if todo is not None}
        for before, after in zip(plan.todos, merged.todos, strict=False):
            assert before.id in named or before is after
        assert not {todo.id for todo in merged.todos[old:]} & {todo.id for todo in plan.todos}

    @given(plans(), st.data())
    def test_a_merge_changes_field_by_field(self, plan: Plan, data: st.DataObject) -> None:
        """What a wish leaves out stays as it is."""
        draft = data.draw(updates(plan, news=False))
        merged = merge(plan, draft, LATER)
        for wish in draft.wishes:
            before, after = plan.get(wish.id or ""), merged.get(wish.id or "")
            assert before is not None and after is not None
            assert after.content == (before.content if wish.content is None else wish.content)
            assert after.status is (before.status if wish.status is None else wish.status)
            assert after.active_form == (before.active_form if wish.active_form is None else wish.active_form)
            assert after.evidence == (before.evidence if wish.evidence is None else wish.evidence)
            for field, wanted in (wish.details or DetailsWish())._asdict().items():
                assert getattr(after.details, field) == (getattr(before.details, field) if wanted is None else wanted)
            assert after.created_at == before.created_at

    def test_an_exact_text_names_a_todo_too(self) -> None:
        """In an update, an item without an id but with a known text is that todo."""
        plan = merge(planned("A", "B"), Draft([Wish("1"), Wish(content="B", status=Status.COMPLETED)]), 2.0)
        assert [(todo.id, str(todo.status)) for todo in plan.todos] == [("1", "pending"), ("2", "completed")]


class TestPlansInARow:
    @given(finished_plans(), whole_lists)
    def test_a_finished_plan_closes(self, plan: Plan, draft: Draft) -> None:
        """After a finished plan, a list that restates nothing of it is the next plan, with ids from 1."""
        old = {todo.content for todo in plan.todos}
        wishes = [wish._replace(content=f"new {wish.content}") for wish in draft.wishes]
        draft = draft._replace(wishes=[wish for wish in wishes if wish.content not in old])
        assume(draft.wishes)
        after = replace(plan, draft, LATER)
        assert after.number == plan.number + 1
        assert [todo.id for todo in after.todos] == [str(id) for id in range(1, len(draft.wishes) + 1)]
        assert {todo.created_at for todo in after.todos} == {LATER}

    @given(finished_plans())
    def test_a_finished_list_said_again_is_the_same_plan(self, plan: Plan) -> None:
        """A finished list that is written again, with or without ids, stays the plan that it is."""
        by_id = restated(plan)
        without_ids = by_id._replace(wishes=[wish._replace(id=None) for wish in by_id.wishes], merge=False)
        assert replace(plan, by_id, LATER) is plan
        assert replace(plan, without_ids, LATER) is plan

    def test_a_finished_list_with_more_to_do_is_the_same_plan(self) -> None:
        """Todos added to a finished list that is restated belong to it."""
        plan = replace(planned("A"), listed("A", status=Status.COMPLETED), 2.0)
        draft = Draft([Wish(content="A", status=Status.COMPLETED), Wish(content="B", status=Status.PENDING)])
        after = replace(plan, draft, 3.0)
        assert after.number == plan.number
        assert [todo.id for todo in after.todos] == ["1", "2"]

    def test_finished_work_that_is_to_be_done_again_is_the_next_plan(self) -> None:
        """A text of the finished plan, now pending, restates none of its work; said with no status, it does."""
        finished = replace(Plan(), listed("A", status=Status.COMPLETED), 1.0)
        assert replace(finished, listed("A"), LATER).number == finished.number + 1
        assert replace(finished, Draft([Wish(content="A"), Wish(content="B")]), LATER).number == finished.number

    @given(plans(), whole_lists)
    def test_a_plan_with_open_todos_goes_on(self, plan: Plan, draft: Draft) -> None:
        """While something is open, every list that is written is the same plan."""
        assume(plan.open)
        assert replace(plan, draft, LATER).number == plan.number

    @given(plans())
    def test_an_empty_list_clears(self, plan: Plan) -> None:
        """The empty list takes every todo and the summary off the plan."""
        for cleared in (replace(plan, Draft(), LATER), clear(plan, LATER)):
            assert cleared.todos == () and cleared.summary == ""
            assert cleared.number == plan.number

    @given(plans(), whole_lists)
    def test_a_cleared_plan_is_closed(self, plan: Plan, draft: Draft) -> None:
        """After a plan was cleared, the next list is the next plan, even with the same texts."""
        assume(plan.todos and draft.wishes)
        after = replace(clear(plan, LATER), draft, LATER)
        assert after.number == plan.number + 1
        assert after.todos[0].id == "1"


class TestRevisions:
    @given(plans(), whole_lists)
    def test_a_change_is_one_revision(self, plan: Plan, draft: Draft) -> None:
        """A write makes one new revision if it changes something, and gives back the very same plan if not."""
        after = replace(plan, draft, LATER)
        if after is plan:
            return
        assert (after.todos, after.summary) != (plan.todos, plan.summary)
        assert after.revision == plan.revision + 1
        assert after.updated_at == LATER

    @given(plans(), whole_lists)
    def test_the_same_write_again_changes_nothing(self, plan: Plan, draft: Draft) -> None:
        """Writing the same list twice makes no second revision, though time goes on."""
        assume(any(wish.status not in DONE for wish in draft.wishes) or not draft.wishes)
        after = replace(plan, draft, LATER)
        assert replace(after, draft, LATER + 1) is after

    @given(plans())
    def test_an_update_with_nothing_new_changes_nothing(self, plan: Plan) -> None:
        """Naming todos by id with what they are already makes no revision."""
        assert merge(plan, restated(plan), LATER) is plan

    def test_before_the_first_write(self) -> None:
        """A plan begins empty, as the first one, before its first revision."""
        plan = Plan()
        assert (plan.todos, plan.revision, plan.number, plan.is_finished) == ((), 0, 1, False)
        assert planned("A").revision == 1


class TestTimes:
    @given(plans())
    def test_times_agree_with_the_status(self, plan: Plan) -> None:
        """A todo has an end exactly if it is done, a start if it is in progress, and neither before it was made."""
        for todo in plan.todos:
            assert (todo.finished_at is not None) == (todo.status in DONE)
            assert todo.status is not Status.IN_PROGRESS or todo.started_at is not None
            assert todo.created_at <= (todo.started_at if todo.started_at is not None else todo.created_at)
            assert todo.created_at <= (todo.finished_at if todo.finished_at is not None else todo.created_at)

    def test_work_taken_up_again_keeps_its_start(self) -> None:
        """A todo that is reopened loses its end and keeps its first start."""
        todo = Todo("1", "A", created_at=1.0)
        for now, status in enumerate([Status.IN_PROGRESS, Status.COMPLETED, Status.IN_PROGRESS], 2):
            todo = changed(todo, Wish(status=status), float(now))
        assert (todo.started_at, todo.finished_at) == (2.0, None)

    def test_an_end_is_when_it_was_first_reached(self) -> None:
        """A completed todo that is then cancelled keeps the time of its end."""
        todo = changed(Todo("1", "A"), Wish(status=Status.COMPLETED), 2.0)
        assert changed(todo, Wish(status=Status.CANCELLED), 3.0).finished_at == 2.0


class TestAdvancing:
    @given(plans())
    def test_advancing_starts_the_first_pending_todo(self, plan: Plan) -> None:
        """Advancing starts the first pending todo if none is in progress, and changes nothing else."""
        after = advance(plan, LATER)
        if plan.current is not None or plan.next is None:
            assert after is plan
            return
        assert after.current is not None
        assert after.current == changed(plan.next, Wish(status=Status.IN_PROGRESS), LATER)
        assert [todo for todo in after.todos if todo is not after.current] == [
            todo for todo in plan.todos if todo is not plan.next
        ]


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
        """Another text is none: a model that only rewords its plan gets no further."""
        before = planned("A", "B")
        reworded = merge(before, Draft([Wish("1", "AA")], merge=True), LATER)
        assert not Change(before, reworded).is_progress
        for draft in (listed("A"), listed("A", "B", "C"), listed("A", "B", status=Status.COMPLETED)):
            assert Change(before, replace(before, draft, LATER)).is_progress

    def test_a_list_that_was_read_again_has_none(self) -> None:
        """Todos are compared by value: it does not matter that they are others in memory."""
        assert differences([Todo("1", "A")], [Todo("1", "A")]) == ()

    def test_what_was_taken_out_comes_last(self) -> None:
        """Differences are in the order of the new list, lost todos after it."""
        before = planned("A", "B")
        after = replace(before, listed("B", "C"), 2.0)
        a, c = before.todos[0], after.todos[1]
        assert differences(before.todos, after.todos) == (Difference(None, c), Difference(a, None))

    def test_a_new_plan_takes_nothing_out_of_the_old_one(self) -> None:
        """The todos of a closed plan are not told as lost when the next plan begins."""
        before = replace(Plan(), listed("A", status=Status.COMPLETED), 1.0)
        after = replace(before, listed("B"), 2.0)
        assert [pair.before for pair in Change(before, after).differences] == [None]


@pytest.mark.parametrize("status", Status)
def test_a_status_is_its_name(status: Status) -> None:
    """A status equals its word, hashes like it, and prints as it."""
    assert status == status.value == str(status)
    assert {status.value: 1}[status] == 1


def test_a_label_is_the_active_form_or_the_content() -> None:
    """While a todo is worked on, its active form is shown if it has one."""
    assert Todo("1", "Run", active_form="Running").label == "Running"
    assert Todo("1", "Run").label == "Run"


class TestChanging:
    TODO = Todo("1", "A", Status.IN_PROGRESS, "Doing A", 1.0, 2.0, None, "seen", Details("long", "low"))
    SAME = Wish("1", "A", Status.IN_PROGRESS, "Doing A", "seen", DetailsWish("long", "low"))

    def test_nothing_new_is_the_very_same_todo(self) -> None:
        """Whether a field is left out or says what is there already."""
        assert changed(self.TODO, Wish(), LATER) is self.TODO
        assert changed(self.TODO, self.SAME, LATER) is self.TODO
        for field, said in self.SAME._asdict().items():
            assert changed(self.TODO, Wish(**{field: said}), LATER) is self.TODO

    @pytest.mark.parametrize(
        ("field", "said", "becomes"),
        [
            ("content", "B", "B"),
            ("content", "", ""),
            ("status", Status.BLOCKED, Status.BLOCKED),
            ("active_form", "Doing B", "Doing B"),
            ("active_form", "", ""),
            ("evidence", "heard", "heard"),
            ("evidence", "", ""),
            ("details", DetailsWish(owner="x"), Details("long", "low", (), "x")),
        ],
    )
    def test_one_thing_that_is_new_changes_that_alone(self, field: str, said: object, becomes: object) -> None:
        """Whether the rest is left out or said again."""
        expected = self.TODO._replace(**{field: becomes})  # type: ignore[arg-type] # each has its own
        assert changed(self.TODO, Wish(**{field: said}), LATER) == expected  # type: ignore[arg-type]
        assert changed(self.TODO, self.SAME._replace(**{field: said}), LATER) == expected  # type: ignore[arg-type]

    def test_a_status_said_again_sets_no_time(self) -> None:
        """A todo that was begun or ended at a time that nobody knows is not begun or ended now."""
        for status in (Status.IN_PROGRESS, Status.COMPLETED):
            todo = changed(Todo("1", "A", status), Wish(content="B", status=status), LATER)
            assert (todo.started_at, todo.finished_at) == (None, None)

    def test_another_text_leaves_the_end_where_it_was(self) -> None:
        """What is done stays done since then."""
        done = Todo("1", "A", Status.COMPLETED, created_at=1.0, started_at=2.0, finished_at=3.0)
        assert changed(done, Wish(content="B"), LATER) == done._replace(content="B")

    def test_what_is_done_at_once_was_never_begun(self) -> None:
        """It has an end, and no start."""
        todo = changed(Todo("1", "A"), Wish(status=Status.COMPLETED), LATER)
        assert (todo.started_at, todo.finished_at) == (None, LATER)


class TestCreating:
    def test_a_todo_has_what_it_was_asked_for_with(self) -> None:
        """All of it, and the times that its status says."""
        wish = Wish(None, "A", Status.COMPLETED, "Doing A", "seen", DetailsWish(owner="x"))
        expected = Todo("1", "A", Status.COMPLETED, "Doing A", LATER, None, LATER, "seen", Details(owner="x"))
        assert replace(Plan(), Draft([wish]), LATER).todos == (expected,)
        running = replace(Plan(), listed("A", status=Status.IN_PROGRESS), LATER)
        assert running.todos == (Todo("1", "A", Status.IN_PROGRESS, "", LATER, LATER),)

    def test_a_todo_asked_for_with_nothing_has_nothing(self) -> None:
        """No text is an empty one."""
        assert replace(Plan(), Draft([Wish()]), LATER).todos == (Todo("1", "", created_at=LATER),)


class TestValues:
    """What is not said of a value is that it has none of it: hosts and stores count on that."""

    def test_a_todo(self) -> None:
        """It is pending, with no times but its making, and nothing more to say."""
        assert Todo("1", "A") == ("1", "A", Status.PENDING, "", 0.0, None, None, "", Details("", "", (), "", ""))

    def test_a_plan(self) -> None:
        """It is the first of its board, with nothing written, edited or seen."""
        assert Plan() == ((), "", 0, 0.0, 1, 1, (), ())

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
        assert tuple(Details()) == ("", "", (), "", "")
        assert tuple(PRIORITIES) == ("high", "medium", "low")


class TestSmallPromises:
    def test_another_purpose_is_a_change(self) -> None:
        """Though every todo stays what it is."""
        before = planned("A")
        for after in (
            replace(before, listed("A")._replace(summary="S"), LATER),
            merge(before, Draft([Wish("1")], "S", merge=True), LATER),
        ):
            assert (after.todos, after.summary, after.revision) == (before.todos, "S", before.revision + 1)

    @pytest.mark.parametrize(("id", "next_id"), [("999999", 1_000_000), ("1000000", 2), ("x7", 2), ("²", 2)])
    def test_a_writers_own_number_is_counted_on_from_up_to_a_million(self, id: str, next_id: int) -> None:
        """What is larger, or no number, is a name."""
        merged = merge(planned("A"), Draft([Wish(id, "B")], merge=True), LATER)
        assert (merged.todos[1].id, merged.next_id) == (id, next_id)

    def test_a_merge_takes_out_what_it_names(self) -> None:
        """Todos are taken off by id; an id that is not there is none to take off."""
        merged = merge(planned("A", "B"), Draft(merge=True, removed=("1", "9")), LATER)
        assert [todo.content for todo in merged.todos] == ["B"]

    def test_a_todo_named_by_id_is_not_meant_by_its_text_too(self) -> None:
        """The same text once more is another todo."""
        first, second = planned("A", "A").todos
        assert match([first, second], [Wish(content="A"), Wish("1"), Wish(content="A")]) == [second, first, None]

    def test_an_id_counts_more_than_a_place(self) -> None:
        """A list by id whose texts have changed places is read by its ids."""
        after = replace(planned("A", "B"), Draft([Wish("2", "A"), Wish("1", "B")]), LATER)
        assert [(todo.id, todo.content) for todo in after.todos] == [("2", "A"), ("1", "B")]
        after = replace(planned("A", "B"), Draft([Wish(content="A"), Wish("1", "C")]), LATER)
        assert [(todo.id, todo.content) for todo in after.todos] == [("3", "A"), ("1", "C")]

    @pytest.mark.parametrize(
        "wish",
        [
            Wish(content="A", status=Status.PENDING, active_form="Doing A"),
            Wish(content="A", status=Status.PENDING, evidence="seen"),
            Wish(content="A", status=Status.PENDING, details=DetailsWish(priority="high")),
        ],
    )
    def test_whatever_is_new_in_a_restated_todo_is_taken(self, wish: Wish) -> None:
        """Though its text and status are what they were."""
        before = planned("A")
        after = replace(before, Draft([wish]), LATER)
        assert after.todos == (changed(before.todos[0], wish, LATER),) != before.todos

    def test_an_unknown_id_in_a_merge_is_a_new_todo_of_that_name(self) -> None:
        """A writer's own id stands where it is new."""
        merged = merge(planned("A"), Draft([Wish("7", "B")], merge=True), LATER)
        assert [todo.id for todo in merged.todos] == ["1", "7"] and merged.next_id == 8

    def test_a_number_that_the_writer_gives_is_given_to_no_other(self) -> None:
        """A new todo without an id steps over the ids that stand further down in the same list."""
        merged = merge(planned("A"), Draft([Wish(content="B"), Wish("2", "C")], merge=True), LATER)
        assert {todo.content: todo.id for todo in merged.todos} == {"A": "1", "B": "3", "C": "2"}

    def test_a_difference_has_both_sides(self) -> None:
        """What changed in a list of one length is told as it was and as it is."""
        before = planned("A", "B")
        after = merge(before, Draft([Wish("2", status=Status.COMPLETED)], merge=True), LATER)
        assert differences(before.todos, after.todos) == (Difference(before.todos[1], after.todos[1]),)

    def test_a_plan_is_closed_at_a_time(self) -> None:
        """Clearing is a change like any other: it says when."""
        assert clear(planned("A"), LATER).updated_at == LATER

    def test_an_id_that_is_not_there(self) -> None:
        """Asking for a todo that is not in the plan gives none."""
        assert planned("A").get("2") is None


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
    """Other words for the same work are none."""
    plan = planned("A")
    changed_plan = (merge if after.merge else replace)(plan, after, LATER)
    assert Change(plan, changed_plan).is_progress is is_progress
