"""The `shell` dialect against its contract: each case names the rule that it proves.

`tests/test_shell.py` has the command line around it.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Board, Change, Plan, Rules, Status
from holdfast.dialects.shell import HELP
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

JSON = dict[str, Any]

EXAMPLE: JSON = {
    "todos": [
        {"content": "Analyze requirements", "activeForm": "Analyzing requirements", "status": "completed"},
        {"content": "Write implementation", "activeForm": "Writing implementation", "status": "in_progress"},
        {"content": "Run tests", "activeForm": "Running tests", "status": "pending"},
    ]
}
"""The example call of the contract."""

EXPECTED_STATUS = "Expected 'pending' | 'in_progress' | 'completed'"
NOT_GIVEN: Any = object()


def todo(content: object = "A", active_form: object = "Doing A", status: object = "pending", **more: object) -> JSON:
    """A valid item by default; a field that is NOT_GIVEN is left out."""
    item = {"content": content, "activeForm": active_form, "status": status, **more}
    return {key: value for key, value in item.items() if value is not NOT_GIVEN}


def call(*todos: object) -> JSON:
    """A whole payload around some items."""
    return {"todos": list(todos)}


def refusal_lines(payload: object) -> list[str]:
    """The lines on standard error for a bad payload, with everything checked that holds for each of them."""
    board = Board(dialect="shell")
    board.write(EXAMPLE)
    before, heard = board.plan, list[Change]()
    board.on_change(heard.append)
    reply = board.write(payload)
    assert not reply.ok
    assert board.plan is before
    assert heard == []
    assert "None" not in reply.text
    head, *lines = reply.text.splitlines()
    assert head == "Error: Validation failed"
    assert lines == [f"- {fault.path or 'input'}: {fault.message}" for fault in reply.faults]
    return lines


class TestDefinition:
    """What the model is given where the command is offered as a tool."""

    def test_an_item_has_three_required_fields(self) -> None:
        """content, activeForm and status, all required, and no other key."""
        schema = Board(dialect="shell").tool("json")["parameters"]
        items = schema["properties"]["todos"]["items"]
        assert schema["required"] == ["todos"]
        assert items["required"] == ["content", "activeForm", "status"] == list(items["properties"])
        assert items["properties"]["status"]["enum"] == ["pending", "in_progress", "completed"]
        assert items["additionalProperties"] is False

    def test_the_limits_stand_in_the_schema(self) -> None:
        """50 items, and 200 characters for content and activeForm."""
        todos = Board(dialect="shell").tool("json")["parameters"]["properties"]["todos"]
        fields = todos["items"]["properties"]
        assert (todos["maxItems"], fields["content"]["maxLength"], fields["activeForm"]["maxLength"]) == (50, 200, 200)

    def test_the_tool_is_called_as_the_command(self) -> None:
        """The name is that of the command."""
        assert Board(dialect="shell").tool("json")["name"] == "TodoWrite"


class TestHelp:
    """The command document, which is the prompt too."""

    def test_it_is_the_prompt(self) -> None:
        """The model reads the same page that `--help` prints."""
        assert Board(dialect="shell").prompt == HELP

    @pytest.mark.parametrize(
        "heading",
        ["Usage", "Each todo has", "When to use it", "When not to", "States", "Rules", "Completion", "Example"],
    )
    def test_it_has_every_section_of_the_contract(self, heading: str) -> None:
        """When to use, when not, states, rules, completion, example."""
        assert re.search(rf"^{heading}$\n  \S", HELP, re.MULTILINE)

    @pytest.mark.parametrize("words", ["only one at a time", "Keep one todo in_progress"])
    def test_it_asks_for_one_in_progress(self, words: str) -> None:
        """The prompt says one in progress, though the check is at most one."""
        assert words in HELP

    def test_its_example_works_and_prints_what_it_says(self) -> None:
        """The call on the page, run, gives the line under it."""
        example = HELP.split("Example\n")[1]
        payload, printed = example.split("TodoWrite '")[1].split("'\n  ")
        assert Board(dialect="shell").write(payload).text == printed


REPLIES = [
    pytest.param(EXAMPLE, "Todo list updated: 1 completed, 1 in_progress, 1 pending", id="the contract's example"),
    pytest.param(call(), "Todo list cleared", id="an empty list is allowed and clears"),
    pytest.param(call(todo(), todo()), "Todo list updated: 2 pending", id="zero counts are left out"),
    pytest.param(
        call(todo(), todo(status="completed"), todo(status="completed")),
        "Todo list updated: 2 completed, 1 pending",
        id="completed first, whatever the order of the list",
    ),
    pytest.param(
        call(todo(), todo(status="in_progress")),
        "Todo list updated: 1 in_progress, 1 pending",
        id="in progress before pending",
    ),
    pytest.param(call(todo(status="completed")), "Todo list updated: 1 completed", id="none in progress is allowed"),
    pytest.param(call(*[todo("x" * 200, "y" * 200)] * 50), "Todo list updated: 50 pending", id="the limits themselves"),
    pytest.param(
        {"todos": json.dumps([todo()])}, "Todo list updated: 1 pending", id="a list sent as a JSON text is read"
    ),
    pytest.param(json.dumps(EXAMPLE), "Todo list updated: 1 completed, 1 in_progress, 1 pending", id="a JSON text"),
]


@pytest.mark.parametrize(("payload", "line"), REPLIES)
def test_a_good_write_gets_one_summary_line(payload: object, line: str) -> None:
    """Counts in the order completed, in_progress, pending."""
    reply = Board(dialect="shell").write(payload)
    assert (reply.ok, reply.text, reply.data) == (True, line, None)


def test_one_call_replaces_the_whole_list() -> None:
    """What the second call does not name is gone."""
    board = Board(dialect="shell")
    board.write(EXAMPLE)
    board.write(call(todo("B")))
    assert [item.content for item in board.plan.todos] == ["B"]


@pytest.mark.parametrize("text", ["  A \n", "修复\t🙂", "a\x1b[2J"], ids=ascii)
def test_text_is_stored_as_given(text: str) -> None:
    """Neither content nor activeForm is trimmed or cleaned in the plan."""
    board = Board(dialect="shell")
    board.write(call(todo(text, text)))
    assert (board.plan.todos[0].content, board.plan.todos[0].active_form) == (text, text)


FAULTS = [
    pytest.param(call(todo(NOT_GIVEN)), ["- todos[0].content: Required"], id="content is required"),
    pytest.param(call(todo("")), ["- todos[0].content: Must not be blank"], id="content is not empty"),
    pytest.param(call(todo(" \n")), ["- todos[0].content: Must not be blank"], id="content is not blank"),
    pytest.param(call(todo(5)), ["- todos[0].content: Expected string, received the number 5"], id="content is text"),
    pytest.param(call(todo(None)), ["- todos[0].content: Expected string, received null"], id="content is not null"),
    pytest.param(call(todo(["A"])), ["- todos[0].content: Expected string, received array"], id="content is no list"),
    pytest.param(
        call(todo("x" * 201)), ["- todos[0].content: Must be at most 200 characters"], id="content has a limit"
    ),
    pytest.param(call(todo("A", NOT_GIVEN)), ["- todos[0].activeForm: Required"], id="activeForm is required"),
    pytest.param(call(todo("A", "")), ["- todos[0].activeForm: Must not be blank"], id="activeForm is not empty"),
    pytest.param(
        call(todo("A", None)), ["- todos[0].activeForm: Expected string, received null"], id="activeForm is not null"
    ),
    pytest.param(
        call(todo("A", "x" * 201)),
        ["- todos[0].activeForm: Must be at most 200 characters"],
        id="activeForm has the same limit",
    ),
    pytest.param(call(todo(status=NOT_GIVEN)), ["- todos[0].status: Required"], id="status is required"),
    pytest.param(
        call(todo(), todo(status="done")),
        [f"- todos[1].status: {EXPECTED_STATUS}, received 'done'"],
        id="status is one of three",
    ),
    pytest.param(
        call(todo(status="cancelled")),
        [f"- todos[0].status: {EXPECTED_STATUS}, received 'cancelled'"],
        id="a status of other dialects is refused",
    ),
    pytest.param(
        call(todo(status="Pending")),
        [f"- todos[0].status: {EXPECTED_STATUS}, received 'Pending'"],
        id="a status is in small letters",
    ),
    pytest.param(
        call(todo(status=["pending"])),
        [f"- todos[0].status: {EXPECTED_STATUS}, received array"],
        id="status is no list",
    ),
    pytest.param(
        call(todo(status=None)), [f"- todos[0].status: {EXPECTED_STATUS}, received null"], id="status is not null"
    ),
    pytest.param(call(todo(extra=1)), ["- todos[0]: Unrecognized key 'extra'"], id="unknown item keys are refused"),
    pytest.param(call(todo(id="1")), ["- todos[0]: Unrecognized key 'id'"], id="an id is no key of this dialect"),
    pytest.param(call(None), ["- todos[0]: Expected object, received null"], id="an item is not null"),
    pytest.param(call([]), ["- todos[0]: Expected object, received array"], id="an item is no list"),
    pytest.param(call(*[todo()] * 51), ["- todos: Too many items (max 50)"], id="at most 50 items"),
    pytest.param(
        call(todo(status="in_progress"), todo(status="in_progress")),
        ["- todos: Only one task can be in_progress at a time"],
        id="at most one in progress",
    ),
    pytest.param({}, ["- todos: Required"], id="a missing list is an error, never a wipe"),
    pytest.param({"todos": None}, ["- todos: Expected array, received null"], id="todos is not null"),
    pytest.param({"todos": {}}, ["- todos: Expected array, received object"], id="todos is no object"),
    pytest.param({"todos": "A, B"}, ["- todos: Expected array, received 'A, B'"], id="todos is no text"),
    pytest.param([todo()], ["- input: Expected object, received array"], id="the input is no list"),
    pytest.param(None, ["- input: Expected object, received null"], id="the input is not null"),
    pytest.param('{"todos": [], "todos": []}', ["- input: Duplicate key 'todos'"], id="a key is given once"),
    pytest.param(
        call(todo(NOT_GIVEN), todo(status="done")),
        ["- todos[0].content: Required", f"- todos[1].status: {EXPECTED_STATUS}, received 'done'"],
        id="the contract's example of two faults",
    ),
    pytest.param(
        call(
            todo(NOT_GIVEN, "x" * 201, "done", extra=1, more=2),
            None,
            todo("x" * 201, 5, "in_progress"),
            todo(status="in_progress"),
            *[todo()] * 47,
        ),
        [
            "- todos: Too many items (max 50)",
            "- todos[0].content: Required",
            f"- todos[0].status: {EXPECTED_STATUS}, received 'done'",
            "- todos[0].activeForm: Must be at most 200 characters",
            "- todos[0]: Unrecognized key 'extra'",
            "- todos[0]: Unrecognized key 'more'",
            "- todos[1]: Expected object, received null",
            "- todos[2].content: Must be at most 200 characters",
            "- todos[2].activeForm: Expected string, received the number 5",
            "- todos: Only one task can be in_progress at a time",
        ],
        id="all faults at once",
    ),
    pytest.param(
        call(todo(status="a\nb\x1b[2J"), todo(**{"k\n\x1b": 1})),
        [
            f"- todos[0].status: {EXPECTED_STATUS}, received 'a b␛[2J'",
            "- todos[1]: Unrecognized key 'k ␛'",
        ],
        id="hostile text breaks no line of a message",
    ),
]


@pytest.mark.parametrize(("payload", "lines"), FAULTS)
def test_every_fault_is_told_and_nothing_changes(payload: object, lines: list[str]) -> None:
    """One line per fault, all of them, with bracketed paths; the old list stays, no listener is called."""
    assert refusal_lines(payload) == lines


def test_fifty_bad_items_are_all_told() -> None:
    """Even when every field of every item is wrong, not one fault is dropped."""
    lines = refusal_lines(call(*[todo(5, 5, 5, extra=1)] * 50))
    assert len(lines) == 200
    assert lines[-1] == "- todos[49]: Unrecognized key 'extra'"


@pytest.mark.parametrize("text", ["", "{", "not json", '{"todos": [}', "[NaN]"])
def test_a_text_that_is_no_json_is_told_with_its_usage(text: str) -> None:
    """`Error: Invalid JSON format`, and the usage line in full."""
    board = Board(dialect="shell")
    board.write(EXAMPLE)
    reply = board.write(text)
    assert not reply.ok
    assert reply.text == (
        "Error: Invalid JSON format\n"
        """Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'"""
    )
    assert len(board.plan.todos) == 3


