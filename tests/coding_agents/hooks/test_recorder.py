"""What a harness's own plan tools write is in the store, one plan a conversation."""

from pathlib import Path
from typing import Any

import pytest
from hooking import SILENT, board, edited, hook, log, plan, todos
from payloads import (
    SESSION,
    SUBAGENT,
    bash,
    claude_tool,
    codex,
    gemini,
    opencode,
    task_create,
    task_list,
    task_update,
    todo_write,
    todowrite,
    update_plan,
    write_todos,
)


def test_claude_codes_list_is_recorded(tmp_path: Path) -> None:
    """A list is there when the hook ends, and nothing is said; the next one changes it, ids stay."""
    assert hook(tmp_path, todo_write(("A", "in_progress"), ("B", "pending"))) == SILENT
    assert todos(tmp_path) == [("1", "A", "in_progress"), ("2", "B", "pending")]
    assert plan(tmp_path).todos[0].active_form == "Doing A"
    assert hook(tmp_path, todo_write(("A", "completed"), ("B", "in_progress"), ("C", "pending"))) == SILENT
    assert todos(tmp_path) == [("1", "A", "completed"), ("2", "B", "in_progress"), ("3", "C", "pending")]


def test_conversations_and_subagents_have_plans_of_their_own(tmp_path: Path) -> None:
    """A session and an agent id name the plan; a subagent is named by its type."""
    hook(tmp_path, todo_write(("A", "pending")))
    hook(tmp_path, todo_write(("B", "pending"), session="other"))
    hook(tmp_path, todo_write(("C", "pending"), agent_id=SUBAGENT, agent_type="general-purpose"))
    assert todos(tmp_path) == [("1", "A", "pending")]
    assert todos(tmp_path, "other") == [("1", "B", "pending")]
    assert todos(tmp_path, SESSION, f"general-purpose {SUBAGENT}") == [("1", "C", "pending")]


def test_tasks_are_folded_into_one_plan(tmp_path: Path) -> None:
    """Tasks are made, changed and deleted under the harness's own ids, with all that is said of them."""
    hook(tmp_path, task_create("1", "Read", activeForm="Reading"))
    hook(tmp_path, task_create("2", "Fix", metadata={"a": 1}))
    hook(tmp_path, task_create("3", "Ship"))
    hook(tmp_path, task_update("1", status="in_progress"))
    hook(tmp_path, task_update("2", addBlockedBy=["1"], owner="ada", metadata={"b": 2, "a": None}))
    hook(tmp_path, task_update("3", status="deleted"))
    hook(tmp_path, task_update("1", status="completed", subject="Read it all"))
    assert todos(tmp_path) == [("1", "Read it all", "completed"), ("2", "Fix", "pending")]
    first, second = plan(tmp_path).todos
    assert (first.active_form, first.details.description) == ("Reading", "All of Read")
    assert (second.details.blocked_by, second.details.owner, second.details.metadata) == (("1",), "ada", '{"b":2}')


def test_tasks_of_one_turn_may_be_told_in_any_order(tmp_path: Path) -> None:
    """A task keeps the id of its harness although a later one was recorded first."""
    for id in ("2", "3", "1"):
        hook(tmp_path, task_create(id, f"Task {id}"))
    assert todos(tmp_path) == [(id, f"Task {id}", "pending") for id in ("1", "2", "3")]
    hook(tmp_path, task_create("4", "Task 4"))
    assert todos(tmp_path)[-1] == ("4", "Task 4", "pending")


def test_a_list_of_tasks_brings_what_was_missed(tmp_path: Path) -> None:
    """Tasks from before the hooks are recorded when they are listed; finished ones belong to the past."""
    assert hook(tmp_path, task_update("2", status="completed")) == SILENT
    assert "no task #2" in log(tmp_path)
    shown = task_list(("1", "Read", "completed"), ("2", "Fix", "in_progress"), ("3", "Ship", "pending"))
    hook(tmp_path, shown)
    assert todos(tmp_path) == [("2", "Fix", "in_progress"), ("3", "Ship", "pending")]
    revision = plan(tmp_path).revision
    hook(tmp_path, shown)
    assert plan(tmp_path).revision == revision == 1


def test_a_finished_plan_is_closed_by_the_next_task(tmp_path: Path) -> None:
    """A task made when nothing is open begins a new plan, and the numbers go on."""
    hook(tmp_path, task_create("1", "Read"))
    hook(tmp_path, task_update("1", status="completed"))
    hook(tmp_path, task_create("2", "Fix"))
    assert (plan(tmp_path).number, todos(tmp_path)) == (2, [("2", "Fix", "pending")])


def test_a_persons_todo_makes_room_for_a_task_of_the_same_number(tmp_path: Path) -> None:
    """People and harnesses both count up: neither's todo is overwritten, and the same text is the same todo."""
    hook(tmp_path, task_create("1", "Read"))
    found = board(tmp_path)
    assert found.add("Ask the owner").ok and found.add("Ship").ok
    found.store.close()
    hook(tmp_path, task_create("2", "Fix"))
    hook(tmp_path, task_create("3", "Ship"))
    assert sorted(todos(tmp_path)) == [
        ("1", "Read", "pending"),
        ("2", "Fix", "pending"),
        ("3", "Ship", "pending"),
        ("4", "Ask the owner", "pending"),
    ]


