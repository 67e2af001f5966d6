"""A board: one straight line from a payload to a reply, and a history of all of them."""

from collections import UserDict
from typing import Any, NoReturn

import pytest

from holdfast import Board, Change, Fault, HoldfastError, Plan, Reply, dialects
from holdfast.dialects import WIRE_FORMS
from holdfast.errors import StoreError, UsageError
from holdfast.stores.memory import MemoryStore

ABC: dict[str, Any] = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}
TWO_AT_ONCE: dict[str, Any] = {
    "todos": [{"content": "A", "status": "in_progress"}, {"content": "B", "status": "in_progress"}]
}


class TestWriting:
    def test_a_write_is_answered_with_the_plan(self) -> None:
        """A reply holds whether it went well, what the model reads, no faults, the plan as it is, and the change."""
        board = Board()
        reply = board.write(ABC)
        change = Change(Plan(), board.plan, "model", "write")
        assert reply == Reply(True, "Saved 1-3. 0/3 done. Next 1: A", None, (), board.plan, change)
        assert [todo.content for todo in board.plan.todos] == ["A", "B", "C"]

    def test_a_failed_write_changes_nothing_and_tells_no_one(self) -> None:
        """After a fault the plan is the same object, no listener was called, and the history has no new entry."""
        board = Board()
        board.write(ABC)
        before, heard = board.plan, list[Change]()
        board.on_change(heard.append)
        reply = board.write(TWO_AT_ONCE)
        assert not reply.ok and [fault.code for fault in reply.faults] == ["focus"]
        assert board.plan is before and reply.plan is before
        assert heard == [] and len(list(board.history())) == 1

    def test_an_unchanged_write_makes_no_revision(self) -> None:
        """The same list again is answered, and is no new entry in the history."""
        board = Board()
        board.write(ABC)
        before = board.plan
        assert board.write(ABC).ok
        assert board.plan is before and len(list(board.history())) == 1

    def test_a_missing_list_never_wipes(self) -> None:
        """A payload without a list is a fault that says how to clear; only the empty list does it."""
        board = Board()
        board.write(ABC)
        for payload in ({}, {"summary": "x"}, {"todos": None}, "{}", None):
            assert not board.write(payload).ok
            assert len(board.plan.todos) == 3
        assert "[] clears" in board.write({}).faults[0].message
        assert board.write({"todos": []}).ok
        assert board.plan.todos == ()

    def test_time_comes_from_the_clock(self) -> None:
        """What is stamped is stamped by the clock that the host gave."""
        board = Board(clock=lambda: 1234.5)
        board.write({"todos": [{"content": "A", "status": "in_progress"}]})
        assert board.plan.updated_at == board.plan.todos[0].started_at == 1234.5

    def test_another_dialect_may_be_spoken(self) -> None:
        """A single write can be in another dialect than the board's own; the plan is the same one."""
        board = Board()
        board.write(ABC)
        reply = board.write_in(dialects.get("mini"), {"items": [{"content": "A", "activeForm": "A now"}]})
        assert reply.text == "[ ] A\n\n(0/1 completed)"
        assert board.plan.todos[0].id == "1"

    def test_a_gate_refuses_before_anything_is_read(self) -> None:
        """A gate of the host can refuse the model's writes, with its own words, and nothing else."""
        board = Board()
        board.on_write(lambda: Fault("", "not now", "closed"))
        reply = board.write(ABC)
        assert [fault.message for fault in reply.faults] == ["not now"]
        assert board.add("A").ok

    def test_a_payload_that_breaks_when_it_is_read_is_a_write(self) -> None:
        """Nobody can say what it asks for: so a gate is asked, as before any write."""

        class Broken(UserDict[str, object]):
            def __iter__(self) -> NoReturn:
                raise RuntimeError("broken")

        board = Board(dialect="hermes")
        board.on_write(lambda: Fault("", "not now", "closed"))
        assert [fault.code for fault in board.write(Broken(merge=True)).faults] == ["closed"]

    def test_a_bad_request_for_the_plan_is_refused(self) -> None:
        """A call that writes nothing can be wrong, too."""
        reply = Board(dialect="hermes").write({"merge": "yes"})
        assert [(fault.path, fault.code) for fault in reply.faults] == [("merge", "type")]

    def test_a_hosts_change_is_not_a_request_for_the_plan(self) -> None:
        """It is answered as a change, and a listener hears of it."""
        board, heard = Board(dialect="kimi"), list[object]()
        board.on_change(heard.append)
        assert board.update([{"content": "A"}]).text == "Todo list updated."
        assert len(heard) == 1