def test_limits_of_a_host_are_in_the_messages() -> None:
    """The rules that `Rules` changes are checked and named in messages."""
    board = Board(dialect="shell", rules=Rules(max_items=1, max_content=3, max_in_progress=2))
    assert board.write(call(todo("A", "B"), todo("A", "B"))).faults[0].message == "Too many items (max 1)"
    assert board.write(call(todo("long", "B"))).faults[0].message == "Must be at most 3 characters"
    busy = Board(dialect="shell", rules=Rules(max_in_progress=2)).write(call(*[todo(status="in_progress")] * 3))
    assert busy.faults[0].message == "Only 2 tasks can be in_progress at a time"


def test_trouble_inside_is_an_error_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    """A store that fails is not called a fault of the parameter."""

    class Broken(MemoryStore):
        def commit(self, key: Key, change: Change) -> None:
            raise RuntimeError("the disk is\nfull")

    reply = Board(dialect="shell", store=Broken()).write(EXAMPLE)
    assert (reply.ok, reply.text) == (False, "Error: unexpected RuntimeError: the disk is full")


class TestStore:
    """What the contract asks of a store, and its listeners: update, get, clear, on_change."""

    def test_update_replaces_the_list_and_tells_listeners(self) -> None:
        """A host's own list takes the place of the old one, and each listener gets the state."""
        board, heard = Board(dialect="shell"), list[Plan]()
        board.write(EXAMPLE)
        board.on_change(lambda change: heard.append(change.after))
        board.update([todo("B", "Doing B", "in_progress")])
        assert [(item.content, item.active_form, item.status) for item in board.plan.todos] == [
            ("B", "Doing B", Status.IN_PROGRESS)
        ]
        assert heard == [board.plan]

    def test_get_gives_the_items_and_when_they_were_updated(self) -> None:
        """The state is the items and the time of the last change."""
        times = iter(range(100, 200))
        board = Board(dialect="shell", clock=lambda: float(next(times)))
        board.write(EXAMPLE)
        first = board.plan.updated_at
        assert first >= 100
        board.write(call(todo("B")))
        assert board.plan.updated_at > first
        assert [item.content for item in board.plan.todos] == ["B"]

    def test_clear_empties_the_list_and_tells_listeners(self) -> None:
        """Clearing is a change like any other."""
        board, heard = Board(dialect="shell"), list[Plan]()
        board.write(EXAMPLE)
        board.on_change(lambda change: heard.append(change.after))
        assert board.clear().text == "Todo list cleared"
        assert board.plan.todos == ()
        assert [plan.todos for plan in heard] == [()]

    def test_a_listener_can_unsubscribe(self) -> None:
        """After that it is not called any more, and others are; to unsubscribe twice does no harm."""
        board, first, second = Board(dialect="shell"), list[Change](), list[Change]()
        unsubscribe = board.on_change(first.append)
        board.on_change(second.append)
        board.write(EXAMPLE)
        unsubscribe()
        unsubscribe()
        board.write(call())
        assert (len(first), len(second)) == (1, 2)

    def test_listeners_are_told_in_order(self) -> None:
        """Whoever came first is called first."""
        board, heard = Board(dialect="shell"), list[str]()
        board.on_change(lambda change: heard.append("first"))
        board.on_change(lambda change: heard.append("second"))
        board.write(EXAMPLE)
        assert heard == ["first", "second"]

    def test_the_box_is_redrawn_on_each_change(self) -> None:
        """A view that listens draws the list as it is after each change."""
        board, screens = Board(dialect="shell"), list[str]()
        board.on_change(lambda change: screens.append(board.dialect.render(change.after)))
        board.write(EXAMPLE)
        board.clear()
        assert [len(screen.splitlines()) for screen in screens] == [5, 2]
        assert "● Writing implementation..." in screens[0]