@pytest.mark.parametrize(
    ("harness", "event", "more", "session", "expected"),
    [
        (
            "codex",
            update_plan(("Read", "completed"), ("Fix", "in_progress")),
            codex("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response="hi\n"),
            "01a1e4aa-5866-74d1-872e-b8e6bd9d7782",
            [("1", "Read", "completed"), ("2", "Fix", "in_progress")],
        ),
        (
            "gemini",
            write_todos(("Read", "cancelled"), ("Fix", "blocked")),
            gemini("AfterTool", tool_name="run_shell_command", tool_input={}, tool_response={"llmContent": "hi"}),
            "d52593af-f59a-4b1d-b1d3-1863f7a03a99",
            [("1", "Read", "cancelled"), ("2", "Fix", "blocked")],
        ),
        (
            "opencode",
            todowrite(("Read", "cancelled", "high"), ("Fix", "pending", "low")),
            opencode("tool.execute.after", tool_name="bash", tool_input={}),
            "ses_7a1b2c3d4e5f",
            [("1", "Read", "cancelled"), ("2", "Fix", "pending")],
        ),
    ],
)
def test_other_harnesses_lists_are_recorded(
    tmp_path: Path, harness: str, event: object, more: object, session: str, expected: object
) -> None:
    """The plans of Codex, Gemini CLI and opencode are read by their dialects, and other tools are left alone."""
    assert hook(tmp_path, event, harness=harness) == SILENT
    assert hook(tmp_path, more, harness=harness) == SILENT
    assert todos(tmp_path, session) == expected
    assert log(tmp_path) == ""


BUSY = (("A", "in_progress"), ("B" * 5000, "in_progress"))


@pytest.mark.parametrize(
    ("harness", "event"),
    [
        ("claude-code", todo_write(*BUSY)),
        ("codex", update_plan(*BUSY)),
        ("gemini", write_todos(*BUSY)),
        ("opencode", todowrite(*((text, status, "high") for text, status in BUSY))),
    ],
)
@pytest.mark.parametrize("attention", ["quiet", "rail"])
def test_what_a_harness_took_is_not_refused(
    tmp_path: Path, harness: str, event: dict[str, Any], attention: str
) -> None:
    """Several todos at once, long texts and fields that nobody knows yet are recorded: the harness let them pass."""
    given = event["tool_input"]
    items = [{**item, "mood": "sunny"} for item in given.get("plan") or given["todos"]]
    given = {**given, "plan" if "plan" in given else "todos": items, "mood": "sunny"}
    hook(tmp_path, {**event, "tool_input": given}, "--attention", attention, harness=harness)
    assert [status for _, _, status in todos(tmp_path, event["session_id"])] == ["in_progress", "in_progress"]
    assert log(tmp_path) == ""


def test_a_call_that_cannot_be_read_is_logged(tmp_path: Path) -> None:
    """A list that is none changes nothing, and the log says what was wrong with it."""
    hook(tmp_path, todo_write(("A", "pending")))
    assert hook(tmp_path, claude_tool("TodoWrite", {"todos": "all of them"}, {})) == SILENT
    assert todos(tmp_path) == [("1", "A", "pending")]
    assert "TodoWrite was not recorded: todos: " in log(tmp_path)


def test_our_own_server_is_no_work_and_is_not_recorded_twice(tmp_path: Path) -> None:
    """A call of our MCP server's tool is its own business."""
    hook(tmp_path, claude_tool("mcp__holdfast__TodoWrite", {"todos": [{"content": "A"}]}, "Saved 1."))
    assert not (tmp_path / "plans.db").exists()
    hook(tmp_path, todo_write(("A", "pending")))
    hook(tmp_path, claude_tool("mcp__holdfast__TodoWrite", {"todos": [{"content": "B"}]}, "Saved 1."))
    assert todos(tmp_path) == [("1", "A", "pending")]


def test_without_a_plan_nothing_is_made(tmp_path: Path) -> None:
    """A conversation that never plans leaves no plan file behind."""
    for event in (bash(), gemini("SessionStart", source="startup")):
        hook(tmp_path, event, harness="gemini" if "timestamp" in event else "claude-code")
    assert not (tmp_path / "plans.db").exists()
    assert log(tmp_path) == ""


def test_a_persons_edit_wins_and_the_model_reads_of_it(tmp_path: Path) -> None:
    """A list that undoes a person's edit does not, and the answer to the call tells why, once."""
    hook(tmp_path, todo_write(("A", "pending"), ("B", "pending")))
    edited(tmp_path, "2", status="cancelled")
    said = hook(tmp_path, todo_write(("A", "in_progress"), ("B", "pending"))).context
    assert todos(tmp_path) == [("1", "A", "in_progress"), ("2", "B", "cancelled")]
    assert said == '<reminder>The user changed the plan: 2 ("B") is cancelled. 1/2 done. Now 1: A</reminder>'
    assert hook(tmp_path, todo_write(("A", "completed"), ("B", "cancelled"))).context == ""
