"""The `claude-tasks` dialect: four tools on one plan."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from strategies import hostile_texts, json_values, obeyed

from holdfast import Board, Change, Reply, Rules, Status, dialects
from holdfast.dialects import WIRE_FORMS, WireForm
from holdfast.errors import UsageError
from holdfast.plan import Details
from holdfast.plan.fault import Fault

TOOLS = ("TaskCreate", "TaskUpdate", "TaskGet", "TaskList")


def create(board: Board, subject: str, **more: object) -> Reply:
    """A new task."""
    return board.write({"subject": subject, "description": f"{subject} in full", **more}, tool="TaskCreate")


def update(board: Board, id: str, **more: object) -> Reply:
    """A change of a task."""
    return board.write({"taskId": id, **more}, tool="TaskUpdate")


def listed(board: Board) -> str:
    """What the model sees of all tasks."""
    return board.write({}, tool="TaskList").text


@pytest.fixture
def board() -> Board:
    """A board with three tasks."""
    board = Board(dialect="claude-tasks", clock=lambda: 1.0)
    for subject in ("Read", "Fix", "Test"):
        assert create(board, subject).ok
    return board


class TestNamingWhatChanged:
    CHANGES: tuple[tuple[str, object], ...] = (
        ("subject", "Read on"),
        ("description", "Read it all"),
        ("activeForm", "Reading"),
        ("status", "in_progress"),
        ("owner", "me"),
        ("metadata", {"ticket": 7}),
    )

    @pytest.mark.parametrize(("field", "value"), CHANGES)
    def test_a_field_that_is_changed_is_named(self, board: Board, field: str, value: object) -> None:
        """Alone; and not when it is restated."""
        assert update(board, "1", **{field: value}).text == f"Updated task #1 {field}"
        assert update(board, "1", **{field: value}).text == "Task #1 is as it was"

    def test_all_of_them_are_named_in_one_order(self, board: Board) -> None:
        """Whatever the order of the call is; which tasks wait comes last."""
        more: dict[str, object] = {"addBlockedBy": ["2"], "addBlocks": ["3"], **dict(reversed(self.CHANGES))}
        reply = update(board, "1", **more)
        assert reply.data is not None
        assert reply.data["updatedFields"] == [*dict(self.CHANGES), "blocks", "blockedBy"]

    def test_a_task_that_only_blocks_another_is_named_for_that(self, board: Board) -> None:
        """Nothing in it has changed but what waits for it."""
        assert update(board, "1", addBlocks=["3"], status="completed").text == "Updated task #1 status, blocks"
        assert update(board, "1", status="deleted").text == "Updated task #1 deleted"


class TestCreating:
    def test_a_task_is_answered_with_its_number(self, board: Board) -> None:
        """It is pending, and has all that was said of it."""
        reply = create(board, "Ship", activeForm="Shipping", metadata={"ticket": 7, "none": None})
        assert reply.text == "Task #4 created successfully: Ship"
        assert reply.data == {"task": {"id": "4", "subject": "Ship"}}
        todo = board.plan.todos[3]
        assert (todo.status, todo.active_form) == (Status.PENDING, "Shipping")
        assert todo.details == Details("Ship in full", metadata='{"ticket":7}')

    def test_an_active_form_may_have_its_key_in_either_spelling(self, board: Board) -> None:
        """Models know both."""
        create(board, "Ship", activeForm="Shipping")
        create(board, "Tell", active_form="Telling")
        assert [todo.active_form for todo in board.plan.todos[3:]] == ["Shipping", "Telling"]

    def test_the_same_subject_is_another_task(self, board: Board) -> None:
        """Only their numbers distinguish tasks."""
        assert create(board, "Read").text == "Task #4 created successfully: Read"
        assert len(board.plan.todos) == 4

    def test_numbers_are_never_given_again(self, board: Board) -> None:
        """Not after a task is deleted, and not in the next plan."""
        update(board, "3", status="deleted")
        assert create(board, "Ship").text == "Task #4 created successfully: Ship"
        for id in ("1", "2", "4"):
            update(board, id, status="completed")
        assert create(board, "Rest").text == "Task #5 created successfully: Rest"
        assert (board.plan.number, [todo.id for todo in board.plan.todos]) == (2, ["5"])

    def test_several_in_one_turn(self, board: Board) -> None:
        """One task a call means several calls a turn: the one write a turn is not for them."""
        from holdfast.attention.driver import Attention

        Attention(board).before_request()
        assert create(board, "A").ok and create(board, "B").ok

    @pytest.mark.parametrize(
        ("payload", "paths"),
        [
            ({}, ["subject", "description"]),
            ({"subject": " ", "description": "x"}, ["subject"]),
            ({"subject": "A", "description": 7}, ["description"]),
            ({"subject": "A", "description": "", "metadata": []}, ["metadata"]),
            ({"subject": "A", "description": "", "surplus": 1}, [""]),
            ([], [""]),
            ("{", [""]),
        ],
    )
    def test_what_is_wrong_is_told_at_its_place(self, board: Board, payload: object, paths: list[str]) -> None:
        """Every fault, in the words of the call."""
        before, reply = board.plan, board.write(payload, tool="TaskCreate")
        assert [fault.path for fault in reply.faults] == paths
        assert board.plan is before


class TestUpdating:
    def test_what_changed_is_answered(self, board: Board) -> None:
        """Only the fields that are really new."""
        reply = update(board, "1", status="in_progress", owner="reader", subject="Read")
        assert reply.text == "Updated task #1 status, owner"
        assert reply.data == {"success": True, "taskId": "1", "updatedFields": ["status", "owner"]}
        assert update(board, "1", status="in_progress").text == "Task #1 is as it was"

    @pytest.mark.parametrize("key", ["taskId", "id", "task_id"])
    def test_other_names_of_the_id(self, board: Board, key: str) -> None:
        """Models slip, and a number will do."""
        reply = board.write({key: 2, "active_form": "Fixing"}, tool="TaskUpdate")
        assert reply.text == "Updated task #2 activeForm"

    def test_several_may_be_in_progress(self, board: Board) -> None:
        """Tasks are shared by agents that work side by side."""
        assert update(board, "1", status="in_progress").ok and update(board, "2", status="in_progress").ok

    def test_metadata_is_merged(self, board: Board) -> None:
        """Key by key; a null takes one out."""
        update(board, "1", metadata={"a": 1, "b": [2]})
        update(board, "1", metadata={"a": None, "c": "x"})
        assert json.loads(board.plan.todos[0].details.metadata) == {"b": [2], "c": "x"}
        update(board, "1", metadata={"b": None, "c": None})
        assert board.plan.todos[0].details.metadata == ""

    def test_deleted_takes_a_task_off(self, board: Board) -> None:
        """Whoever waited for it waits no more."""
        update(board, "2", addBlockedBy=["1"])
        assert update(board, "1", status="deleted").text == "Updated task #1 deleted"
        assert listed(board) == "#2 [pending] Fix\n#3 [pending] Test"
        assert board.plan.next == board.plan.todos[0]

    def test_a_person_who_changed_a_task_keeps_it(self, board: Board) -> None:
        """The model deletes what it has not seen the change of: the change wins, and the model is told."""
        board.edit("1", content="Read it all")
        reply = update(board, "1", status="deleted")
        assert reply.ok and "now reads" in reply.text
        assert board.plan.get("1") is not None

    def test_a_cancelled_task_said_to_be_completed_is_still_cancelled(self, board: Board) -> None:
        """It is shown as completed, and saying so again changes nothing."""
        board.edit("1", status="cancelled")
        board.mark_edits_told()
        assert listed(board).startswith("#1 [completed] Read")
        assert update(board, "1", status="completed").ok
        assert board.plan.todos[0].status is Status.CANCELLED

    def test_evidence_where_the_rules_ask_for_it(self) -> None:
        """It goes with the update that completes a task, and the schema says so."""
        board = Board(dialect="claude-tasks", rules=Rules(evidence="required"))
        create(board, "Read")
        assert "evidence" in board.tools("json")[1]["parameters"]["properties"]
        assert "what shows that it is done" in update(board, "1", status="completed").text
        assert update(board, "1", status="completed", evidence="12 files read").ok
        assert board.plan.todos[0].evidence == "12 files read"

    @pytest.mark.parametrize(
        ("payload", "message"),
        [
            ({"taskId": "9", "status": "completed"}, "Task not found"),
            ({"status": "completed"}, "taskId: required: the number of a task"),
            ({"taskId": "1", "status": "done"}, "status: expected one of pending, in_progress, completed"),
            ({"taskId": "1", "subject": ""}, "subject: must not be blank"),
            ({"taskId": "1", "addBlocks": "2, 3"}, "addBlocks: expected a list of ids"),
            ({"taskId": ["1"]}, "taskId: expected an id, received a list"),
        ],
    )
    def test_what_is_wrong_is_told(self, board: Board, payload: object, message: str) -> None:
        """And nothing changes."""
        before = board.plan
        assert message in board.write(payload, tool="TaskUpdate").text
        assert board.plan is before


class TestWaiting:
    def test_both_ways_to_say_it(self, board: Board) -> None:
        """A task blocks others, or is blocked by them: it is one thing."""
        assert update(board, "1", addBlocks=["2"]).text == "Updated task #1 blocks"
        assert update(board, "3", addBlockedBy=["2"]).text == "Updated task #3 blockedBy"
        assert [todo.details.blocked_by for todo in board.plan.todos] == [(), ("1",), ("2",)]

    def test_finished_blockers_are_left_out(self, board: Board) -> None:
        """A task is free when what blocks it is completed or cancelled."""
        update(board, "3", addBlockedBy=["1", "2"])
        update(board, "1", status="completed")
        assert listed(board).splitlines()[2] == "#3 [pending] Test [blocked by #2]"
        board.edit("2", status="cancelled")
        board.mark_edits_told()
        assert listed(board).splitlines()[2] == "#3 [pending] Test"
        assert board.plan.next == board.plan.todos[2]

    def test_a_ring_is_refused_with_its_name(self, board: Board) -> None:
        """No work could ever follow it."""
        update(board, "2", addBlockedBy=["1"])
        update(board, "3", addBlockedBy=["2"])
        assert "addBlockedBy: todos wait for each other: 1 → 3 → 2 → 1" in update(board, "1", addBlockedBy=["3"]).text
        assert "addBlocks: a task cannot wait for itself: 1 → 1" in update(board, "1", addBlocks=["1"]).text

    def test_what_waits_for_one_task_may_wait_for_another_too(self, board: Board) -> None:
        """Said from either side, it is added to what is there."""
        update(board, "2", addBlockedBy=["1"])
        update(board, "3", addBlocks=["2"])
        assert board.plan.todos[1].details.blocked_by == ("1", "3")

    def test_a_task_that_was_deleted_holds_up_nobody(self, board: Board) -> None:
        """Its number was there once: to wait for it is no fault, and no wait."""
        update(board, "1", status="deleted")
        assert update(board, "2", addBlockedBy=["1", "3"]).ok
        assert board.plan.todos[0].details.blocked_by == ("3",)

    @pytest.mark.parametrize("id", ["0", "4", "x", "-1"])
    def test_a_number_that_no_task_ever_had_is_refused(self, board: Board, id: str) -> None:
        """Neither 0 nor the next one, nor what is no number."""
        (fault,) = update(board, "1", addBlockedBy=[id]).faults
        assert fault == Fault("addBlockedBy", f"no task #{id}", "unknown_blocker", field="addBlockedBy", received=id)

    def test_each_fault_is_told_once_with_its_field(self, board: Board) -> None:
        """A value that is no id, a task that would wait for itself, one that is not there, and none at all."""
        (no_id,) = update(board, "1", addBlocks=[True]).faults
        assert (no_id.path, no_id.code) == ("addBlocks[0]", "type")
        (ring,) = update(board, "1", addBlocks=["1"]).faults
        assert ring == Fault("addBlocks", "a task cannot wait for itself: 1 → 1", "cycle", field="addBlocks")
        (unknown,) = update(board, "9", status="completed").faults
        assert unknown == Fault("taskId", "no task #9", "unknown_id", field="taskId", received="9")
        (nameless,) = board.write({"status": "completed"}, tool="TaskUpdate").faults
        assert (nameless.path, nameless.field) == ("taskId", "taskId")
        assert nameless.message == "required: the number of a task"

    def test_tasks_that_never_were_are_refused(self, board: Board) -> None:
        """Each is named; one that was there once holds nobody up."""
        reply = update(board, "1", addBlocks=["8"], addBlockedBy=["9"])
        assert [(fault.path, fault.message) for fault in reply.faults] == [
            ("addBlocks", "no task #8"),
            ("addBlockedBy", "no task #9"),
        ]
        update(board, "2", status="deleted")
        assert update(board, "3", addBlockedBy=["2"]).ok
        assert listed(board).splitlines()[-1] == "#3 [pending] Test"


class TestLooking:
    def test_one_task_in_full(self, board: Board) -> None:
        """A line for each thing that there is to say."""
        update(board, "2", addBlockedBy=["1"], addBlocks=["3"])
        reply = board.write({"taskId": "2"}, tool="TaskGet")
        assert reply.text.splitlines() == [
            "Task #2: Fix",
            "Status: pending",
            "Description: Fix in full",
            "Blocked by: #1",
            "Blocks: #3",
        ]
        assert reply.data is not None and reply.data["task"]["blocks"] == ["3"]

    def test_a_task_that_is_not_there(self, board: Board) -> None:
        """It is not found."""
        assert board.write({"taskId": "9"}, tool="TaskGet").text == "Task not found"

    def test_no_tasks(self) -> None:
        """There is a word for that."""
        assert listed(Board(dialect="claude-tasks")) == "No tasks found"

    def test_owners_are_shown(self, board: Board) -> None:
        """Who works on it stands behind a task."""
        update(board, "1", owner="reader")
        assert listed(board).splitlines()[0] == "#1 [pending] Read (reader)"

    def test_looking_is_no_write(self, board: Board) -> None:
        """No revision, no listener, no gate."""
        heard: list[Change] = []
        board.on_change(heard.append)
        board.on_write(lambda: pytest.fail("a look is no write"))
        before = board.plan
        assert listed(board) and board.write({"taskId": "1"}, tool="TaskGet").ok
        assert board.plan is before and heard == []


class TestTheTools:
    @pytest.mark.parametrize("form", WIRE_FORMS)
    def test_there_are_four(self, form: WireForm) -> None:
        """In every wire form; asked for only one, the board says that there are more."""
        board = Board(dialect="claude-tasks")
        tools = [tool.get("function", tool) for tool in board.tools(form)]
        assert tuple(tool["name"] for tool in tools) == TOOLS
        with pytest.raises(UsageError, match=r"claude-tasks has 4 tools: TaskCreate, .*tools\(\)"):
            board.tool(form)

    def test_their_schemas_are_valid_and_agree_with_what_is_taken(self) -> None:
        """Each schema takes the dialect's own calls."""
        dialect = dialects.get("claude-tasks")
        schemas = {tool.name: tool.schema for tool in dialect.tools}
        board = Board(dialect="claude-tasks")
        for subject in ("A", "B"):
            create(board, subject)
        update(board, "2", addBlockedBy=["1"], owner="me", status="in_progress")
        for tool, payload in dialect.calls(board.plan):
            Draft202012Validator.check_schema(schemas[tool])
            assert Draft202012Validator(schemas[tool]).is_valid(payload)

    def test_a_client_knows_which_of_them_only_read(self) -> None:
        """The hints of MCP say so, and that creating twice makes two tasks."""
        hints = {tool["name"]: tool["annotations"] for tool in Board(dialect="claude-tasks").tools("mcp")}
        assert [hints[name]["readOnlyHint"] for name in TOOLS] == [False, False, True, True]
        assert [hints[name]["idempotentHint"] for name in TOOLS] == [False, True, True, True]

    def test_which_tool_was_called_must_be_said(self) -> None:
        """It is not guessed."""
        board = Board(dialect="claude-tasks")
        assert "which tool was called? There are TaskCreate," in board.write({"subject": "A"}).text
        assert "no tool 'TodoWrite'" in board.write({}, tool="TodoWrite").text

    @pytest.mark.parametrize("tool", TOOLS)
    @given(payload=json_values)
    def test_any_json_value_gets_a_reply(self, tool: str, payload: Any) -> None:
        """And a plan that is refused nothing is the plan that was."""
        board = Board(dialect="claude-tasks")
        create(board, "A")
        before, reply = board.plan, board.write(payload, tool=tool)
        assert reply.text and reply.ok == (not reply.faults)
        assert not any(fault.code == "internal" for fault in reply.faults), reply.text
        assert reply.ok or board.plan is before

    def test_a_task_that_a_person_has_added_meanwhile_is_the_one_that_was_created(self) -> None:
        """The model comes to the same words: there is one task, the answer has its number, and the model is told."""
        board = Board(dialect="claude-tasks")
        create(board, "A")
        board.add("B")
        reply = create(board, "B")
        assert reply.text == 'Task #2 created successfully: B\nThe user changed the plan: added 2 ("B").'
        assert [todo.content for todo in board.plan.todos] == ["A", "B"]

    @pytest.mark.parametrize("others", [(), ("B",)], ids=["nothing open", "another one open"])
    def test_a_task_is_created_also_in_the_words_of_one_that_a_person_has_removed(
        self, others: tuple[str, ...]
    ) -> None:
        """Whoever creates a task wants a new one. It is the old one that stays removed."""
        board = Board(dialect="claude-tasks")
        for subject in ("A", *others):
            create(board, subject)
        update(board, "1", status="completed")
        board.remove("1")
        assert "created successfully: A" in create(board, "A").text
        assert board.plan.contents == (*others, "A") and board.plan.get("1") is None

    def test_the_only_task_of_a_plan_can_be_deleted(self) -> None:
        """The answer says so, also where no other task was changed before."""
        board = Board(dialect="claude-tasks")
        create(board, "A")
        assert update(board, "1", status="deleted").text == "Updated task #1 deleted"
        assert board.plan.todos == ()

    def test_an_undo_of_a_person_is_not_taken_for_a_change_of_the_model(self) -> None:
        """It brings back the very tasks that the model changed last; a call that changes nothing says so."""
        board = Board(dialect="claude-tasks")
        create(board, "A")
        update(board, "1", status="in_progress")
        create(board, "B")
        board.undo()
        assert update(board, "1").text == 'Task #1 is as it was\nThe user changed the plan: removed 2 ("B").'

    @given(text=hostile_texts.filter(str.strip))
    def test_no_text_breaks_a_line(self, text: str) -> None:
        """Subjects, descriptions and owners are shown, never obeyed."""
        board = Board(dialect="claude-tasks")
        reply = board.write({"subject": text, "description": text}, tool="TaskCreate")
        update(board, "1", owner=text)
        full = board.write({"taskId": "1"}, tool="TaskGet")
        assert [obeyed(shown) <= {"\n"} for shown in (reply.text, full.text, listed(board))] == [True] * 3
        assert (reply.text + listed(board)).count("\n") == 0 and full.text.count("\n") == 2


def test_what_a_model_reads(board: Board, snapshot: Callable[[str, str], None]) -> None:
    """Definitions and prompt are what was read and approved; the replies stand in the tests above."""
    snapshot("claude-tasks-definitions.json", json.dumps(board.tools("anthropic"), indent=2))
    snapshot("claude-tasks-prompt.txt", board.prompt)


def test_a_list_is_shown_whatever_comes_with_the_call() -> None:
    """TaskList takes nothing, so it looks at nothing: arguments that cannot even be read do not make it raise."""

    class Unreadable(dict[str, object]):
        def __contains__(self, key: object) -> bool:
            raise RuntimeError("no")

    assert Board(dialect="claude-tasks").write(Unreadable(), tool="TaskList").text == "No tasks found"
