"""The `mini` dialect against every line of its contract that concerns the tool."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Board


def item(content: str = "Read", active_form: str = "Reading", **more: object) -> dict[str, Any]:
    """One item of the model's call; its status is pending by default."""
    return {"content": content, "activeForm": active_form, **more}


@pytest.fixture
def board() -> Board:
    """A board with one todo on it."""
    board = Board(dialect="mini", clock=lambda: 1.0)
    assert board.write({"items": [item("Old", "Aging")]}).ok
    return board


ACCEPTED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "the list field is items": ([item()], "[ ] Read\n\n(0/1 completed)"),
    "a status may be left out, and is pending": ([item("A")], "[ ] A\n\n(0/1 completed)"),
    "pending": ([item(status="pending")], "[ ] Read\n\n(0/1 completed)"),
    "in_progress shows what is being done": ([item(status="in_progress")], "[>] Read <- Reading\n\n(0/1 completed)"),
    "completed": ([item(status="completed")], "[x] Read\n\n(1/1 completed)"),
    "a status in any letter case": (
        [item("A", status="PENDING"), item("B", status="In_Progress"), item("C", status="Completed")],
        "[ ] A\n[>] B <- Reading\n[x] C\n\n(1/3 completed)",
    ),
    "unknown keys are dropped": ([item("A", id="7", priority="high")], "[ ] A\n\n(0/1 completed)"),
    "texts are trimmed": (
        [item("  A\n", "\tA-ing ", status="in_progress")],
        "[>] A <- A-ing\n\n(0/1 completed)",
    ),
    "20 items": (
        [item(str(number)) for number in range(20)],
        "\n".join([*(f"[ ] {number}" for number in range(20)), "", "(0/20 completed)"]),
    ),
    "there is no limit to the characters": ([item("x" * 5000)], f"[ ] {'x' * 5000}\n\n(0/1 completed)"),
    "an empty list clears": ([], "No todos."),
    "the example of the contract": (
        [
            item("Refactor auth module", "Refactoring", status="completed"),
            item("Add unit tests", "Adding unit tests for auth module...", status="in_progress"),
            item("Update documentation", "Updating", status="pending"),
        ],
        "[x] Refactor auth module\n"
        "[>] Add unit tests <- Adding unit tests for auth module...\n"
        "[ ] Update documentation\n"
        "\n"
        "(1/3 completed)",
    ),
    "a line break in a text does not break its line": ([item("A\nB")], "[ ] A B\n\n(0/1 completed)"),
}

MANY = [item(str(number)) for number in range(21)]
TWO = [item("A", status="in_progress"), item("B", status="in_progress")]

REFUSED: dict[str, tuple[Any, str]] = {
    "no content": ([{"activeForm": "A-ing"}], "Item 0: content required"),
    "empty content": ([item("")], "Item 0: content required"),
    "blank content": ([item("A"), item(" \n ")], "Item 1: content required"),
    "an unknown status": ([item(status="x")], "Item 0: invalid status 'x'"),
    "a status is shown in small letters, as it is compared": ([item(status="DONE")], "Item 0: invalid status 'done'"),
    "cancelled is not one of the three": ([item(status="cancelled")], "Item 0: invalid status 'cancelled'"),
    "no activeForm": ([{"content": "A"}], "Item 0: activeForm required"),
    "empty activeForm": ([item(active_form="")], "Item 0: activeForm required"),
    "blank activeForm": ([item(), item(active_form=" ")], "Item 1: activeForm required"),
    "more than 20 items": (MANY, "Max 20 todos allowed"),
    "more than one in progress": (TWO, "Only one task can be in_progress at a time"),
    "in an item, content comes before status": ([item("", status="x")], "Item 0: content required"),
    "in an item, status comes before activeForm": ([item("A", "", status="x")], "Item 0: invalid status 'x'"),
    "an earlier item comes before a later one": (
        [item("A", ""), item("")],
        "Item 0: activeForm required",
    ),
    "the items come before their number": ([*MANY, item("")], "Item 21: content required"),
    "the items come before the focus": ([*TWO, item("")], "Item 2: content required"),
    "the number comes before the focus": ([*TWO, *MANY], "Max 20 todos allowed"),
    "a content that is a number": ([{**item(), "content": 7}], "Item 0: content must be text, received the number 7"),
    "a content that is null": ([{**item(), "content": None}], "Item 0: content must be text, received null"),
    "a status that is a list": ([item(status=["pending"])], "Item 0: status must be text, received a list"),
    "an activeForm that is an object": (
        [{**item(), "activeForm": {}}],
        "Item 0: activeForm must be text, received an object",
    ),
    "an item that is a text": (["A"], "Item 0: must be an object, received 'A'"),
    "a list that is null": (None, "items must be a list, received null"),
}


