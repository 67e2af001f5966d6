"""The right plan, never another's: subagents, shared lists, people's todos, and plans of earlier conversations."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hooking import SILENT, board, edited, environment, hook, hook_as_it_is, log, plan, tallies, todos
from payloads import (
    JSON,
    SESSION,
    SUBAGENT,
    bash,
    claude,
    claude_tool,
    codex,
    gemini,
    opencode,
    stop,
    task_create,
    task_list,
    task_update,
    todo_write,
    todowrite,
    update_plan,
    write_todos,
)

CODEX_SESSION = "01a1e4aa-5866-74d1-872e-b8e6bd9d7782"
GEMINI_SESSION = "d52593af-f59a-4b1d-b1d3-1863f7a03a99"
SUB = {"agent_id": SUBAGENT, "agent_type": "general-purpose"}


def added(folder: Path, *texts: str) -> None:
    """A person adds todos."""
    found = board(folder)
    for text in texts:
        assert found.add(text).ok
    found.store.close()


def test_a_subagent_works_on_the_main_agents_task_list(tmp_path: Path) -> None:
    """Claude Code has one task list for all agents of a conversation: so have we, and the subagent owns its work."""
    hook(tmp_path, task_create("1", "Read"))
    hook(tmp_path, task_create("2", "Fix"))
    edited(tmp_path, "2", content="Fix it all")
    assert hook(tmp_path, {**task_update("1", status="completed"), **SUB}) == SILENT
    assert todos(tmp_path) == [("1", "Read", "completed"), ("2", "Fix it all", "pending")]
    assert plan(tmp_path).todos[0].details.owner == f"general-purpose {SUBAGENT}"
    assert "now reads" in hook(tmp_path, claude("UserPromptSubmit", prompt="Go on")).context, "the main agent is told"
    hook(tmp_path, {**task_create("3", "Ship"), **SUB})
    hook(tmp_path, {**task_update("2", status="completed"), **SUB})
    hook(tmp_path, {**task_update("3", status="completed"), **SUB})
    assert hook(tmp_path, stop(), "--gate") == SILENT, "nothing is open"
    assert log(tmp_path) == ""


def test_conversations_that_share_a_task_list_share_a_plan(tmp_path: Path) -> None:
    """`CLAUDE_CODE_TASK_LIST_ID` names the list, and so the plan."""
    team = {"CLAUDE_CODE_TASK_LIST_ID": "team"}
    hook(tmp_path, task_create("1", "Read"), **team)
    hook(tmp_path, {**task_update("1", status="in_progress"), "session_id": "other"}, **team)
    assert todos(tmp_path, "team") == [("1", "Read", "in_progress")]
    assert "1. [in_progress] Read" in hook(tmp_path, claude("SessionStart", source="compact"), **team).context


def test_subagents_whose_ids_begin_alike_have_plans_of_their_own(tmp_path: Path) -> None:
    """Codex's ids begin with the time. The id is the name that the MCP server knows the subagent by, too."""
    first, second = (f"01a1e4aa-{end}" for end in ("1111-7000-8000-000000000001", "2222-7000-8000-000000000002"))
    for id, step in ((first, "A"), (second, "B")):
        hook(tmp_path, {**update_plan((step, "pending")), "agent_id": id, "agent_type": "default"}, harness="codex")
    assert todos(tmp_path, CODEX_SESSION, first) == [("1", "A", "pending")]
    assert todos(tmp_path, CODEX_SESSION, second) == [("1", "B", "pending")]


def test_a_list_that_is_read_undoes_nothing(tmp_path: Path) -> None:
    """Claude Code prints its own state of a task: a person's edit that the model knows of stays as it is."""
    hook(tmp_path, task_create("1", "Read"))
    hook(tmp_path, task_create("2", "Fix"))
    edited(tmp_path, "1", status="in_progress")
    found = board(tmp_path)
    found.remove("2")
    found.store.close()
    assert hook(tmp_path, bash()).context, "the model is told"
    hook(tmp_path, task_list(("1", "Read", "pending"), ("2", "Fix", "pending"), ("3", "Ship", "pending")))
    assert todos(tmp_path) == [("1", "Read", "in_progress"), ("3", "Ship", "pending")]


