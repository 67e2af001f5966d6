"""The laws of writing a plan anew or in part, on every plan that writes can lead to."""

import pytest
from drafted import LATER, listed, planned
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import finished_plans, plans, updates, whole_lists

from holdfast import Board, Plan, Status, Todo
from holdfast.plan import DONE, Details, DetailsWish, Draft, Wish
from holdfast.plan.transitions import advance, changed, clear, delete, match, merge, replace


def restated(plan: Plan) -> Draft:
    """The whole list that says what the plan says, by id."""
    wishes = [
        Wish(todo.id, todo.content, todo.status, todo.active_form, todo.evidence, DetailsWish(*todo.details))
        for todo in plan.todos
    ]
    return Draft(wishes, plan.summary, merge=True)


class TestMerging:
    @given(plans(), st.data())
    def test_a_merge_is_a_replacement_with_its_result(self, plan: Plan, data: st.DataObject) -> None:
        """In an open plan, writing some todos by id equals writing the whole list that this leaves, by id."""
        assume(plan.open)
        merged = merge(plan, data.draw(updates(plan)), LATER)
        assert replace(plan, restated(merged), LATER) == merged

    @given(plans(), st.data())
    def test_a_merge_leaves_the_rest_alone(self, plan: Plan, data: st.DataObject) -> None:
        """Todos that an update does not mention stay as and where they are; new ones are at the end."""
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

    def test_a_merge_takes_out_what_it_names(self) -> None:
        """Todos are removed by id; an unknown id is ignored."""
        merged = merge(planned("A", "B"), Draft(merge=True, removed=("1", "9")), LATER)
        assert [todo.content for todo in merged.todos] == ["B"]


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
        """A text of the finished plan, now pending, does not restate its work; without a status, it does."""
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
        """A write makes one new revision if it changes something, and returns the same object if not."""
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

    def test_another_purpose_is_a_change(self) -> None:
        """Though every todo stays what it is."""
        before = planned("A")
        for after in (
            replace(before, listed("A")._replace(summary="S"), LATER),
            merge(before, Draft([Wish("1")], "S", merge=True), LATER),
        ):
            assert (after.todos, after.summary, after.revision) == (before.todos, "S", before.revision + 1)

    def test_a_plan_is_closed_at_a_time(self) -> None:
        """Clearing is a change like any other: it says when."""
        assert clear(planned("A"), LATER).updated_at == LATER


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
        """A todo that was started or finished at an unknown time is not started or finished now."""
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


def test_a_todo_that_waits_for_another_is_not_started_before_it() -> None:
    """When one is done, the first that waits for none that is open begins: also one that waited for that one."""
    board = Board()
    assert board.write({"todos": [{"content": text} for text in ("A", "B", "C")]}).ok
    assert board.edit("2", details=DetailsWish(blocked_by=("3",))).ok
    assert board.edit("3", details=DetailsWish(blocked_by=("1",))).ok
    assert [str(todo.status) for todo in board.write({"todos": [{"id": "1", "status": "completed"}]}).plan.todos] == [
        "completed",
        "pending",
        "in_progress",
    ]


def test_what_is_left_of_a_deleted_plan_is_its_numbers() -> None:
    """The next plan has the next number, one revision on, and it is known when the last one was deleted."""
    plan = Plan(todos=(Todo("1", "A"),), summary="Old", revision=7, number=3, next_id=2)
    left = delete(plan, 50.0)
    assert (left.todos, left.summary, left.revision, left.number, left.updated_at) == ((), "", 8, 4, 50.0)
    assert (left.about.archived_at, left.about.deleted_at, left.is_deleted) == (50.0, 50.0, True)


@pytest.mark.parametrize(
    ("texts", "wishes", "after"),
    [
        (["A"], [Wish(content="1")], [("2", "1")]),
        (["A"], [Wish(content="pending")], [("2", "pending")]),
        (["pending"], [Wish(content="B", status=Status.PENDING)], [("2", "B")]),
        (["2", "B"], [Wish("2"), Wish("1")], [("2", "B"), ("1", "2")]),
        (["A", "B"], [Wish("x", "X"), Wish("2")], [("x", "X"), ("2", "B")]),
        (["A", "B"], [Wish("1", "pending"), Wish("2")], [("1", "pending"), ("2", "B")]),
    ],
    ids=["an id", "a status", "the status of a text", "the text of an id", "a new id first", "a new text"],
)
def test_a_text_is_a_text_whatever_it_says(texts: list[str], wishes: list[Wish], after: list[tuple[str, str]]) -> None:
    """One that reads like an id or a status is neither, and each item of a list means one todo."""
    plan = replace(planned(*texts), Draft(wishes), LATER)
    assert [(todo.id, todo.content) for todo in plan.todos] == after


def test_a_finished_todo_that_is_named_by_its_id_alone_is_taken_up_again() -> None:
    """A list that does not say what it is about cannot be the next plan."""
    done = replace(Plan(), listed("A", status=Status.COMPLETED), 1.0)
    again = replace(done, Draft([Wish("1", status=Status.PENDING)]), LATER)
    assert again.number == done.number
    assert [(todo.content, todo.status) for todo in again.todos] == [("A", Status.PENDING)]
