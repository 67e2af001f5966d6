"""The agent's loop on messages in the form of the Messages API, with a scripted model at its other end."""

import json
from typing import Any

import pytest

from holdfast import Plan, Session, Todo, dialects
from holdfast.agent import Agent, AgentEvent, AgentTool, Rehearsal, call, text
from holdfast.agent.events import ReminderSent, TodoUpdate
from holdfast.attention.policies import RAIL, PolicyName
from holdfast.dialects import DialectName

ECHO = AgentTool(
    "echo", "Say it again.", {"type": "object", "properties": {"words": {"type": "string"}}}, lambda words="": words
)
NAG = "<reminder>10+ turns without todo update. Please update todos.</reminder>"
FIRST = "<reminder>Use TodoWrite for multi-step tasks.</reminder>"


def item(content: str, status: str, active_form: str) -> dict[str, str]:
    """One item of the mini dialect."""
    return {"content": content, "status": status, "activeForm": active_form}


def writes(*items: dict[str, str]) -> list[dict[str, Any]]:
    """A turn in which the model of the mini dialect writes its list."""
    return [call("TodoWrite", items=list(items))]


def rehearsed(
    *turns: list[Any], dialect: DialectName = "holdfast", policy: PolicyName = "quiet"
) -> tuple[Agent, Rehearsal, list[AgentEvent]]:
    """An agent that plays these turns, its model, and what it tells of."""
    model = Rehearsal(turns)
    agent = Agent(model, Session(dialect=dialect, policy=policy), [ECHO])
    events: list[AgentEvent] = []
    agent.on_event(events.append)
    return agent, model, events


def results(agent: Agent) -> list[str]:
    """The texts of all tool results, in order."""
    blocks = [block for message in agent.messages if message["role"] == "user" for block in message["content"]]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


def test_the_workflow_of_the_mini_dialect() -> None:
    """Three writes of a plan bring its three rendered replies, and the loop ends when no tool is called."""
    agent, _, _ = rehearsed(
        writes(
            item("重构认证模块", "in_progress", "分析认证模块结构"),
            item("补充单元测试", "pending", "编写测试用例"),
            item("更新 README", "pending", "更新文档"),
        ),
        [call("echo", words="auth.py")],
        writes(
            item("重构认证模块", "completed", "重构认证模块"),
            item("补充单元测试", "in_progress", "编写 auth 模块测试"),
            item("更新 README", "pending", "更新文档"),
        ),
        writes(
            item("重构认证模块", "completed", "重构认证模块"),
            item("补充单元测试", "completed", "编写 auth 模块测试"),
            item("更新 README", "in_progress", "更新项目文档"),
        ),
        [text("Done.")],
        dialect="mini",
        policy="mini",
    )
    result = agent.run("帮我重构认证模块, 补充测试, 更新文档")
    assert result.reason == "done"
    assert results(agent) == [
        "[>] 重构认证模块 <- 分析认证模块结构\n[ ] 补充单元测试\n[ ] 更新 README\n\n(0/3 completed)",
        "auth.py",
        "[x] 重构认证模块\n[>] 补充单元测试 <- 编写 auth 模块测试\n[ ] 更新 README\n\n(1/3 completed)",
        "[x] 重构认证模块\n[x] 补充单元测试\n[>] 更新 README <- 更新项目文档\n\n(2/3 completed)",
    ]


def test_minis_first_reminder_stands_before_the_users_text_and_only_there() -> None:
    """The first user message begins with the reminder; no later one has it."""
    agent, model, _ = rehearsed([call("echo", words="a")], [text("Done.")], dialect="mini", policy="mini")
    agent.run("Do it")
    agent.run("And this")
    first = model.requests[0]["messages"][0]["content"]
    assert [block["text"] for block in first] == [FIRST, "Do it"]
    assert json.dumps(agent.messages, ensure_ascii=False).count(FIRST) == 1


