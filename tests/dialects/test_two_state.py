"""The `two-state` dialect against its contract: each case names the rule that it proves."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Board, Change, Rules, Status
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

JSON = dict[str, Any]

REFUSED = "❌ 任务更新失败: "
EMPTY = "📋 任务列表为空"
NOT_GIVEN: Any = object()


def todo(content: object = "A", status: object = NOT_GIVEN, **more: object) -> JSON:
    """An item; a field that is NOT_GIVEN is left out."""
    item = {"content": content, "status": status, **more}
    return {key: value for key, value in item.items() if value is not NOT_GIVEN}


def call(*todos: object) -> JSON:
    """A whole payload around some items."""
    return {"todos": list(todos)}


def refusal_message(payload: object) -> str:
    """The reply to a bad payload, with everything checked that holds for each of them."""
    board = Board(dialect="two-state")
    board.write(call(todo("A"), todo("B", "completed")))
    before, heard = board.plan, list[Change]()
    board.on_change(heard.append)
    reply = board.write(payload)
    assert not reply.ok
    assert reply.text.startswith(REFUSED)
    assert [REFUSED + fault.message for fault in reply.faults] == [reply.text]
    assert board.plan is before
    assert heard == []
    assert "None" not in reply.text
    assert len(reply.text.splitlines()) == 1
    return reply.text.removeprefix(REFUSED)


class TestDefinition:
    """What the model is given."""

    def test_the_tool_is_called_todo_write(self) -> None:
        """The contract's name for the tool."""
        assert Board(dialect="two-state").tool("json")["name"] == "todo_write"

    def test_the_schema_knows_two_statuses(self) -> None:
        """`status` is pending or completed, in that order, described as in the contract."""
        items = Board(dialect="two-state").tool("json")["parameters"]["properties"]["todos"]["items"]
        assert items["properties"]["status"] == {
            "type": "string",
            "enum": ["pending", "completed"],
            "description": "任务状态",
        }

    def test_only_content_is_required(self) -> None:
        """An item has content and status, no other key, and the status may be left out."""
        schema = Board(dialect="two-state").tool("json")["parameters"]
        items = schema["properties"]["todos"]["items"]
        assert schema["required"] == ["todos"]
        assert list(items["properties"]) == ["content", "status"]
        assert items["required"] == ["content"]
        assert items["additionalProperties"] is False

    def test_there_are_no_limits_in_the_schema(self) -> None:
        """Neither the number of items nor their length is limited."""
        sent = json.dumps(Board(dialect="two-state").tool("json"))
        assert "max" not in sent
        assert "minLength" not in sent

    def test_limits_of_a_host_stand_in_the_schema_and_are_checked(self) -> None:
        """What a host changes through `Rules` is told to the model and checked."""
        board = Board(dialect="two-state", rules=Rules(max_items=1, max_content=3))
        todos = board.tool("json")["parameters"]["properties"]["todos"]
        assert (todos["maxItems"], todos["items"]["properties"]["content"]["maxLength"]) == (1, 3)
        assert board.write(call(todo(), todo())).text == f"{REFUSED}todos: at most 1 todos, received 2"
        assert board.write(call(todo("long"))).text == f"{REFUSED}todos[0].content: at most 3 characters, received 4"

    def test_nothing_that_the_model_reads_speaks_of_in_progress(self) -> None:
        """Neither prompt nor definition mention the status that is gone."""
        board = Board(dialect="two-state")
        read = (board.prompt + json.dumps(board.tool("json"))).lower()
        assert "in_progress" not in read
        assert "in progress" not in read

    @pytest.mark.parametrize("word", ["dynamic", "add", "change", "drop", "reorder", "why"])
    def test_the_prompt_says_that_the_list_is_dynamic(self, word: str) -> None:
        """The model may add, change, drop and reorder, with a reason."""
        assert word in Board(dialect="two-state").prompt


