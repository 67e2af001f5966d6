"""The `sema` dialect against every line of its contract."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Board, Session, Status, Todo
from holdfast.dialects import Traits
from holdfast.stores.memory import MemoryStore

UPDATED = "The todo list was updated. Keep it current as you work, and go on with the task in progress."


def item(
    content: str = "Read", status: str = "pending", active_form: str = "Reading", **more: object
) -> dict[str, Any]:
    """One item of the model's call."""
    return {"content": content, "status": status, "activeForm": active_form, **more}


def without(key: str) -> dict[str, Any]:
    """An item that lacks a key."""
    return {name: value for name, value in item().items() if name != key}


@pytest.fixture
def board() -> Board:
    """A board with one todo on it."""
    board = Board(dialect="sema", clock=lambda: 1.0)
    assert board.write({"todos": [item("Old", "in_progress", "Aging")]}).ok
    return board


ACCEPTED = {
    "the list field is todos, with content, status and activeForm": [item()],
    "the status pending": [item(status="pending")],
    "the status in_progress": [item(status="in_progress")],
    "the status completed": [item(status="completed")],
    "one in progress is allowed": [item("A", "in_progress"), item("B", "completed"), item("C")],
    "none in progress is allowed": [item("A"), item("B")],
    "there is no limit to the items": [item(f"Step {number}") for number in range(1000)],
    "there is no limit to the characters": [item("x" * 50_000, active_form="y" * 50_000)],
    "an empty list clears": [],
}

REFUSED: dict[str, tuple[Any, int, str]] = {
    "more than one in progress is code 2": (
        [item(status="in_progress"), item(status="in_progress")],
        2,
        "Only one task can be in_progress at a time",
    ),
    "empty content is code 3": ([item("")], 3, "Todo at index 0 has empty content"),
    "blank content is empty": ([item("A"), item(" \n\t")], 3, "Todo at index 1 has empty content"),
    "empty activeForm is code 5": ([item(active_form="")], 5, "Todo at index 0 has empty activeForm"),
    "blank activeForm is empty": ([item(), item(active_form="  ")], 5, "Todo at index 1 has empty activeForm"),
    "2 comes before 3": (
        [item("", "in_progress"), item("B", "in_progress")],
        2,
        "Only one task can be in_progress at a time",
    ),
    "2 comes before 5": (
        [item("A", "in_progress", ""), item("B", "in_progress")],
        2,
        "Only one task can be in_progress at a time",
    ),
    "3 comes before 5 in one item": ([item("", active_form="")], 3, "Todo at index 0 has empty content"),
    "3 comes before 5 over all items": (
        [item(active_form=""), item("")],
        3,
        "Todo at index 1 has empty content",
    ),
    "a missing content": ([without("content")], 1, "todos[0].content: required"),
    "a missing status: there is no default": ([without("status")], 1, "todos[0].status: required"),
    "a missing activeForm": ([without("activeForm")], 1, "todos[0].activeForm: required"),
    "an unknown status": (
        [item(status="done")],
        1,
        "todos[0].status: expected one of pending, in_progress, completed, received 'done'",
    ),
    "cancelled is not one of the three": (
        [item(status="cancelled")],
        1,
        "todos[0].status: expected one of pending, in_progress, completed, received 'cancelled'",
    ),
    "letter case counts": (
        [item(status="Pending")],
        1,
        "todos[0].status: expected one of pending, in_progress, completed, received 'Pending'",
    ),
    "an unknown key": (
        [item(extra=1)],
        1,
        "todos[0]: unknown key 'extra'; an item has activeForm, content, status",
    ),
    "an id is an unknown key: the model's schema has none": (
        [item(id="1")],
        1,
        "todos[0]: unknown key 'id'; an item has activeForm, content, status",
    ),
    "a content that is a number": ([item(content=7)], 1, "todos[0].content: expected text, received the number 7"),  # type: ignore[arg-type] # that is the point
    "a list that is an object": ({"content": "A"}, 1, "todos: expected a list, received an object"),
    "of many faults, the first is told": (
        [item(status="x"), item(status="y"), item("")],
        1,
        "todos[0].status: expected one of pending, in_progress, completed, received 'x'",
    ),
}


