"""A session: the main agent's board, subagents with boards of their own, plan mode, and an event for the main agent."""

import logging
from pathlib import Path

import pytest

from holdfast import Change, Rules, Session, Todo
from holdfast.dialects import Traits
from holdfast.dialects.holdfast import Holdfast
from holdfast.errors import UsageError
from holdfast.stores.memory import MemoryStore

ONE = {"todos": [{"content": "A"}]}


class Planner(Holdfast):
    """A dialect whose tool may be used in plan mode."""

    traits = Traits(in_plan_mode=True)


class TestEvents:
    def test_the_listener_gets_the_list(self) -> None:
        """After a write, an edit, an update and a clear of the main agent's plan, the listener has its todos."""
        session, heard = Session(), list[list[str]]()
        session.on_todos(lambda todos: heard.append([todo.content for todo in todos]))
        session.board.write(ONE)
        session.board.edit("1", content="B")
        session.board.update([{"id": "1", "content": "C"}])
        session.board.clear()
        assert heard == [["A"], ["B"], ["C"], []]

    def test_a_refused_write_is_no_event(self) -> None:
        """Nothing is emitted where nothing was written."""
        session, heard = Session(), list[tuple[Todo, ...]]()
        session.on_todos(heard.append)
        session.board.write({"todos": [{"content": ""}]})
        assert heard == []

    def test_unsubscribing_ends_it(self) -> None:
        """A listener that unsubscribed is not called any more, and the others are."""
        session, heard, others = Session(), list[tuple[Todo, ...]](), list[tuple[Todo, ...]]()
        unsubscribe = session.on_todos(heard.append)
        session.on_todos(others.append)
        unsubscribe()
        session.board.write(ONE)
        assert (len(heard), len(others)) == (0, 1)

    def test_one_that_raises_silences_no_other(self, caplog: pytest.LogCaptureFixture) -> None:
        """A listener's error is logged, the write stands, and the listeners after it are called."""
        session, heard = Session(), list[tuple[Todo, ...]]()

        def broken(todos: tuple[Todo, ...]) -> None:
            raise RuntimeError("no")

        session.on_todos(broken)
        session.on_todos(heard.append)
        with caplog.at_level(logging.ERROR, "holdfast"):
            assert session.board.write(ONE).ok
        assert len(heard) == 1 and len(caplog.records) == 1


class TestSubagents:
    def test_a_name_is_a_board(self) -> None:
        """The same name gives the same board, another name another one, over the session's own store."""
        session = Session(store=MemoryStore(), name="run 7")
        board = session.subagent("explorer")
        assert session.subagent("explorer") is board
        assert session.subagent("tester") is not board
        assert board.store is session.board.store
        assert board.key == ("run 7", "explorer")

    def test_they_speak_the_sessions_dialect_under_its_rules(self) -> None:
        """What holds for the main agent's tool holds for a subagent's."""
        session = Session(dialect="mini", rules=Rules(max_items=1))
        board = session.subagent("explorer")
        assert board.tool() == session.board.tool()
        items = [{"content": "A", "activeForm": "A"}] * 2
        assert board.write({"items": items}).text == "Error: Max 1 todos allowed"

    def test_main_is_no_subagent(self) -> None:
        """The main agent's board is neither given out nor dismissed under its name."""
        session = Session()
        with pytest.raises(UsageError, match=r"Session\.board"):
            session.subagent("main")
        with pytest.raises(UsageError, match=r"Session\.board"):
            session.dismiss("main")

    def test_a_dismissed_list_is_gone_and_its_history_stays(self) -> None:
        """After a dismissal the subagent has no todos; what they were can still be read in the store."""
        session = Session(store=MemoryStore())
        board = session.subagent("explorer")
        board.write(ONE)
        session.dismiss("explorer")
        assert session.subagent("explorer") is not board
        assert session.subagent("explorer").plan.todos == ()
        assert [record.change.before.todos[0].content for record in board.history() if record.change.before.todos] == [
            "A"
        ]

    def test_one_of_an_earlier_run_can_be_dismissed(self) -> None:
        """A list that a subagent left in the store before a restart goes too, though this session never met it."""
        store = MemoryStore()
        Session(store=store, name="run").subagent("explorer").write(ONE)
        Session(store=store, name="run").dismiss("explorer")
        assert Session(store=store, name="run").subagent("explorer").plan.todos == ()

    def test_a_stranger_can_be_dismissed(self) -> None:
        """To dismiss a subagent that never wrote changes nothing."""
        session = Session(store=MemoryStore())
        session.dismiss("nobody")
        assert session.board.store.sessions() == []


class TestPlanMode:
    def test_the_tool_is_not_offered(self) -> None:
        """In plan mode the main agent has no tool; before and after it has."""
        session = Session()
        assert session.tools("anthropic") == [session.board.tool("anthropic")]
        session.plan_mode = True
        assert session.tools("anthropic") == []
        session.plan_mode = False
        assert len(session.tools()) == 1

    def test_a_call_is_refused_with_a_reason(self) -> None:
        """A call in plan mode is a fault, the plan stays, and no event comes."""
        session, heard = Session(), list[Change]()
        session.board.write(ONE)
        before = session.board.plan
        session.board.on_change(heard.append)
        session.plan_mode = True
        reply = session.board.write({"todos": []})
        assert [fault.code for fault in reply.faults] == ["plan_mode"]
        assert "in plan mode the todo list cannot be written" in reply.text
        assert session.board.plan is before and heard == []

    def test_people_may_still_edit(self) -> None:
        """Plan mode binds the model, not the person."""
        session = Session()
        session.plan_mode = True
        assert session.board.add("Mine").ok

    def test_a_dialect_may_allow_it(self) -> None:
        """What counts is the tool's own attribute: one that is available in plan mode is offered and works."""
        session = Session(dialect=Planner())
        session.plan_mode = True
        assert len(session.tools()) == 1
        assert session.board.write(ONE).ok


class TestCompletionLog:
    def test_an_envelope_session_with_a_root_logs(self, tmp_path: Path) -> None:
        """A session in the envelope dialect writes the completion log under its root by itself."""
        session = Session(dialect="envelope", root=tmp_path)
        reply = session.board.write({"summary": "S", "todos": [{"content": "A", "status": "completed"}]})
        assert reply.data is not None
        assert (tmp_path / reply.data["data"]["persisted_to"]).read_text(encoding="utf-8").startswith("# task1-")

    @pytest.mark.parametrize("root", [None, "the root"])
    def test_other_sessions_touch_no_file(self, tmp_path: Path, root: str | None) -> None:
        """Without a root, or in another dialect, nothing is written to disk."""
        where = None if root is None else tmp_path
        session = Session(dialect="envelope" if where is None else "holdfast", root=where)
        session.board.write({"summary": "S", "todos": [{"content": "A", "status": "completed"}]})
        assert list(tmp_path.iterdir()) == []
