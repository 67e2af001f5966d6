"""Which todo is meant, and which id a new one gets: a todo keeps its id over every rewrite."""

import pytest
from drafted import LATER, listed, planned
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import plans, updates, whole_lists

from holdfast import Plan
from holdfast.plan import Draft, Wish
from holdfast.plan.transitions import match, merge, replace, unknown_ids


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
        """Two items of a list never mean the same todo."""
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

    @pytest.mark.parametrize(("id", "next_id"), [("999999", 1_000_000), ("1000000", 2), ("x7", 2), ("²", 2)])
    def test_a_writers_own_number_is_counted_on_from_up_to_a_million(self, id: str, next_id: int) -> None:
        """What is larger, or no number, is a name."""
        merged = merge(planned("A"), Draft([Wish(id, "B")], merge=True), LATER)
        assert (merged.todos[1].id, merged.next_id) == (id, next_id)

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

    def test_an_unknown_id_in_a_merge_is_a_new_todo_of_that_name(self) -> None:
        """A writer's own id stands where it is new."""
        merged = merge(planned("A"), Draft([Wish("7", "B")], merge=True), LATER)
        assert [todo.id for todo in merged.todos] == ["1", "7"] and merged.next_id == 8

    def test_a_number_that_the_writer_gives_is_given_to_no_other(self) -> None:
        """A new todo without an id steps over the ids that stand further down in the same list."""
        merged = merge(planned("A"), Draft([Wish(content="B"), Wish("2", "C")], merge=True), LATER)
        assert {todo.content: todo.id for todo in merged.todos} == {"A": "1", "B": "3", "C": "2"}