def test_a_persons_edit_is_told_under_the_summary_line() -> None:
    """The person's word wins, and the model reads of it on the next line."""
    board = Board(dialect="shell")
    board.write(EXAMPLE)
    board.edit("3", content="Run all tests")
    summary, note = board.write(EXAMPLE).text.splitlines()
    assert summary == "Todo list updated: 1 completed, 1 in_progress, 1 pending"
    assert note.startswith("The user changed the plan: ")
    assert "Run all tests" in note
    assert board.plan.todos[2].content == "Run all tests"


class TestSnapshots:
    """Every text of this dialect that a model or a person reads."""

    def test_definition(self, snapshot: Callable[[str, str], None]) -> None:
        """The tool definition as the model gets it."""
        snapshot("shell-definition.json", json.dumps(Board(dialect="shell").tool("json"), ensure_ascii=False, indent=2))

    def test_help(self, snapshot: Callable[[str, str], None]) -> None:
        """The command document."""
        snapshot("shell-help.txt", HELP)

    def test_replies(self, snapshot: Callable[[str, str], None]) -> None:
        """The summary lines, and what is said of each fault."""
        board = Board(dialect="shell")
        texts = [board.write(case.values[0]).text for case in (*REPLIES, *FAULTS)]
        snapshot("shell-replies.txt", "\n\n".join(texts))
