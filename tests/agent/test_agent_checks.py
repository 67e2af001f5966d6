"""The agent runs the checks of its todos, with the permission that its commands need."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from holdfast import Rules, Session
from holdfast.agent import Agent, AgentTool, Rehearsal, Workspace, call, standard_tools, text

PLAN = call("TodoWrite", todos=[{"content": "Make it", "check": "test -f made && echo found"}])
DONE = call("TodoWrite", todos=[{"id": "1", "status": "completed"}])
MAKE = call("write_file", path="made", content="x")


def run(folder: Path, is_allowed: bool, *turns: list[Any]) -> tuple[Agent, list[str], list[str]]:
    """An agent that has played these turns; the commands that it asked for; what it read."""
    asked: list[str] = []

    def permission(tool: AgentTool, arguments: Mapping[str, Any]) -> bool:
        if tool.name == "bash":
            asked.append(arguments["command"])
        return tool.name != "bash" or is_allowed

    session = Session(rules=Rules(checks=True), root=folder)
    agent = Agent(
        Rehearsal([*turns, [text("Done.")]]), session, standard_tools(Workspace(folder)), permission=permission
    )
    agent.run("Go")
    blocks = [block for message in agent.messages if message["role"] == "user" for block in message["content"]]
    return agent, asked, [block["content"] for block in blocks if block["type"] == "tool_result"]


def test_a_command_of_the_model_runs_with_permission(tmp_path: Path) -> None:
    """The user is asked for it like for every command; it fails before the work, and passes after it."""
    agent, asked, results = run(tmp_path, True, [PLAN], [DONE], [MAKE], [DONE])
    assert asked == ["test -f made && echo found"] * 2
    assert "[exit code 1]" in results[1]
    proof = agent.board.plan.todos[0].proof
    assert proof is not None and (proof.output, proof.by) == ("found", "model")


def test_without_permission_nothing_runs(tmp_path: Path) -> None:
    """Then the completion is not taken either: a check that may not run has not passed."""
    agent, asked, results = run(tmp_path, False, [PLAN], [MAKE], [DONE])
    assert len(asked) == 1
    assert "the user did not allow this" in results[-1]
    assert agent.board.plan.open


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_needs_no_permission(tmp_path: Path, is_there: bool) -> None:
    """Looking at a file in the workspace is what the agent may do anyway."""
    plan = call("TodoWrite", todos=[{"content": "Make it", "check": "file:made contains x"}])
    agent, asked, _ = run(tmp_path, False, [plan], [MAKE] if is_there else [text("")], [DONE])
    assert asked == []
    assert agent.board.plan.is_finished is is_there