@pytest.mark.parametrize(("items", "text"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_accepted(board: Board, items: list[dict[str, Any]], text: str) -> None:
    """The whole list replaces the old one, and the reply is the list as it is now."""
    reply = board.write({"items": items})
    assert (reply.ok, reply.text, reply.data) == (True, text, None)
    assert len(board.plan.todos) == len(items)


@pytest.mark.parametrize(("items", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(board: Board, items: object, message: str) -> None:
    """The first fault is reported, items first, then their number, then the focus; the old list stays."""
    before = board.plan
    reply = board.write({"items": items})
    assert (reply.ok, reply.text) == (False, f"Error: {message}")
    assert [fault.message for fault in reply.faults] == [message]
    assert board.plan is before


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({}, "items required"),
        ({"todos": []}, "items required"),
        ([], "input must be an object, received a list"),
        ("[]", "input must be an object, received a list"),
        (None, "input must be an object, received null"),
        ("nonsense", "not valid JSON: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_a_payload_without_a_list(board: Board, payload: object, message: str) -> None:
    """What holds no list is refused and never taken for an empty one."""
    before = board.plan
    assert board.write(payload).text == f"Error: {message}"
    assert board.plan is before


class TestTheTool:
    def test_its_name_and_description(self, board: Board) -> None:
        """The tool is named and described as in the contract."""
        tool = board.tool("anthropic")
        assert tool["name"] == "TodoWrite"
        assert tool["description"] == "Update the task list. Use to plan and track progress."

    def test_its_schema(self, board: Board) -> None:
        """The schema is the contract's, with a limit of 20, and with an optional status."""
        assert board.tool("anthropic")["input_schema"] == {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "content": {"type": "string", "description": "Task description"},
                            "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                            "activeForm": {
                                "type": "string",
                                "description": "Present tense action, e.g. 'Reading files'",
                            },
                        },
                        "required": ["content", "activeForm"],
                    },
                    "maxItems": 20,
                }
            },
            "required": ["items"],
        }

    def test_texts_are_stored_trimmed(self, board: Board) -> None:
        """Spaces around a text are not kept."""
        board.write({"items": [item(" A ", "\tB\n")]})
        assert (board.plan.todos[0].content, board.plan.todos[0].active_form) == ("A", "B")

    def test_a_hosts_texts_are_trimmed_too(self, board: Board) -> None:
        """What a host updates is stored as the dialect stores it."""
        board.update([{"id": "1", "content": " New "}])
        assert board.plan.todos[0].content == "New"


def test_what_a_model_reads(board: Board, snapshot: Callable[[str, str], None]) -> None:
    """Definition, prompt and replies are what was read and approved."""
    snapshot("mini-definition.json", json.dumps(board.tool("anthropic"), indent=2, ensure_ascii=False))
    snapshot("mini-prompt.txt", board.prompt)
    replies = {"the example of the contract": board.write({"items": ACCEPTED["the example of the contract"][0]}).text}
    for rule, (items, _) in REFUSED.items():
        replies[rule] = board.write({"items": items}).text
    snapshot("mini-replies.txt", "\n\n".join(f"{rule}\n{text}" for rule, text in replies.items()))