def test_the_nag_comes_on_the_11th_round_and_then_on_every_10th_after_the_tool_results() -> None:
    """Eleven rounds without a write bring the nag, behind the results, and it is not kept in the history."""
    plan = [call("TodoWrite", items=[item("A", "in_progress", "Doing A")])]
    agent, model, events = rehearsed(
        plan, *[[call("echo", words=str(i))] for i in range(40)], dialect="mini", policy="mini"
    )
    agent.run("Do it")
    nagged = [
        number
        for number, request in enumerate(model.requests)
        if any(block.get("text") == NAG for block in request["messages"][-1]["content"])
    ]
    assert nagged == [12, 22, 32]  # request 12 follows the 11th round after the write, which was round 1
    content = model.requests[12]["messages"][-1]["content"]
    assert [block["type"] for block in content] == ["tool_result", "text"]
    assert NAG not in json.dumps(agent.messages)
    assert [event.kind for event in events].count("reminder") == 3


def test_a_refused_write_does_not_quiet_the_nag() -> None:
    """Only a write that succeeded counts as an update."""
    plan = [call("TodoWrite", items=[item("A", "in_progress", "Doing A")])]
    bad = [[call("TodoWrite", items=[item("", "in_progress", f"Doing {i}")])] for i in range(12)]
    agent, model, _ = rehearsed(plan, *bad, dialect="mini", policy="mini")
    agent.run("Do it")
    assert model.requests[12]["messages"][-1]["content"][-1].get("text") == NAG


def test_without_an_open_item_there_is_no_nag() -> None:
    """A finished list is left in peace."""
    plan = [call("TodoWrite", items=[item("A", "completed", "Doing A")])]
    agent, model, _ = rehearsed(plan, *[[call("echo", words=str(i))] for i in range(30)], dialect="mini", policy="mini")
    assert agent.run("Do it").reason == "done"
    assert NAG not in json.dumps([request["messages"][-1] for request in model.requests])


def test_two_state_lives_in_the_agent() -> None:
    """The tool is there by itself, each successful write is told of with its list, the result has the final list."""
    agent, model, events = rehearsed(
        [call("todo_write", todos=[{"content": "A"}, {"content": "B"}])],
        [call("todo_write", todos=[{"content": "A", "status": "in_progress"}])],
        [call("todo_write", todos=[{"content": "A", "status": "completed"}, {"content": "B"}])],
        [text("Done.")],
        dialect="two-state",
        policy="off",
    )
    result = agent.run("Do it")
    assert "todo_write" in [tool["name"] for tool in model.requests[0]["tools"]]
    updates = [event.todos for event in events if isinstance(event, TodoUpdate)]
    assert [[(todo.content, str(todo.status)) for todo in todos] for todos in updates] == [
        [("A", "pending"), ("B", "pending")],
        [("A", "completed"), ("B", "pending")],
    ]
    assert result.todos == updates[-1]
    assert "❌ 任务更新失败: 无效的任务状态: 'in_progress'，仅支持: pending, completed" in results(agent)


A_PLAN = Plan((Todo("1", "A", active_form="Doing A"),), "s")


@pytest.mark.parametrize("dialect", dialects.names())
def test_a_write_in_each_dialect_and_a_bad_one(dialect: DialectName) -> None:
    """A good write is taken, a bad one is answered as an error with the list unchanged, and the loop goes on."""
    (name, payload), *_ = dialects.get(dialect).calls(A_PLAN)
    agent, _, _ = rehearsed([call(name, **payload)], [call(name, nonsense=1)], [text("Done.")], dialect=dialect)
    result = agent.run("Do it")
    assert result.reason == "done"
    assert [todo.content for todo in result.todos] == ["A"]
    blocks = [message["content"][0] for message in agent.messages if message["role"] == "user"][1:]
    assert ["is_error" in block for block in blocks] == [False, True]


def test_what_goes_wrong_in_a_tool_is_an_answer() -> None:
    """A tool that raises and a tool that is not there are answered, and the loop goes on."""
    agent, _, _ = rehearsed([call("echo", nonsense=1)], [call("fly")], [text("Done.")])
    assert agent.run("Do it").reason == "done"
    assert results(agent)[0] == "Error: nonsense: unknown; echo takes words"
    assert results(agent)[1] == "Error: no tool 'fly'; there are echo"