REPLIES = [
    pytest.param(
        call(todo("A", "pending"), todo("B", "completed")),
        "📋 当前任务列表：\n  1. ⬜ [pending] A\n  2. ✅ [completed] B\n\n总计: 2 项 | 待处理: 1 | 已完成: 1",
        id="a numbered list and the counts",
    ),
    pytest.param(call(), EMPTY, id="an empty list is allowed and clears"),
    pytest.param(
        call(todo("A")),
        "📋 当前任务列表：\n  1. ⬜ [pending] A\n\n总计: 1 项 | 待处理: 1 | 已完成: 0",
        id="status defaults to pending",
    ),
    pytest.param(
        call(todo("")),
        "📋 当前任务列表：\n  1. ⬜ [pending] \n\n总计: 1 项 | 待处理: 1 | 已完成: 0",
        id="blank content is accepted here alone",
    ),
    pytest.param(
        call(todo("a\nb\x1b[2J\u202ec")),
        "📋 当前任务列表：\n  1. ⬜ [pending] a b␛[2J\ufffdc\n\n总计: 1 项 | 待处理: 1 | 已完成: 0",
        id="line breaks and control characters break no line",
    ),
]


@pytest.mark.parametrize(("payload", "text"), REPLIES)
def test_a_good_write_gets_the_list_back(payload: JSON, text: str) -> None:
    """The reply is the list as it is now, to the character."""
    reply = Board(dialect="two-state").write(payload)
    assert reply.ok
    assert reply.text == text
    assert reply.data is None


def test_one_call_replaces_the_whole_list() -> None:
    """What the second call does not name is gone."""
    board = Board(dialect="two-state")
    board.write(call(todo("A"), todo("B")))
    board.write(call(todo("C", "completed")))
    assert [(item.content, item.status) for item in board.plan.todos] == [("C", Status.COMPLETED)]


def test_an_empty_list_clears_what_was_there() -> None:
    """`[]` takes every todo off the plan."""
    board = Board(dialect="two-state")
    board.write(call(todo("A")))
    assert board.write(call()).text == EMPTY
    assert board.plan.todos == ()


@pytest.mark.parametrize("content", ["  A \n", "", " ", "\t", "修复\r\n", "\x00"], ids=ascii)
def test_text_is_stored_as_given(content: str) -> None:
    """Not a blank is taken off, not a character replaced."""
    board = Board(dialect="two-state")
    board.write(call(todo(content)))
    assert board.plan.todos[0].content == content


def test_there_is_no_limit_on_items_and_length() -> None:
    """A thousand items of a thousand characters are a list like any other."""
    board = Board(dialect="two-state")
    assert board.write(call(*(todo(f"{number:>1000}") for number in range(1000)))).ok
    assert len(board.plan.todos) == 1000


BAD_STATUSES = [
    pytest.param("in_progress", "'in_progress'", id="in_progress is refused, not mapped"),
    pytest.param("done", "'done'", id="any other word is refused"),
    pytest.param("cancelled", "'cancelled'", id="a status of other dialects is refused"),
    pytest.param("Completed", "'Completed'", id="a status is in small letters"),
    pytest.param("", "''", id="an empty status is none"),
    pytest.param("a\nb", "'a b'", id="a hostile status breaks no line"),
]

ITEM_FAULTS = [
    pytest.param(todo("B", ["pending"]), ".status: expected text, received a list", id="status is no list"),
    pytest.param(todo("B", None), ".status: expected text, received null", id="status is not null"),
    pytest.param(todo(NOT_GIVEN), ".content: required", id="content is required"),
    pytest.param(todo(None), ".content: expected text, received null", id="content is not null"),
    pytest.param(todo(5), ".content: expected text, received the number 5", id="content is no number"),
    pytest.param(todo(id="1"), ": unknown key 'id'; an item has content, status", id="unknown item keys are refused"),
    pytest.param(None, ": expected an object, received null", id="an item is not null"),
    pytest.param("B", ": expected an object, received 'B'", id="an item is no text"),
]

FAULTS = [
    pytest.param({"todos": None}, "todos: expected a list, received null", id="todos is not null"),
    pytest.param({"todos": {}}, "todos: expected a list, received an object", id="todos is no object"),
    pytest.param(
        {},
        "todos: required: the list of todos (todos: [] clears the plan)",
        id="a missing list is an error, never a wipe",
    ),
    pytest.param(None, "expected an object, received null", id="the input is not null"),
    pytest.param([todo()], "expected an object, received a list", id="the input is no list"),
    pytest.param(
        call(todo(5), todo("B", "in_progress")),
        "todos[0].content: expected text, received the number 5",
        id="the first fault is refusal_message, and no other",
    ),
]


