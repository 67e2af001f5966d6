"""What people and hosts may ask of a plan, what becomes of it, and what they are refused."""

import pytest
from edited import Act, board_of

from holdfast import Board, Rules
from holdfast.board.person_steps import mark_told
from holdfast.plan import edits
from holdfast.plan.fault import Fault
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

    @pytest.mark.parametrize(
        ("todo", "path", "code"),
        [
            ({"content": "x" * 201}, "todos[0].content", "too_long"),
            ({"content": 7}, "todos[0].content", "type"),
            ({"content": "A", "colour": "red"}, "todos[0]", "unknown_key"),
        ],
    )
    def test_what_the_rules_forbid_is_refused(self, todo: dict[str, object], path: str, code: str) -> None:
        """A host's todo is checked like a model's, and nothing changes."""
        board = board_of("A")
        before = board.plan
        reply = board.update([todo])
        assert [(fault.path, fault.code) for fault in reply.faults] == [(path, code)]
        assert board.plan is before

    @pytest.mark.parametrize("key", ["activeForm", "active_form"])
    def test_an_active_form_goes_by_two_names(self, key: str) -> None:
        """A host in Python may write it as Python does."""
        board = Board()
        assert board.update([{"content": "Fix", key: "Fixing"}]).ok
        assert board.plan.todos[0].active_form == "Fixing"

    def test_an_active_form_is_asked_for_where_the_dialect_has_one(self) -> None:
        """What the model's own schema requires of a new todo, a host must say too; a known todo has it."""
        board = Board(dialect="claude-code")
        reply = board.update([{"content": "Fix"}])
        assert [(fault.path, fault.code) for fault in reply.faults] == [("todos[0].activeForm", "missing")]
        assert board.update([{"content": "Fix", "activeForm": "Fixing"}]).ok
        assert board.update([{"id": "1", "status": "in_progress"}]).ok

    def test_a_persons_edits_stay_to_be_told(self) -> None:
        """A host that changes something else does not make the model miss what a person did."""
        board = board_of("A", "B", "C")
        board.edit("1", content="A2")
        board.remove("2")
        board.update([{"id": "3", "content": "C2"}])
        told = board.write({"todos": [{"id": "1", "status": "completed"}]}).text.splitlines()[-1]
        assert told == 'The user changed the plan: 1 ("A") now reads "A2"; removed 2 ("B").'

    def test_what_a_host_takes_out_nobody_edited(self) -> None:
        """The model is not told of an edit to a todo that a host has removed, but of the others."""
        board = board_of("A", "B", "C")
        board.edit("1", content="A2")
        board.edit("2", content="B2")
        before = board.plan.revision
        board.update([{"id": "1"}, {"content": "D"}])
        assert board.plan.revision == before + 1
        told = board.write({"todos": [{"id": "1", "status": "completed"}]}).text.splitlines()[-1]
        assert told == 'The user changed the plan: 1 ("A") now reads "A2".'


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
        """An edit that changes nothing is answered, makes no revision, and leaves nothing to report."""
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
        """An edit of a todo that is not there, or to what the rules forbid, is a fault; no listener is called."""
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
        assert full.add("One too many").faults == (
            Fault("todos", "at most 10000 todos, received 10001", "too_many", None, "todos", 10_000, "10001"),
        )

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
    (fault,) = reply.faults
    assert (fault.path, fault.message, fault.code, fault.field) == ("id", "required: which todo it is", "missing", "id")


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


def test_a_person_begins_the_first_plan() -> None:
    """The first todo of an unused board is of its first plan."""
    board = Board()
    board.add("A")
    assert (board.plan.number, board.plan.todos[0].id) == (1, "1")


def test_a_plan_of_one_todo_is_closed_by_clearing_it_too() -> None:
    """What a person adds once the model knows of it is of the next plan."""
    board = board_of("A")
    board.clear()
    board.mark_edits_told()
    board.add("B")
    assert (board.plan.number, board.plan.todos[0].id) == (2, "1")


def test_clearing_an_edited_plan_is_one_revision_and_one_thing_to_tell() -> None:
    """The model is not told of edits in a plan that is gone, but that it is gone."""
    board = board_of("A", "B")
    board.edit("1", content="A2")
    board.add("C")
    before = board.plan.revision
    board.clear()
    assert board.plan.revision == before + 1
    assert edits.describe(board.plan) == "The user cleared the plan."


def test_a_cleared_plan_is_told_and_upheld() -> None:
    """The model's next list does not bring it back; what is new in it begins the next plan; after that it may."""
    old = {"todos": [{"content": "A"}, {"content": "B"}]}
    board = Board()
    board.write(old)
    board.clear()
    reply = board.write(old)
    assert reply.ok and "The user cleared the plan." in reply.text and not board.plan.todos
    board.write(old)
    assert [todo.content for todo in board.plan.todos] == ["A", "B"]
    board.clear()
    board.write({"todos": [{"content": "A"}, {"content": "New"}]})
    assert [todo.content for todo in board.plan.todos] == ["New"]


def test_a_person_may_add_where_too_many_run() -> None:
    """What the model has started under other rules is not this person's doing."""
    model = Board(dialect="hermes")
    model.write({"todos": [{"id": id, "content": id, "status": "in_progress"} for id in "12"]})
    person = Board(dialect="holdfast", store=model.store)
    assert person.add("Mine").ok
    assert [todo.content for todo in person.plan.todos] == ["1", "2", "Mine"]


def test_a_person_may_add_to_any_plan_by_a_tool_for_people() -> None:
    """The page and the command line take a todo more than the model's own limit."""
    board = board_of(*"ABCDEFGHIJ" * 5)
    assert Board.for_person(board.store, "default").add("One more").ok


def test_undo_takes_back_what_a_person_did_and_not_that_it_was_told() -> None:
    """Marking edits as told is not a change to undo."""
    board = board_of("A", "B")
    board.edit("2", content="B2")
    board.mark_edits_told()
    assert board.undo().ok
    assert [todo.content for todo in board.plan.todos] == ["A", "B"]


class TestTelling:
    def test_it_is_one_revision(self) -> None:
        """That the model was told is kept, so that no other process tells it again."""
        board = board_of("A")
        board.edit("1", content="A2")
        before = board.plan
        board.mark_edits_told()
        assert (board.plan.revision, board.plan.edits, board.plan.seen) == (before.revision + 1, (), ())
        assert board.plan.todos == before.todos

    def test_with_nothing_to_tell_nothing_changes(self) -> None:
        """The same holds if another process has told the model in the meantime."""
        board = board_of("A")
        board.edit("1", content="A2")
        heard = board.plan
        board.mark_edits_told()
        before = board.plan
        for plan in (heard, before, None):
            assert board.apply(mark_told(plan), "told").ok
        assert board.plan is before

    def test_what_was_heard_of_is_told(self) -> None:
        """The model was told of a plan with all edits: nothing is left to report."""
        board = board_of("A")
        board.edit("1", content="A2")
        board.mark_edits_told(board.plan)
        assert board.plan.edits == ()

    def test_an_edit_after_that_stays(self) -> None:
        """Then all of them still have to be told."""
        board = board_of("A")
        board.edit("1", content="A2")
        heard = board.plan
        board.edit("1", content="A3")
        before = board.plan
        board.mark_edits_told(heard)
        assert board.plan is before
