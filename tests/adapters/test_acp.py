"""Plans for editors: what the Agent Client Protocol can say, and when it is said."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from strategies import obeyed, plans

from holdfast import Board, Plan, Status, Todo
from holdfast.adapters import acp
from holdfast.plan import Details

SCHEMA = {
    "type": "object",
    "properties": {
        "sessionUpdate": {"const": "plan"},
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "priority": {"enum": ["high", "medium", "low"]},
                    "status": {"enum": ["pending", "in_progress", "completed"]},
                },
                "required": ["content", "priority", "status"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["sessionUpdate", "entries"],
}
"""A plan's update as the protocol describes it."""


@given(plans())
def test_every_plan_can_be_said(plan: Plan) -> None:
    """Whatever is in a plan, its update is valid, carries text that an editor may show, and goes through JSON."""
    update = acp.update(plan)
    Draft202012Validator(SCHEMA).validate(update)
    assert json.loads(json.dumps(update)) == update
    assert not any(obeyed(entry["content"]) for entry in update["entries"])


def test_what_the_protocol_has_no_word_for() -> None:
    """A blocked todo is still to be done; a cancelled one is no part of the plan; a priority is said if known."""
    todos = [Todo(str(number), f"{status}", status) for number, status in enumerate(Status)]
    todos.append(Todo("9", "urgent", details=Details(priority="high")))
    assert acp.entries(Plan(tuple(todos))) == [
        {"content": "pending", "priority": "medium", "status": "pending"},
        {"content": "in_progress", "priority": "medium", "status": "in_progress"},
        {"content": "completed", "priority": "medium", "status": "completed"},
        {"content": "blocked", "priority": "medium", "status": "pending"},
        {"content": "urgent", "priority": "high", "status": "pending"},
    ]


def test_an_editor_is_told_of_the_whole_plan_after_each_change() -> None:
    """Every message is a JSON-RPC notification for its session; what changes nothing in it is not sent."""
    board, sent = Board(), list[dict[str, Any]]()
    end = acp.follow(board, "sess_1", sent.append)
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.write({"todos": [{"id": "1"}], "summary": "the goal is no part of it"})
    board.edit("1", status=Status.COMPLETED)
    end()
    board.edit("2", status=Status.COMPLETED)
    assert [message["method"] for message in sent] == ["session/update", "session/update"]
    assert all("id" not in message and message["params"]["sessionId"] == "sess_1" for message in sent)
    assert [[entry["status"] for entry in message["params"]["update"]["entries"]] for message in sent] == [
        ["pending", "pending"],
        ["completed", "pending"],
    ]


@pytest.mark.parametrize("place", [None, "plans.db"])
def test_changes_by_others_are_heard_of(tmp_path: Path, place: str | None) -> None:
    """The plan as it is comes first, then each change that others make, of this board only."""
    board = Board(dialect="holdfast", store=None if place is None else tmp_path / place, session="mine")
    board.write({"todos": [{"content": "A"}]})
    messages = acp.changes(board, "sess_1", timeout=0.2)
    assert [entry["content"] for entry in next(messages)["params"]["update"]["entries"]] == ["A"]
    person = Board(dialect="holdfast", store=board.store if place is None else tmp_path / place, session="mine")
    Board(dialect="holdfast", store=person.store, session="other").write({"todos": [{"content": "not of this plan"}]})
    person.add("B")
    person.mark_edits_told()
    assert [entry["content"] for entry in next(messages)["params"]["update"]["entries"]] == ["A", "B"]
    assert list(messages) == []
    person.store.close()
    board.store.close()
