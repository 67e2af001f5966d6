"""Subagents: a context, a plan and limits of their own, shown under their parent, and gone when they are through."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from holdfast import Session
from holdfast.agent import Agent, AgentEvent, AgentTool, Limits, Rehearsal, call, text
from holdfast.agent.events import Finished, Subagent, TodoUpdate, event_data
from holdfast.agent.tools.task import task_tool
from holdfast.plan import Todo

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TASK = call("Task", description="count lines", prompt="Count the lines of a.txt")


def agent_of(*turns: list[Any], tools: tuple[AgentTool, ...] = (), **options: Any) -> tuple[Agent, list[AgentEvent]]:
    """An agent that can have subagents, and what it tells of."""
    agent = Agent(Rehearsal(turns), options.pop("session", None) or Session(), tools, **options)
    tool = task_tool(agent)
    agent.tools[tool.name] = tool
    events: list[AgentEvent] = []
    agent.on_event(events.append)
    return agent, events


def test_a_subagent_has_a_context_and_a_plan_of_its_own() -> None:
    """It sees only its prompt, its plan is not its parent's, its last words are the result, and then it is gone."""
    plan = [call("TodoWrite", todos=[{"content": "Main work"}])]
    inner = [call("TodoWrite", todos=[{"content": "Count"}, {"content": "Tell"}])]
    agent, events = agent_of(plan, [TASK], inner, [text("There are 2.")], [text("Done.")])
    boards: list[tuple[Todo, ...]] = []
    agent.on_event(
        lambda event: (
            boards.append(agent.session.subagent("task-1").plan.todos)
            if isinstance(event, Subagent) and isinstance(event.event, TodoUpdate)
            else None
        )
    )
    result = agent.run("Do it")
    assert result.reason == "done"
    assert isinstance(agent.model, Rehearsal)
    assert agent.model.requests[2]["messages"][0]["content"][0] == text("Count the lines of a.txt")
    assert len(agent.model.requests[2]["messages"]) == 1
    assert "Task" not in [tool["name"] for tool in agent.model.requests[2]["tools"]]
    assert agent.messages[4]["content"][0]["content"] == "There are 2."
    assert [todo.content for todo in result.todos] == ["Main work"]
    assert [todo.content for todo in boards[0]] == ["Count", "Tell"]
    assert agent.session.subagent("task-1").plan.todos == ()
    told = [event for event in events if isinstance(event, Subagent)]
    assert {(event.name, event.task) for event in told} == {("task-1", "count lines")}
    assert isinstance(told[-1].event, Finished)


def test_the_plan_of_a_subagent_does_not_announce_itself_as_the_main_one() -> None:
    """A host that listens to the session hears of the main agent's todos only."""
    agent, _ = agent_of([TASK], [call("TodoWrite", todos=[{"content": "Count"}])], [text("2")], [text("Done.")])
    heard: list[object] = []
    agent.session.on_todos(heard.append)
    agent.run("Do it")
    assert heard == []


def test_what_a_subagent_takes_counts_for_its_parent() -> None:
    """Tokens add up, and a limit on them holds for both together; turns are its own."""
    agent, _ = agent_of([TASK], [text("2")], [text("Done.")])
    agent.run("Do it")
    assert isinstance(agent.model, Rehearsal)
    whole = agent.tokens_in + agent.tokens_out
    assert whole == agent.budget.tokens
    assert len(agent.model.requests) == 3
    poor, _ = agent_of([TASK], [text("2")], [text("Done.")], limits=Limits(tokens=whole // 2))
    assert poor.run("Do it").reason.startswith("limit: ")


def test_a_subagent_that_ends_early_is_told_as_an_error() -> None:
    """Its parent learns why, and goes on."""
    look = AgentTool("look", "Look.", NOTHING, lambda: "seen")
    agent, _ = agent_of([TASK], *[[call("look")] for _ in range(3)], [text("Done.")], tools=(look,))
    assert agent.run("Do it").reason == "done"
    told = agent.messages[2]["content"][0]
    assert told["is_error"]
    assert "ended early (loop: look was called 3 times" in told["content"]


def test_ctrl_c_in_a_subagent_stops_its_parent_too() -> None:
    """The user is handed back to, and no plan of the subagent is left."""

    def interrupt() -> str:
        raise KeyboardInterrupt

    inner = [call("TodoWrite", todos=[{"content": "Count"}])]
    agent, _ = agent_of(
        [TASK], inner, [call("hang")], [text("never")], tools=(AgentTool("hang", "", NOTHING, interrupt),)
    )
    assert agent.run("Do it").reason == "interrupted"
    assert agent.session.subagent("task-1").plan.todos == ()
    assert agent.attention.turn.subagents == 0
    assert agent.messages[-1]["content"][0]["is_error"]


def test_what_a_crash_left_under_the_name_is_not_taken_up(tmp_path: Path) -> None:
    """A new subagent begins with an empty plan, though the store still has that of one that was killed."""
    session = Session(store=tmp_path / "plans.db", name="s")
    session.subagent("task-1").write({"todos": [{"content": "Left over"}]})
    again = Session(store=tmp_path / "plans.db", name="s")
    agent, _ = agent_of([TASK], [text("2")], [text("Done.")], session=again)
    agent.run("Do it")
    assert isinstance(agent.model, Rehearsal)
    assert "Left over" not in str(agent.model.requests)


def test_permission_is_asked_for_subagents_too() -> None:
    """What a subagent wants to run needs the same word of the user."""
    asked: list[str] = []
    tool = AgentTool("bash", "", NOTHING, lambda: "ran", needs_permission=True)
    agent, _ = agent_of([TASK], [call("bash")], [text("2")], [text("Done.")], tools=(tool,))

    def refuse(tool: AgentTool, arguments: Mapping[str, Any]) -> bool:
        asked.append(tool.name)
        return False

    agent.permission = refuse
    agent.run("Do it")
    assert asked == ["bash"]


@pytest.mark.parametrize("kind", ["tool_call", "todo_update", "finished"])
def test_events_of_a_subagent_are_plain_data(kind: str) -> None:
    """As data an event of a subagent stands inside another one, whole."""
    agent, events = agent_of([TASK], [call("TodoWrite", todos=[{"content": "Count"}])], [text("2")], [text("Done.")])
    agent.run("Do it")
    inner = [event_data(event)["event"] for event in events if isinstance(event, Subagent)]
    assert kind in [event["kind"] for event in inner]