def test_a_list_that_is_read_does_not_count_as_telling(tmp_path: Path) -> None:
    """An edit that the model has not been told of is still told after it."""
    hook(tmp_path, task_create("1", "Read"))
    edited(tmp_path, "1", content="Read twice")
    said = hook(tmp_path, task_list(("1", "Read", "pending"))).context + hook(tmp_path, bash()).context
    assert said.count("now reads") == 1 and todos(tmp_path) == [("1", "Read twice", "pending")]


def gemini_agent(event: str, name: str = "generalist") -> JSON:
    """Gemini CLI begins or ends a subagent."""
    return gemini(event, tool_name="invoke_agent", tool_input={"agent_name": name, "prompt": "Look"}, tool_response={})


def test_a_gemini_subagent_has_a_plan_of_its_own(tmp_path: Path) -> None:
    """Its events name no agent, but they come between the start and the end of the tool that runs it."""

    def run(event: JSON) -> None:
        assert hook(tmp_path, event, harness="gemini") == SILENT

    run(write_todos(("Read", "completed"), ("Fix", "in_progress")))
    run(gemini_agent("BeforeTool"))
    run(write_todos(("Look", "pending")))
    run(gemini_agent("AfterTool"))
    run(write_todos(("Read", "completed"), ("Fix", "completed")))
    assert [status for _, _, status in todos(tmp_path, GEMINI_SESSION)] == ["completed", "completed"]
    found = board(tmp_path)
    agents = {one.key.agent: [todo.content for todo in one.plan.todos] for one in found.store.sessions()}
    found.store.close()
    (name,) = agents.keys() - {"main"}
    assert name.startswith("generalist ") and agents[name] == ["Look"]


def test_a_gemini_subagent_that_never_ended_is_over_with_the_next_prompt(tmp_path: Path) -> None:
    """A user who interrupts one goes on with the main agent."""
    hook(tmp_path, gemini_agent("BeforeTool"), harness="gemini")
    hook(tmp_path, gemini("BeforeAgent", prompt="Stop that"), harness="gemini")
    hook(tmp_path, write_todos(("Fix", "pending")), harness="gemini")
    assert todos(tmp_path, GEMINI_SESSION) == [("1", "Fix", "pending")]


def test_a_persons_todos_become_tasks_of_their_own_text(tmp_path: Path) -> None:
    """The model is told to create them, and whatever the order, each is the one that the person added."""
    hook(tmp_path, task_create("1", "Read"))
    added(tmp_path, "Ask the owner", "Tell the team")
    said = hook(tmp_path, bash()).context
    assert "Not in your own task list: 2, 3. Create it with TaskCreate" in said
    born = {todo.content: todo.created_at for todo in plan(tmp_path).todos}
    hook(tmp_path, task_create("2", "Tell the team"))
    hook(tmp_path, task_create("3", "Ask the owner"))
    hook(tmp_path, task_update("2", status="completed"))
    assert sorted(todos(tmp_path)) == [
        ("1", "Read", "pending"),
        ("2", "Tell the team", "completed"),
        ("3", "Ask the owner", "pending"),
    ]
    assert {todo.content: todo.created_at for todo in plan(tmp_path).todos} == born, "they are the same todos"


def test_two_tasks_of_one_text_are_two(tmp_path: Path) -> None:
    """A text is a hint only for todos that the harness does not know."""
    hook(tmp_path, task_create("1", "Test"))
    hook(tmp_path, task_create("2", "Test"))
    assert todos(tmp_path) == [("1", "Test", "pending"), ("2", "Test", "pending")]