def test_all_results_of_a_turn_stand_in_one_message_in_order() -> None:
    """Two calls in one turn are answered in one user message, in their order."""
    agent, _, _ = rehearsed([call("echo", words="1"), call("echo", words="2")], [text("Done.")])
    agent.run("Do it")
    content = agent.messages[2]["content"]
    assert [block["content"] for block in content] == ["1", "2"]


def test_what_a_cache_holds_never_changes() -> None:
    """System prompt, tools and every message but the tail are byte-identical from request to request under `rail`."""
    turns = [[call("TodoWrite", todos=[{"content": "A"}, {"content": "B"}])]]
    for id in ("1", "2"):
        turns += [[call("echo", words=id)], [call("TodoWrite", todos=[{"id": id, "status": "completed"}])]]
    agent, model, _ = rehearsed(*turns, [text("Done.")], policy="rail")
    assert agent.run("Do it").reason == "done"
    assert len({json.dumps([request["system"], request["tools"]]) for request in model.requests}) == 1
    for earlier, later in zip(model.requests, model.requests[1:], strict=False):
        *kept, last = earlier["messages"]
        assert later["messages"][: len(kept)] == kept
        body = later["messages"][len(kept)]["content"]
        assert last["content"][: len(body)] == body
    tails = [request["messages"][-1]["content"][-1].get("text") for request in model.requests]
    assert "Now do item 1 with the tool that fits best: A" in tails
    assert not any("Now do item" in json.dumps(message) for message in agent.messages)


def test_the_stop_gate_holds_a_model_that_ends_too_early() -> None:
    """Under `rail` a model that stops with work left is told what is left, a few times at most."""
    agent, _, events = rehearsed(
        [call("TodoWrite", todos=[{"content": "A"}])], *[[text("I am done.")] for _ in range(9)], policy="rail"
    )
    assert agent.run("Do it").reason == "done"
    held = [event.text for event in events if isinstance(event, ReminderSent) and "still open" in event.text]
    assert len(held) == 3
    assert agent.attention.stop_reason == "no progress after 3 reminders"


def test_an_update_may_ride_on_another_tools_call() -> None:
    """With a policy that lets it, `done` beside a tool's arguments completes a todo with no turn of its own."""
    agent, model, _ = rehearsed(
        [call("TodoWrite", todos=[{"content": "A"}, {"content": "B"}])],
        [call("echo", words="work on A", done="1")],
        [call("echo", nonsense="work on B", done="2")],
        [call("echo", words="more work on B", done=2)],
        [text("Done.")],
        policy="rail",
    )
    riding = Agent(model, Session(policy=RAIL.replace(rides=True)), [ECHO])
    result = riding.run("Do it")
    assert [str(todo.status) for todo in result.todos] == ["completed", "completed"]
    assert "work on A\n1/2 done. Now 2: B" in results(riding)
    assert results(riding)[2].endswith("Item 2 is not marked: this call failed. Try another way.")
    assert "done" in json.dumps(model.requests[0]["tools"][0])
    assert "done" not in json.dumps(agent.tools["echo"].definition)


def test_a_dialect_of_several_tools_is_worked_with_several_calls_a_turn() -> None:
    """Every tool of the dialect is offered and answered; tasks made in one turn are all taken."""
    agent, _, _ = rehearsed(
        [call("TaskCreate", subject=subject, description="as it says") for subject in "AB"],
        [call("TaskUpdate", taskId="1", status="completed"), call("TaskList")],
        [text("Done.")],
        dialect="claude-tasks",
    )
    result = agent.run("Do it")
    assert [(todo.content, str(todo.status)) for todo in result.todos] == [("A", "completed"), ("B", "pending")]
    assert results(agent)[-1] == "#1 [completed] A\n#2 [pending] B"
    offered = [tool["name"] for tool in agent.tool_definitions()]
    assert offered[-4:] == ["TaskCreate", "TaskUpdate", "TaskGet", "TaskList"]