@pytest.mark.parametrize("todos", ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_accepted(board: Board, todos: list[dict[str, Any]]) -> None:
    """The whole list replaces the old one, and the reply is the fixed sentence."""
    reply = board.write({"todos": todos})
    assert (reply.ok, reply.text, reply.data) == (True, UPDATED, None)
    assert [
        {"content": todo.content, "status": str(todo.status), "activeForm": todo.active_form}
        for todo in board.plan.todos
    ] == todos


@pytest.mark.parametrize(("todos", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(board: Board, todos: object, code: int, message: str) -> None:
    """A fault is an error result with its code, one fault at a time, and the old list stays."""
    before = board.plan
    reply = board.write({"todos": todos})
    assert not reply.ok
    assert reply.data == {"code": code, "message": message}
    assert reply.text == f"Error: {message}"
    assert [(fault.code, fault.message) for fault in reply.faults] == [(code, message)]
    assert board.plan is before


class TestTheTool:
    def test_its_name_and_its_list(self, board: Board) -> None:
        """The tool is TodoWrite, and its one parameter the list todos."""
        tool = board.tool("json")
        assert tool["name"] == "TodoWrite"
        assert tool["parameters"]["required"] == ["todos"]
        assert set(tool["parameters"]["properties"]) == {"todos"}

    def test_its_schema_has_no_id_and_no_room(self, board: Board) -> None:
        """An item has exactly content, status and activeForm, all of them required."""
        items = board.tool("json")["parameters"]["properties"]["todos"]["items"]
        assert set(items["properties"]) == set(items["required"]) == {"content", "status", "activeForm"}
        assert items["additionalProperties"] is False
        assert items["properties"]["status"]["enum"] == ["pending", "in_progress", "completed"]

    def test_its_attributes(self, board: Board) -> None:
        """A host reads off the tool that it writes, so runs serially, needs no permission, and not in plan mode."""
        assert board.traits == Traits(read_only=False, needs_permission=False, in_plan_mode=False)

    def test_texts_are_stored_as_given(self, board: Board) -> None:
        """Spaces around a text stay."""
        board.write({"todos": [item(" A ", active_form="\tB")]})
        assert (board.plan.todos[0].content, board.plan.todos[0].active_form) == (" A ", "\tB")

    def test_the_reply_does_not_echo_the_list(self, board: Board) -> None:
        """The same sentence answers every write, whatever is on the list."""
        assert {board.write({"todos": [item(text)]}).text for text in ("A", "B")} == {UPDATED}


class TestSmartUpdate:
    """Ids are the host's: `board.update` takes them, the model's tool does not."""

    @pytest.fixture
    def board(self) -> Board:
        """A board with three todos on it."""
        board = Board(dialect="sema")
        board.write({"todos": [item("A", "in_progress", "A-ing"), item("B"), item("C")]})
        return board

    def test_known_ids_change_only_those_todos(self, board: Board) -> None:
        """When every todo carries a known id, those change field by field, and the rest stay as they are."""
        untouched = board.plan.todos[1]
        reply = board.update([{"id": "1", "status": "completed"}, {"id": "3", "content": "C2"}])
        assert (reply.ok, reply.text) == (True, UPDATED)
        assert [(todo.id, todo.content, str(todo.status), todo.active_form) for todo in board.plan.todos] == [
            ("1", "A", "completed", "A-ing"),
            ("2", "B", "pending", "Reading"),
            ("3", "C2", "pending", "Reading"),
        ]
        assert board.plan.todos[1] is untouched

    @pytest.mark.parametrize(
        "todos",
        [
            pytest.param([item("New")], id="no id"),
            pytest.param([item("A", id="1"), item("New")], id="one without an id"),
            pytest.param([item("A", id="1"), item("New", id="77")], id="one with a new id"),
        ],
    )
    def test_anything_else_replaces_the_list(self, board: Board, todos: list[dict[str, Any]]) -> None:
        """A missing or a new id makes it the whole list; known ids keep their todos."""
        board.update(todos)
        assert [todo.content for todo in board.plan.todos] == [todo["content"] for todo in todos]
        assert [todo.id == "1" for todo in board.plan.todos] == [todo["content"] == "A" for todo in todos]

    @pytest.mark.parametrize(
        ("change", "code", "message"),
        [
            ({"id": "2", "status": "in_progress"}, 2, "Only one task can be in_progress at a time"),
            ({"id": "2", "content": " "}, 3, "Todo at index 0 has empty content"),
            ({"id": "2", "activeForm": ""}, 5, "Todo at index 0 has empty activeForm"),
            ({"id": "9"}, 1, "todos[0].content: required"),
            ({"id": "9", "content": "New"}, 1, "todos[0].activeForm: required"),
            ({"content": "New"}, 1, "todos[0].activeForm: required"),
        ],
    )
    def test_the_merged_list_obeys_the_same_rules(
        self, board: Board, change: dict[str, str], code: int, message: str
    ) -> None:
        """An update is judged by the list that it leaves, with the codes of the tool."""
        before = board.plan
        assert board.update([change]).data == {"code": code, "message": message}
        assert board.plan is before

    def test_the_event_carries_the_whole_merged_list(self) -> None:
        """A listener of `todos:update` gets every todo, not only those that changed."""
        session = Session(dialect="sema")
        session.board.write({"todos": [item("A"), item("B")]})
        heard: list[tuple[Todo, ...]] = []
        session.on_todos(heard.append)
        session.board.update([{"id": "2", "status": "completed"}])
        assert [[(todo.content, todo.status) for todo in todos] for todos in heard] == [
            [("A", Status.PENDING), ("B", Status.COMPLETED)]
        ]

    def test_through_the_tool_it_is_always_the_whole_list(self, board: Board) -> None:
        """The model's write replaces, even where every text is known; ids stay by exact text."""
        board.write({"todos": [item("C", "in_progress")]})
        assert [(todo.id, todo.content) for todo in board.plan.todos] == [("3", "C")]


class TestAgents:
    def test_the_main_agent_emits_after_each_successful_write(self) -> None:
        """`todos:update` comes once a write that succeeded, with the list, also where the list did not change."""
        session = Session(dialect="sema")
        heard: list[list[str]] = []
        session.on_todos(lambda todos: heard.append([todo.content for todo in todos]))
        session.board.write({"todos": [item("A")]})
        session.board.write({"todos": [item("A")]})
        session.board.write({"todos": [item("")]})
        session.board.write({"todos": []})
        assert heard == [["A"], ["A"], []]

    def test_a_subagent_emits_nothing(self) -> None:
        """What a subagent writes is no event of the session."""
        session = Session(dialect="sema")
        heard: list[object] = []
        session.on_todos(heard.append)
        assert session.subagent("explorer").write({"todos": [item("A")]}).ok
        assert heard == []

    def test_a_subagents_list_is_its_own_and_goes_with_it(self) -> None:
        """A subagent neither sees nor changes another list, and after it is dismissed nothing of its list is left."""
        session = Session(dialect="sema", store=MemoryStore())
        session.board.write({"todos": [item("Main")]})
        explorer = session.subagent("explorer")
        explorer.write({"todos": [item("Explore")]})
        assert [todo.content for todo in session.board.plan.todos] == ["Main"]
        assert session.subagent("tester").plan.todos == ()
        session.dismiss("explorer")
        assert session.subagent("explorer").plan.todos == ()
        assert [todo.content for todo in session.board.plan.todos] == ["Main"]

    def test_plan_mode_offers_no_tool_and_refuses_a_call(self) -> None:
        """In plan mode the main agent has no such tool, and a call is refused with a reason; later both are back."""
        session = Session(dialect="sema")
        session.plan_mode = True
        assert session.tools() == []
        reply = session.board.write({"todos": [item()]})
        assert not reply.ok and reply.text.startswith("Error: in plan mode the todo list cannot be written")
        assert reply.data is not None and reply.data["code"] == "plan_mode"
        assert session.board.plan.todos == ()
        session.plan_mode = False
        assert [tool["name"] for tool in session.tools()] == ["TodoWrite"]
        assert session.board.write({"todos": [item()]}).ok


def test_rendering(board: Board) -> None:
    """A host shows one line per todo, the one in progress by its active form."""
    board.write({"todos": [item("Read", "completed"), item("Fix", "in_progress", "Fixing"), item("Test")]})
    assert board.dialect.render(board.plan) == "✓ Read\n● Fixing\n○ Test"


def test_what_a_model_reads(board: Board, snapshot: Callable[[str, str], None]) -> None:
    """Definition, prompt and replies are what was read and approved."""
    snapshot("sema-definition.json", json.dumps(board.tool("anthropic"), indent=2, ensure_ascii=False))
    snapshot("sema-prompt.txt", board.prompt)
    replies = {"the list was taken": board.write({"todos": [item()]}).text}
    for rule, (todos, _, _) in REFUSED.items():
        replies[rule] = board.write({"todos": todos}).text
    snapshot("sema-replies.txt", "\n".join(f"{rule}\n    {text}" for rule, text in replies.items()))