def test_a_task_list_that_begins_again_at_one(tmp_path: Path) -> None:
    """A resumed conversation may have lost its tasks: the model creates the open ones again, and they are the same."""
    for id, text in (("1", "Read"), ("2", "Fix"), ("3", "Ship")):
        hook(tmp_path, task_create(id, text))
    hook(tmp_path, task_update("1", status="completed"))
    said = hook(tmp_path, claude("SessionStart", source="resume")).context
    assert "2. [pending] Fix" in said and "create again with TaskCreate, one call each" in said
    born = {todo.content: todo.created_at for todo in plan(tmp_path).todos}
    hook(tmp_path, task_create("1", "Fix"))
    hook(tmp_path, task_create("2", "Ship"))
    hook(tmp_path, task_update("1", status="completed"))
    found = {content: status for _, content, status in todos(tmp_path)}
    assert found == {"Read": "completed", "Fix": "completed", "Ship": "pending"}
    assert {todo.content: todo.created_at for todo in plan(tmp_path).todos} == born


@pytest.mark.parametrize("source", ["clear", "startup", "resume"])
def test_an_open_plan_is_offered_to_the_next_conversation(tmp_path: Path, source: str) -> None:
    """What the model creates of it are the same todos, and they leave the old plan; what it leaves stays there."""
    hook(tmp_path, claude("UserPromptSubmit", prompt="Repair the parser"))
    hook(tmp_path, task_create("1", "Read"))
    hook(tmp_path, task_create("2", "Fix"))
    hook(tmp_path, task_create("3", "Ship"))
    hook(tmp_path, task_update("1", status="completed"))
    born = plan(tmp_path).todos[1].created_at
    hook(tmp_path, claude("SessionEnd", reason="clear"))
    said = hook(tmp_path, claude("SessionStart", session="new", source=source)).context
    assert 'An earlier conversation ("Repair the parser") left 2 todos open:\n- Fix\n- Ship\n' in said
    assert "TaskCreate" in said and "holdfast resume --no --session e84fea32" in said
    assert hook(tmp_path, claude("UserPromptSubmit", session="new", prompt="Go on")) == SILENT, "once"
    hook(tmp_path, {**task_create("1", "Fix"), "session_id": "new"})
    assert todos(tmp_path, "new") == [("1", "Fix", "pending")]
    assert plan(tmp_path, "new").todos[0].created_at == born
    assert todos(tmp_path) == [("1", "Read", "completed"), ("3", "Ship", "pending")]


def test_the_plan_of_a_conversation_that_goes_on_is_nobody_elses(tmp_path: Path) -> None:
    """It is offered only when its own conversation is over, and not when it was put away."""
    hook(tmp_path, task_create("1", "Fix"))
    assert hook(tmp_path, claude("SessionStart", session="new", source="startup")) == SILENT
    hook(tmp_path, claude("SessionEnd", reason="other"))
    found = board(tmp_path)
    found.archive()
    found.store.close()
    assert hook(tmp_path, claude("SessionStart", session="newer", source="startup")) == SILENT
    assert todos(tmp_path) == [("1", "Fix", "pending")]


@pytest.mark.parametrize(
    ("harness", "started", "written"),
    [
        ("codex", codex("SessionStart", source="startup"), update_plan(("Fix", "in_progress"), ("New", "pending"))),
        ("gemini", gemini("SessionStart", source="startup"), write_todos(("Fix", "in_progress"), ("New", "pending"))),
        (
            "opencode",
            opencode("chat.message", prompt="Go on"),
            todowrite(("Fix", "in_progress", "low"), ("New", "pending", "low")),
        ),
    ],
)
def test_another_agent_may_take_a_plan_over(tmp_path: Path, harness: str, started: JSON, written: JSON) -> None:
    """A plan is offered whoever wrote it, and what another agent's list has of it is the same todo."""
    hook(tmp_path, todo_write(("Fix", "pending")))
    born = plan(tmp_path).todos[0].created_at
    hook(tmp_path, claude("SessionEnd", reason="other"))
    assert "- Fix" in hook(tmp_path, started, harness=harness).context
    hook(tmp_path, written, harness=harness)
    mine = plan(tmp_path, started["session_id"])
    assert [todo.content for todo in mine.todos] == ["Fix", "New"] and mine.todos[0].created_at == born
    assert todos(tmp_path) == []


