"""The recap of the `envelope` dialect: the plan on one line of under 300 characters."""

import pytest
from envelope_calls import a_board, call, envelope, todo
from hypothesis import given
from hypothesis import strategies as st

from holdfast import NO_LIMIT, Rules, Status
from holdfast.dialects.envelope import recap
from holdfast.plan import Plan, Todo


class TestRecap:
    """The plan on one short line."""

    @pytest.mark.parametrize(
        ("todos", "expected"),
        [
            pytest.param([], "[0/0] In progress: None.", id="no item"),
            pytest.param(
                [("A", "completed"), ("B", "in_progress"), ("C", "pending")],
                "[1/3] In progress: B. Pending: C.",
                id="completed items are counted, not named",
            ),
            pytest.param(
                [("A", "completed"), ("B", "cancelled")],
                "[2/2] In progress: None. Cancelled: B.",
                id="done is completed and cancelled; None when nothing is in progress",
            ),
            pytest.param(
                [("A", "pending"), ("B", "pending"), ("C", "pending"), ("D", "pending")],
                "[0/4] In progress: None. Pending: A; B; C.",
                id="at most 3 pending",
            ),
            pytest.param(
                [("A", "cancelled"), ("B", "cancelled"), ("C", "cancelled")],
                "[3/3] In progress: None. Cancelled: A; B.",
                id="at most 2 cancelled",
            ),
            pytest.param(
                [("A", "in_progress"), ("B", "in_progress")],
                "[0/2] In progress: A.",
                id="one in progress, where a host allows several",
            ),
            pytest.param([("a\nb", "in_progress")], "[0/1] In progress: a b.", id="on one line"),
        ],
    )
    def test_its_parts(self, todos: list[tuple[str, str]], expected: str) -> None:
        """Counts, then what runs, what is next, what was dropped; absent parts are left out."""
        board = a_board(rules=Rules(max_in_progress=2))
        reply = board.write(call(*(todo(content, status) for content, status in todos)))
        assert envelope(reply)["data"]["recap"] == expected

    def test_ten_long_items_stay_under_300_characters(self) -> None:
        """The longest items that are allowed are shortened with an ellipsis; counts and current item are kept."""
        statuses = ["in_progress", *["pending"] * 4, *["cancelled"] * 3, *["completed"] * 2]
        todos = [todo(f"{number}{'x' * 59}", status) for number, status in enumerate(statuses)]
        text = envelope(a_board().write(call(*todos)))["data"]["recap"]
        assert 280 < len(text) < 300
        assert text.startswith("[5/10] In progress: 0xxx")
        assert text.count("…") == 6
        assert [text.count(f"{number}x") for number in range(10)] == [1, 1, 1, 1, 0, 1, 1, 0, 0, 0]

    def test_short_items_are_not_shortened_for_long_ones(self) -> None:
        """Only what is long loses characters."""
        todos = [todo("Current", "in_progress"), *(todo("y" * 100) for _ in range(3))]
        text = recap(a_board(rules=Rules(max_content=NO_LIMIT)).write(call(*todos)).plan)
        assert text.startswith("[0/4] In progress: Current. Pending: yyy")
        assert 290 < len(text) < 300

    @given(
        st.lists(
            st.tuples(st.text(min_size=1) | st.text("x", min_size=100, max_size=5000), st.sampled_from(list(Status)))
        )
    )
    def test_it_is_always_one_line_under_300_characters(self, items: list[tuple[str, Status]]) -> None:
        """Whatever a plan holds, its counts and its current item are in the recap, on one line, within the limit."""
        plan = Plan(tuple(Todo(str(number), content, status) for number, (content, status) in enumerate(items)))
        text = recap(plan)
        assert len(text) < 300
        assert len(text.splitlines()) == 1
        assert text.startswith(f"[{len(plan.done)}/{len(plan.todos)}] In progress: ")
        if plan.current is not None and plan.current.content.isalnum():
            assert f"In progress: {plan.current.content[:1]}" in text