class TestMaking:
    def test_an_unknown_dialect_is_a_usage_error(self) -> None:
        """An unknown dialect is refused with the names of the known ones."""
        with pytest.raises(UsageError, match="no dialect 'klingon'; there are holdfast, envelope"):
            Board(dialect="klingon")  # type: ignore[arg-type] # what an unchecked host sends

    def test_an_unknown_wire_form_is_a_usage_error(self) -> None:
        """An unknown wire form is refused with the names of the known ones."""
        with pytest.raises(UsageError, match="no wire form 'soap'; there are anthropic, openai"):
            Board().tool("soap")  # type: ignore[arg-type] # what an unchecked host sends

    def test_usage_errors_are_holdfasts_own(self) -> None:
        """One `except HoldfastError` is enough for a host, and a ValueError is what others expect."""
        assert issubclass(UsageError, HoldfastError) and issubclass(UsageError, ValueError)
        assert issubclass(StoreError, HoldfastError)

    def test_every_wire_form_has_the_tools_name(self) -> None:
        """Each wire form names the tool, at the place where its provider looks."""
        for form in WIRE_FORMS:
            tool = Board().tool(form)
            assert (tool["function"] if form == "openai" else tool)["name"] == "TodoWrite"

    def test_boards_are_told_apart_by_session_and_agent(self) -> None:
        """Boards on one store share a plan if session and agent are the same, and only then."""
        store = MemoryStore()
        Board(store=store).write(ABC)
        assert len(Board(store=store).plan.todos) == 3
        assert Board(store=store, session="other").plan == Plan()
        assert Board(store=store, agent="sub").plan == Plan()


class TestClosing:
    def test_a_finished_plan_is_closed(self) -> None:
        """After the last todo is done, the next list is the next plan, its ids from 1; the old one is history."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "completed"}]})
        assert board.plan.is_finished
        board.write({"todos": [{"content": "B"}]})
        assert (board.plan.number, board.plan.todos[0].id) == (2, "1")
        assert [record.change.after.number for record in board.history()] == [2, 1]

    def test_clear_closes(self) -> None:
        """A plan that was cleared is over; clearing it once more changes nothing."""
        board = Board()
        board.write(ABC)
        assert board.clear().ok and board.plan.todos == ()
        revision = board.plan.revision
        board.clear()
        assert board.plan.revision == revision
        board.mark_edits_told()
        board.write(ABC)
        assert board.plan.number == 2

    def test_an_update_by_id_keeps_a_finished_plan(self) -> None:
        """Naming a todo of a finished plan by its id reopens that plan."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "completed"}]})
        board.write({"todos": [{"id": "1", "status": "pending"}]})
        assert (board.plan.number, board.plan.open[0].id) == (1, "1")


class TestHistory:
    def test_it_is_newest_first(self) -> None:
        """The history has every change, the newest first, each with its plan before and after."""
        board = Board()
        board.write(ABC)
        board.remove("2")
        assert [record.change.action for record in board.history()] == ["remove", "write"]

    def test_a_plan_can_be_seen_as_it_was(self) -> None:
        """Every revision can be looked at again; one that never was is a usage error."""
        board = Board()
        replies = [board.write(ABC), board.edit("1", content="X"), board.remove("3")]
        assert board.at(0) == Plan()
        assert [board.at(revision) for revision in (1, 2, 3)] == [reply.plan for reply in replies]
        with pytest.raises(UsageError, match="no revision 9: the history goes up to 3"):
            board.at(9)

    def test_undo_takes_back_one_change_after_the_other(self) -> None:
        """Undo takes the newest change back that still stands, whoever made it, until there is nothing left."""
        board = Board()
        board.write(ABC)
        board.edit("1", content="X")
        assert board.undo().ok and [todo.content for todo in board.plan.todos] == ["A", "B", "C"]
        assert board.undo().ok and board.plan.todos == ()
        reply = board.undo()
        assert [fault.code for fault in reply.faults] == ["nothing_to_undo"]

    def test_undo_brings_a_closed_plan_back(self) -> None:
        """The first write of a new plan, taken back, leaves the todos before it, under ids that were never given.

        The model is told, and its next list does not take them off again.
        """
        board = Board()
        board.write({"todos": [{"content": "A", "status": "completed"}]})
        board.write({"todos": [{"content": "B"}]})
        assert board.plan.number == 2
        assert board.undo().ok
        assert (board.plan.number, [(todo.id, todo.content) for todo in board.plan.todos]) == (2, [("2", "A")])
        assert board.plan.revision == 3
        reply = board.write({"todos": [{"content": "B"}]})
        assert 'The user changed the plan: added 2 ("A"), completed; removed 1 ("B").' in reply.text
        assert [todo.content for todo in board.plan.todos] == ["A"]

    def test_an_undone_write_of_the_model_is_told(self) -> None:
        """The model is told that a person took its write back, and does not bring it back by accident."""
        board = Board()
        board.write(ABC)
        payload = {"todos": [*ABC["todos"], {"content": "D"}]}
        board.write(payload)
        board.undo()
        assert 'removed 4 ("D")' in board.write(payload).text
        assert [todo.content for todo in board.plan.todos] == ["A", "B", "C"]


def test_a_counter_that_fails_never_fails_a_write() -> None:
    """Counting is no promise: what it raises stays out of the reply."""
    board = Board()
    board.count_tokens(lambda text: 1 // 0)
    assert board.write({"todos": [{"content": "A"}]}).ok