def test_a_list_that_drops_a_persons_todo_is_told(tmp_path: Path) -> None:
    """Only that: what the model itself had planned is its own to drop."""
    hook(tmp_path, todo_write(("A", "pending"), ("B", "pending")))
    added(tmp_path, "Ask the owner")
    assert "added 3" in hook(tmp_path, bash()).context
    said = hook(tmp_path, todo_write(("A", "in_progress"))).context
    assert said == (
        "<reminder>Left out of the list while still open, and added by the user: 3 (Ask the owner).</reminder>"
    )


def test_the_same_event_from_two_settings_counts_once(tmp_path: Path) -> None:
    """Hooks of the user and of the project both run; only one of them acts."""
    hook(tmp_path, todo_write(("A", "pending")))
    for event in (bash(), {**bash(), "tool_use_id": "toolu_2"}):
        for _ in range(2):
            assert hook_as_it_is(tmp_path, event) == SILENT
    assert tallies(tmp_path)["hook.work"] == 2


def test_a_locked_plan_file_holds_no_hook_up(tmp_path: Path) -> None:
    """It gives up within half a second, the log says so, and the next hook records it."""
    hook(tmp_path, todo_write(("A", "pending")))
    lock = sqlite3.connect(tmp_path / "plans.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    assert hook(tmp_path, todo_write(("A", "completed"))) == SILENT
    took = time.monotonic() - began
    lock.rollback()
    lock.close()
    assert took < 4, "ten seconds before"
    assert "TodoWrite is recorded by the next hook" in log(tmp_path) and "is locked" in log(tmp_path)
    assert todos(tmp_path) == [("1", "A", "pending")]
    hook(tmp_path, bash())
    assert todos(tmp_path) == [("1", "A", "completed")]


@contextmanager
def locked_file(folder: Path) -> Iterator[None]:
    """Another program writes to the plan file meanwhile."""
    lock = sqlite3.connect(folder / "plans.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        lock.rollback()
        lock.close()


def test_what_was_used_while_the_file_was_locked_is_counted_by_the_next_hook(tmp_path: Path) -> None:
    """Also if that one finds it locked again: nothing that waits is lost, and it is counted once."""
    hook(tmp_path, todo_write(("A", "pending")))
    with locked_file(tmp_path):
        for event in (bash(), bash(), claude("SessionStart", source="compact")):
            assert hook(tmp_path, event) == SILENT
    assert log(tmp_path).count("is recorded by the next hook") == 3
    assert tallies(tmp_path).get("hook.work", 0) == 0
    assert "1. [pending] A" in hook(tmp_path, bash()).context, "the model cannot see its plan since then"
    assert tallies(tmp_path)["hook.work"] == 3
    hook(tmp_path, bash())
    assert tallies(tmp_path)["hook.work"] == 4


def test_a_prompt_of_our_own_that_was_put_off_does_not_count_as_the_users(tmp_path: Path) -> None:
    """Otherwise the gate would hold a model that makes no progress on and on."""
    hook(tmp_path, todo_write(("A", "pending")))
    assert hook(tmp_path, stop(), "--gate").stdout
    with locked_file(tmp_path):
        hook(tmp_path, bash(), "--gate")
        hook(tmp_path, claude("UserPromptSubmit", prompt="[Holdfast] Go on"), "--gate")
    hook(tmp_path, bash(), "--gate")
    assert (tallies(tmp_path)["hook.held"], tallies(tmp_path)["hook.work"]) == (1, 2)


def test_an_edit_that_could_not_be_told_since_the_file_was_locked_is_told_later(tmp_path: Path) -> None:
    """Nothing is called told that nobody has read."""
    hook(tmp_path, todo_write(("A", "pending"), ("B", "pending")))
    edited(tmp_path, "2", content="Ask the owner")
    with locked_file(tmp_path):
        assert hook(tmp_path, bash()) == SILENT
    assert "Ask the owner" in hook(tmp_path, bash()).context


def test_a_session_has_a_name_that_people_know(tmp_path: Path) -> None:
    """The first prompt, the client, the folder and the branch, and when it began."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/parser\n")
    before = time.time()
    hook(tmp_path, claude("UserPromptSubmit", prompt="Repair\nthe parser", cwd=str(tmp_path)))
    hook(tmp_path, claude("UserPromptSubmit", prompt="And now?", cwd=str(tmp_path)))
    hook(tmp_path, {**todo_write(("A", "pending")), "cwd": str(tmp_path)})
    about = plan(tmp_path).about
    assert about[1:5] == ("Repair the parser", "claude-code", str(tmp_path), "parser")
    assert before <= about.began_at <= time.time()
    began = about.began_at
    hook(tmp_path, {**todo_write(("A", "completed")), "cwd": str(tmp_path)})
    assert plan(tmp_path).about.began_at == began


def test_old_trails_are_removed(tmp_path: Path) -> None:
    """What hooks leave for each other is gone after a week."""
    hook(tmp_path, bash())
    (trail,) = (tmp_path / "state" / "holdfast" / "hooks").iterdir()
    os.utime(trail, (1, 1))
    hook(tmp_path, claude("SessionStart", session="new", source="startup"))
    assert not trail.exists()


def test_a_broken_trail_is_begun_anew(tmp_path: Path) -> None:
    """It is a help for hooks, not a need."""
    hook(tmp_path, bash())
    (trail,) = (tmp_path / "state" / "holdfast" / "hooks").iterdir()
    trail.write_text("[1, 2")
    hook(tmp_path, todo_write(("A", "pending")))
    assert todos(tmp_path) == [("1", "A", "pending")] and json.loads(trail.read_text())[0] > 0
    assert log(tmp_path) == "" and SESSION in trail.name


def test_whose_call_it_is_waits_for_the_server(tmp_path: Path) -> None:
    """Before a call of our MCP server's tool, a hook leaves a note of who makes it; other tools leave none."""
    used: JSON = {"tool_name": "mcp__holdfast__TodoWrite", "tool_input": {}, "tool_use_id": "toolu_9"}
    assert hook(tmp_path, claude("PreToolUse", **used, **SUB)) == SILENT
    assert hook(tmp_path, claude_tool("Read", {}, {})) == SILENT
    (note,) = (tmp_path / "state" / "holdfast" / "hooks" / "calls").iterdir()
    assert json.loads(note.read_text()) == [SESSION, f"general-purpose {SUBAGENT}"]


def test_a_plan_that_a_person_wants_comes_with_the_next_prompt(tmp_path: Path) -> None:
    """`holdfast resume` in another terminal: the next conversation without a plan is told to go on with it, once."""
    hook(tmp_path, task_create("1", "Fix"))
    command = [sys.executable, "-m", "holdfast", "resume"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), check=True, capture_output=True, text=True)
    assert "- Fix" in ran.stdout
    said = hook(tmp_path, claude("UserPromptSubmit", session="new", prompt="Hi")).context
    assert "The user wants you to go on with them" in said
    assert hook(tmp_path, claude("UserPromptSubmit", session="newer", prompt="Hi")) == SILENT
    hook(tmp_path, {**task_create("1", "Fix"), "session_id": "new"})
    assert todos(tmp_path, "new") == [("1", "Fix", "pending")] and todos(tmp_path) == []
