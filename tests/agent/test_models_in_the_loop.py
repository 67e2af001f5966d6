"""The whole loop through the real SDKs, against a scripted server that refuses what the real APIs refuse."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the SDKs are not installed: pip install 'holdfast[agent]'")
pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from holdfast import Plan, Session, Todo, dialects
from holdfast.agent import Agent, AgentTool
from holdfast.agent.models import Retries, open_model
from holdfast.attention.policies import PolicyName
from holdfast.dialects import DialectName
from holdfast.testing import Dropped, Failing, ModelServer, ScriptedTurn, broken_call, call, text

WORDS = {"type": "object", "properties": {"words": {"type": "string"}}}
ECHO = AgentTool("echo", "Say it again.", WORDS, lambda words="": words)
NAG = "<reminder>10+ turns without todo update. Please update todos.</reminder>"
FIRST = "<reminder>Use TodoWrite for multi-step tasks.</reminder>"

WIRES = ["anthropic", "openai"]


@contextmanager
def playing(
    wire: str, *turns: ScriptedTurn, dialect: DialectName = "holdfast", policy: PolicyName = "quiet"
) -> Iterator[tuple[Agent, ModelServer]]:
    """An agent on one wire, and the server that plays these turns to it."""
    with ModelServer(turns) as server:
        address = server.url if wire == "anthropic" else server.chat_url
        retries = Retries(sleep=lambda seconds: None)
        model = open_model(f"{wire}:scripted", address, environ={}, retries=retries)
        yield Agent(model, Session(dialect=dialect, policy=policy), [ECHO]), server


def blocks(agent: Agent, kind: str) -> list[dict[str, Any]]:
    """All blocks of a kind in the conversation."""
    return [block for message in agent.messages for block in message["content"] if block["type"] == kind]


def item(content: str, status: str, active_form: str) -> dict[str, str]:
    """One item of the mini dialect."""
    return {"content": content, "status": status, "activeForm": active_form}


def works(*rounds: int) -> list[ScriptedTurn]:
    """Rounds of work, each with words of its own."""
    return [[call("echo", words=f"round {number}")] for number in rounds]


def plan(*items: dict[str, str]) -> ScriptedTurn:
    """A write in the mini dialect."""
    return [call("TodoWrite", items=list(items))]


WORKFLOW: list[ScriptedTurn] = [
    plan(
        item("重构认证模块", "in_progress", "分析认证模块结构"),
        item("补充单元测试", "pending", "编写测试用例"),
        item("更新 README", "pending", "更新文档"),
    ),
    *works(*range(2, 9)),
    plan(
        item("重构认证模块", "completed", "重构认证模块"),
        item("补充单元测试", "in_progress", "编写 auth 模块测试"),
        item("更新 README", "pending", "更新文档"),
    ),
    *works(*range(10, 16)),
    plan(
        item("重构认证模块", "completed", "重构认证模块"),
        item("补充单元测试", "completed", "编写 auth 模块测试"),
        item("更新 README", "in_progress", "更新项目文档"),
    ),
    [text("README 已更新。")],
]


@pytest.mark.parametrize("wire", WIRES)
def test_the_workflow_of_the_mini_dialect_over_the_wire(wire: str) -> None:
    """Writes in rounds 1, 9 and 16 bring the three rendered replies, and no request is refused."""
    with playing(wire, *WORKFLOW, dialect="mini", policy="mini") as (agent, server):
        result = agent.run("帮我重构认证模块, 补充测试, 更新文档")
        assert {request.status for request in server.requests} == {200}
    assert (result.reason, result.text, len(server.requests)) == ("done", "README 已更新。", 17)
    replies = [block["content"] for block in blocks(agent, "tool_result")]
    assert [replies[round - 1] for round in (1, 9, 16)] == [
        "[>] 重构认证模块 <- 分析认证模块结构\n[ ] 补充单元测试\n[ ] 更新 README\n\n(0/3 completed)",
        "[x] 重构认证模块\n[>] 补充单元测试 <- 编写 auth 模块测试\n[ ] 更新 README\n\n(1/3 completed)",
        "[x] 重构认证模块\n[x] 补充单元测试\n[>] 更新 README <- 更新项目文档\n\n(2/3 completed)",
    ]


def test_the_nag_on_the_11th_round_stands_where_the_api_takes_it() -> None:
    """It comes behind the tool results of the 11th round without a write, is accepted, and is not kept."""
    turns = [plan(item("A", "in_progress", "Doing A")), *works(*range(30))]
    with playing("anthropic", *turns, dialect="mini", policy="mini") as (agent, server):
        assert agent.run("Do it").reason == "done"
        bodies = [request.body for request in server.requests]
        assert {request.status for request in server.requests} == {200}
    assert [block["text"] for block in bodies[0]["messages"][0]["content"]] == [FIRST, "Do it"]
    last = [body["messages"][-1]["content"] for body in bodies]
    nagged = [number for number, content in enumerate(last) if content[-1].get("text") == NAG]
    assert nagged == [12, 22]
    assert [block["type"] for block in last[12]] == ["tool_result", "text"]
    assert NAG not in json.dumps(agent.messages)
    assert all(NAG not in json.dumps(body["messages"][:-1]) for body in bodies)


def test_the_nag_is_a_message_of_its_own_in_chat_form() -> None:
    """Behind the tool's message comes the user's, and the server takes it."""
    turns = [plan(item("A", "in_progress", "Doing A")), *works(*range(12))]
    with playing("openai", *turns, dialect="mini", policy="mini") as (agent, server):
        assert agent.run("Do it").reason == "done"
        tail = server.requests[12].body["messages"][-2:]
    assert [message["role"] for message in tail] == ["tool", "user"]
    assert tail[-1]["content"] == NAG


A_PLAN = Plan((Todo("1", "A", active_form="Doing A"),), "s")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("dialect", dialects.names())
def test_a_write_in_each_dialect_and_bad_ones(dialect: DialectName, wire: str) -> None:
    """A good write is taken; a bad one and one that was cut off are answered, the list stays, the loop goes on."""
    (name, payload), *_ = dialects.get(dialect).calls(A_PLAN)
    turns: list[ScriptedTurn] = [
        [call(name, **payload)],
        [call(name, nonsense=1)],
        [broken_call(name, '{"todos": [{"content": "cut o')],
        [text("Done.")],
    ]
    with playing(wire, *turns, dialect=dialect) as (agent, server):
        result = agent.run("Do it")
        assert {request.status for request in server.requests} == {200}
    assert (result.reason, result.text) == ("done", "Done.")
    assert [todo.content for todo in result.todos] == ["A"]
    assert ["is_error" in block for block in blocks(agent, "tool_result")] == [False, True, True]


@pytest.mark.parametrize("wire", WIRES)
def test_trouble_on_the_way_does_not_show_in_the_conversation(wire: str) -> None:
    """After a limit and a connection lost in mid-call the run goes on as if nothing had been."""
    turns: list[ScriptedTurn] = [
        Failing(429, retry_after=0.01),
        [call("echo", words="1")],
        Dropped([call("echo", words="2"), call("echo", words="3")], after=5),
        [call("echo", words="2")],
        Failing(529),
        [text("Done.")],
    ]
    with playing(wire, *turns) as (agent, server):
        assert agent.run("Do it").reason == "done"
        assert [request.status for request in server.requests] == [429, 200, 200, 200, 529, 200]
    assert [block["content"] for block in blocks(agent, "tool_result")] == ["1", "2"]


@pytest.mark.parametrize("wire", WIRES)
def test_a_run_that_the_model_ends_for_good_says_why(wire: str) -> None:
    """Trouble that does not pass is the reason of the run's end, in the model's line, and the plan stays."""
    turns: list[ScriptedTurn] = [[call("TodoWrite", todos=[{"content": "A"}])], Failing(400, "prompt is too long")]
    with playing(wire, *turns) as (agent, _):
        result = agent.run("Do it")
    assert result.reason == f"model: {wire}:scripted refused the request (400): prompt is too long"
    assert [todo.content for todo in result.todos] == ["A"]


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_prompt_cache_holds_never_changes(wire: str) -> None:
    """Under `rail`, system prompt and tools are the same bytes in every request, and so is all before the tail."""
    turns: list[ScriptedTurn] = [[call("TodoWrite", todos=[{"content": "A"}, {"content": "B"}])]]
    for id in ("1", "2"):
        turns += [[call("echo", words=id)], [call("TodoWrite", todos=[{"id": id, "status": "completed"}])]]
    with playing(wire, *turns, [text("Done.")], policy="rail") as (agent, server):
        assert agent.run("Do it").reason == "done"
        bodies = [request.body for request in server.requests]
    assert len(bodies) == 6
    assert len({json.dumps([body.get("system"), body["tools"]]) for body in bodies}) == 1
    for earlier, later in pairwise(_unmarked(body["messages"]) for body in bodies):
        *kept, last = earlier
        assert later[: len(kept)] == kept
        if last["role"] != "tool" and isinstance(last["content"], list):
            assert later[len(kept)]["content"] == last["content"][:1]


def _unmarked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages without the marks for the cache, which are no part of what is cached."""
    plain: list[dict[str, Any]] = json.loads(json.dumps(messages))
    for message in plain:
        for block in message["content"] if isinstance(message["content"], list) else ():
            block.pop("cache_control", None)
    return plain
