"""What people and hosts may ask of a plan, what becomes of it, and what they are refused."""

import pytest
from edited import Act, board_of

from holdfast import Board, Rules
from holdfast.plan.rules import CEILING_ITEMS

ABC = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}


class TestHostUpdates:
    def test_known_ids_change_field_by_field(self) -> None:
        """If every todo carries a known id, only those change, and only in what they name."""
        board = Board()
        board.write(ABC)
        reply = board.update([{"id": "2", "status": "completed"}])
        assert reply.ok
        assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
            ("A", "pending"),
            ("B", "completed"),
            ("C", "pending"),
        ]

    @pytest.mark.parametrize("extra", [{"content": "D"}, {"id": "99", "content": "D"}])
    def test_anything_new_makes_it_the_whole_list(self, extra: dict[str, object]) -> None:
        """A todo without an id, or with a new one, makes the update a replacement."""
        board = Board()
        board.write(ABC)
        board.update([{"id": "2", "status": "completed"}, extra])
        assert [todo.content for todo in board.plan.todos] == ["B", "D"]
        assert board.plan.todos[0].id == "2"

    def test_the_merged_list_obeys_the_rules(self) -> None:
        """An update that would leave two todos in progress is refused, though it names only one."""
        board = Board()
        board.write(ABC)
        board.update([{"id": "1", "status": "in_progress"}])
        before = board.plan
        reply = board.update([{"id": "2", "status": "in_progress"}])
        assert [fault.code for fault in reply.faults] == ["focus"]
        assert board.plan is before

    def test_a_new_todo_needs_a_text(self) -> None:
        """A host's new todo that says nothing is refused."""
        board = Board()
        reply = board.update([{"id": "7"}])
        assert [(fault.path, fault.code) for fault in reply.faults] == [("todos[0].content", "missing")]

    def test_it_is_the_hosts_change(self) -> None:
        """The history says that it was the host."""
        board = Board()
        board.update([{"content": "A"}])
        assert [record.change.by for record in board.history()] == ["host"]


class TestEditsOfNothing:
    @pytest.mark.parametrize(
        "act",
        [
            pytest.param(lambda board: board.edit("2"), id="nothing said"),
            pytest.param(lambda board: board.edit("2", content="B", status="pending"), id="nothing new"),
            pytest.param(lambda board: board.move("2", 1), id="moved to where it is"),
        ],
    )
    def test_it_is_no_change(self, act: Act) -> None:
        """An edit that changes nothing is answered, makes no revision, and there is nothing to tell."""
        board = board_of("A", "B")
        before = board.plan
        assert act(board).ok
        assert board.plan is before and board.plan.edits == ()


class TestEditsThatCannotBe:
    @pytest.mark.parametrize(
        ("act", "message"),
        [
            (lambda board: board.edit("9", content="X"), "no todo 9; the plan has 1, 2"),
            (lambda board: board.remove("9"), "no todo 9; the plan has 1, 2"),
            (lambda board: board.move("9", 0), "no todo 9; the plan has 1, 2"),
            (lambda board: board.edit("1", content="  "), "must not be blank"),
            (lambda board: board.edit("1", status="sleeping"), "expected one of pending,"),
            (lambda board: board.edit("1", content="x" * 201), "at most 200 characters, received 201"),
            (lambda board: board.add(""), "must not be blank"),
            (lambda board: board.add("x" * 201), "at most 200 characters, received 201"),
        ],
    )
    def test_it_is_refused_and_nothing_changes(self, act: Act, message: str) -> None:
        """An edit of a todo that is not there, or to what the rules forbid, is a fault; nobody hears of it."""
        board = board_of("A", "B")
        before, heard = board.plan, list[object]()
        board.on_change(heard.append)
        reply = act(board)
        assert not reply.ok and message in reply.faults[0].message
        assert board.plan is before and heard == []

    def test_there_is_a_limit_for_people_too(self) -> None:
        """A person may add more todos than the model may write, but not more than any board takes."""
        board = board_of(*"ABCDEFGHIJ" * 5)
        assert board.add("One more").ok
        full = Board(rules=Rules(max_items=CEILING_ITEMS))
        assert full.update([{"content": "A"}] * CEILING_ITEMS).ok
        assert [fault.code for fault in full.add("One too many").faults] == ["too_many"]

    def test_ids_may_be_numbers(self) -> None:
        """A host may name a todo by a number where the id is one."""
        board = board_of("A")
        assert board.edit(1, content="X").ok  # type: ignore[arg-type] # that is the point
        assert board.plan.todos[0].content == "X"


def test_a_person_may_start_several_where_the_rules_let_them() -> None:
    """Starting a todo takes the focus off another one only if there would be too many."""
    board = Board(rules=Rules(max_in_progress=2))
    board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]})
    for id in ("1", "2", "3"):
        board.edit(id, status="in_progress")
    assert [str(todo.status) for todo in board.plan.todos] == ["pending", "in_progress", "in_progress"]


def test_an_edit_without_an_id_is_a_fault() -> None:
    """An edit of no todo says what is missing."""
    reply = Board().edit(None, status="completed")  # type: ignore[arg-type] # what a careless host sends
    assert reply.faults[0].path == "id"


def test_a_person_takes_the_focus_off_nobody_while_there_is_room() -> None:
    """With four at once allowed, a third one is started beside the two that run."""
    board = Board(rules=Rules(max_in_progress=4))
    running = {"status": "in_progress"}
    board.write({"todos": [{"content": "A", **running}, {"content": "B", **running}, {"content": "C"}]})
    board.edit("3", status="in_progress")
    assert len([todo for todo in board.plan.todos if todo.status == "in_progress"]) == 3


def test_a_host_that_closes_a_plan_leaves_nothing_to_tell_of_it() -> None:
    """What a person changed in a plan that a host has cleared is no news for the next one."""
    board = board_of("A", "B")
    board.remove("1")
    board.update([])
    assert (board.plan.edits, board.plan.seen) == ((), ())


def test_a_host_that_clears_an_empty_plan_leaves_nothing_untold() -> None:
    """It is a change like any other, so that the reply and the store agree, though no todo is left to change."""
    board = board_of("A")
    board.remove("1")
    before = board.plan
    reply = board.update([])
    assert reply.plan == board.plan
    assert (board.plan.edits, board.plan.seen, board.plan.revision) == ((), (), before.revision + 1)
    assert board.update([]).plan is board.plan
