"""What is Microsoft Agent Framework's own: stores from a session, agents as tools, tools that wait for consent."""

from pathlib import Path
from typing import Any

from adapter_driver import Call, Step, awaited, mark, write
from agent_framework import Agent, AgentResponse, AgentSession, FunctionTool, tool
from driver_agent_framework import ScriptedClient, work

from holdfast import Board
from holdfast.adapters.agent_framework import HoldfastProvider
from holdfast.stores import MemoryStore


async def respond(agent: Agent[Any], session: AgentSession | None = None) -> AgentResponse[Any]:
    """What an agent answers."""
    return await agent.run("Get it done.", session=session)


def test_a_store_may_be_found_in_the_session(tmp_path: Path) -> None:
    """One provider serves all users, and each has a file of their own."""
    provider = HoldfastProvider(store=lambda session: session.state["plans"])
    for name in ("alice", "bob"):
        agent = Agent(ScriptedClient([[write(f"Of {name}")], "done"]), context_providers=[provider])
        session = AgentSession(session_id="a")
        session.state["plans"] = str(tmp_path / f"{name}.db")
        awaited(respond(agent, session))
    for name in ("alice", "bob"):
        assert Board(store=tmp_path / f"{name}.db", session="a").plan.todos[0].content == f"Of {name}"


def test_an_agent_as_a_tool_has_its_own_plan_under_the_session_of_its_caller() -> None:
    """Whether or not it is given the caller's session."""
    store = MemoryStore()
    provider = HoldfastProvider(store=store)
    for shares in (False, True):
        helper = Agent(ScriptedClient([[write("Look it up")], "found"]), name="helper", context_providers=[provider])
        steps: list[Step] = [[write("Ask")], [Call("helper", {"task": "look"})], "done"]
        tools: list[FunctionTool] = [helper.as_tool(propagate_session=shares)]
        agent = Agent(ScriptedClient(steps), tools=tools, context_providers=[provider])
        awaited(respond(agent, AgentSession(session_id=f"shares {shares}")))
    plans = {(kept.key.session, kept.key.agent == "main"): kept.plan.todos[0].content for kept in store.sessions()}
    assert plans == {
        ("shares False", True): "Ask",
        ("shares False", False): "Look it up",
        ("shares True", True): "Ask",
        ("shares True", False): "Look it up",
    }


def test_a_tool_that_waits_for_a_persons_consent_is_no_work() -> None:
    """The run ends with the request, and nothing is counted for the todo."""

    @tool(approval_mode="always_require")
    def deploy() -> str:
        """Deploy."""
        return "deployed"

    provider = HoldfastProvider(policy="rail")
    client = ScriptedClient([[write("A")], [Call("deploy")]])
    session = AgentSession(session_id="a")
    answer = awaited(respond(Agent(client, tools=[deploy], context_providers=[provider]), session))
    assert answer.user_input_requests
    assert awaited(provider.todos_remaining(session=session, last_result=answer)) == (False, None)
    (todo,) = provider.runs.get("a").board.plan.todos
    assert not todo.work


def test_the_words_may_be_the_hosts_own() -> None:
    """Prompt and description are said instead of the dialect's."""
    provider = HoldfastProvider(prompt="Plan well.", description="The list.")
    client = ScriptedClient([[Call("work")], [mark("1")], "done"])
    awaited(respond(Agent(client, "You work.", tools=[work], context_providers=[provider])))
    assert "Plan well." in client.requests[0].system
    assert '"The list."' in client.requests[0].tools