@pytest.mark.parametrize(("status", "received"), BAD_STATUSES)
def test_a_status_that_is_none_of_the_two_is_refused(status: str, received: str) -> None:
    """There is nothing between pending and completed, and no word that stands for one of them."""
    assert refusal_message(call(todo(), todo("B", status))) == f"无效的任务状态: {received}，仅支持: pending, completed"


@pytest.mark.parametrize(("item", "message"), ITEM_FAULTS)
def test_a_fault_of_an_item_names_its_place(item: object, message: str) -> None:
    """A fault of the second of two items is reported with its index, and with its field if it has one."""
    assert refusal_message(call(todo(), item)) == f"todos[1]{message}"


@pytest.mark.parametrize(("payload", "message"), FAULTS)
def test_a_fault_is_told_and_changes_nothing(payload: object, message: str) -> None:
    """The model reads why, the loop goes on, the old list stays, no listener is called."""
    assert refusal_message(payload) == message


def test_after_a_fault_the_loop_goes_on() -> None:
    """The next good write is taken as if nothing had been."""
    board = Board(dialect="two-state")
    board.write(call(todo("A", "in_progress")))
    assert board.write(call(todo("A", "completed"))).ok


def test_a_list_sent_as_json_text_is_read() -> None:
    """Arguments that arrive as text are understood, the list inside them too."""
    board = Board(dialect="two-state")
    assert board.write(json.dumps({"todos": json.dumps([todo("A")])})).ok
    assert board.plan.todos[0].content == "A"


def test_trouble_inside_is_told_on_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """A store that fails is a failed update for the model, not an exception for the loop."""

    class Broken(MemoryStore):
        def commit(self, key: Key, change: Change) -> None:
            raise RuntimeError("the disk is\nfull")

    text = Board(dialect="two-state", store=Broken()).write(call(todo())).text
    assert text == f"{REFUSED}unexpected RuntimeError: the disk is full"


def test_the_list_lives_in_memory_for_one_run() -> None:
    """A board of its own begins empty: nothing is shared and nothing is kept."""
    Board(dialect="two-state").write(call(todo("A")))
    assert Board(dialect="two-state").plan.todos == ()


def test_listeners_get_the_list_after_each_successful_write() -> None:
    """What a host emits as `todo_update` is the list as it is after the write, once a write."""
    heard: list[list[tuple[str, str]]] = []
    board = Board(dialect="two-state")
    board.on_change(lambda change: heard.append([(item.content, item.status) for item in change.after.todos]))
    board.write(call(todo("A")))
    board.write(call(todo("A", "in_progress")))
    board.write(call(todo("A", "completed")))
    assert heard == [[("A", "pending")], [("A", "completed")]]


def test_a_persons_edit_is_told_under_the_list() -> None:
    """The person's word wins, and the model reads of it after the counts."""
    board = Board(dialect="two-state")
    board.write(call(todo("A"), todo("B")))
    board.edit("2", content="Better")
    text = board.write(call(todo("A", "completed"), todo("B"))).text
    listed, note = text.rsplit("\n", 1)
    assert listed.splitlines()[1:3] == ["  1. ✅ [completed] A", "  2. ⬜ [pending] Better"]
    assert note.startswith("The user changed the plan: ")
    assert "Better" in note


class TestSnapshots:
    """Every text of this dialect that a model or a person reads."""

    def test_definition(self, snapshot: Callable[[str, str], None]) -> None:
        """The tool definition as the model gets it."""
        definition = Board(dialect="two-state").tool("json")
        snapshot("two-state-definition.json", json.dumps(definition, ensure_ascii=False, indent=2))

    def test_prompt(self, snapshot: Callable[[str, str], None]) -> None:
        """The text for the system prompt."""
        snapshot("two-state-prompt.txt", Board(dialect="two-state").prompt)

    def test_replies(self, snapshot: Callable[[str, str], None]) -> None:
        """A list, an empty one, and what is said of each fault."""
        board = Board(dialect="two-state")
        payloads = [
            *(case.values[0] for case in REPLIES),
            *(call(todo(), todo("B", case.values[0])) for case in BAD_STATUSES),
            *(call(todo(), case.values[0]) for case in ITEM_FAULTS),
            *(case.values[0] for case in FAULTS),
        ]
        texts = [board.write(payload).text for payload in payloads]
        snapshot("two-state-replies.txt", "\n\n".join(texts))
