"""What is Strands' own: the example in the docs, sessions, tools that wait for a person, and the cache point."""

import gc
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from adapter_driver import Call, mark, write
from driver_strands import ScriptedStrandsModel, work
from strands import Agent, ToolContext, tool
from strands.middleware import InvokeModelStage
from strands.session import FileSessionManager
from strands.types.interrupt import InterruptResponseContent

from holdfast.adapters.strands import HoldfastAgentPlugin
from holdfast.stores.sqlite import SQLiteStore

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"


def test_the_example_in_the_docs_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    """The docs' other examples run in the other environment."""
    found = re.search(r"```python strands\n(.*?)```\s*```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    code, output = found.groups()
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.rstrip() == output.rstrip()


def test_the_id_of_a_session_names_the_plan(tmp_path: Path) -> None:
    """A new agent, in a new process with the same session manager, goes on with the plan."""

    def opened(*steps: Any) -> tuple[HoldfastAgentPlugin, Agent]:
        plugin = HoldfastAgentPlugin(store=tmp_path / "plans.db", policy="rail")
        manager = FileSessionManager("s1", storage_dir=str(tmp_path))
        model = ScriptedStrandsModel(steps)
        agent = Agent(model=model, tools=[work], plugins=[plugin], session_manager=manager, callback_handler=None)
        return plugin, agent

    _, agent = opened([write("A", "B")], "Shall I?")
    agent("Get it done.")
    plugin, agent = opened([Call("work")], [mark("1")], "Go on?")
    agent("Yes.")
    assert plugin.plan_name(agent) == ("s1", "main")
    assert len(plugin.runs.get("s1").board.plan.done) == 1


def test_the_plan_of_an_agent_without_a_session_goes_with_it() -> None:
    """A server makes an agent for each request: its plan is not kept for ever."""
    plugin = HoldfastAgentPlugin()
    agent = Agent(model=ScriptedStrandsModel([[write("A")], "done"]), plugins=[plugin], callback_handler=None)
    agent("Get it done.")
    assert len(plugin.runs.all()) == 1
    del agent
    gc.collect()
    assert not plugin.runs.all()


def test_a_tool_that_waits_for_a_person_holds_up_no_write_and_is_no_work() -> None:
    """The run stops with an interrupt, and goes on when the person has answered."""

    @tool(context=True)
    def deploy(tool_context: ToolContext) -> str:
        """Deploy."""
        return f"answered {tool_context.interrupt('deploy', reason='May I?')}"

    plugin = HoldfastAgentPlugin(policy="rail")
    model = ScriptedStrandsModel([[write("A")], [Call("deploy")], [mark("1")], "done"])
    agent = Agent(model=model, tools=[deploy], plugins=[plugin], callback_handler=None)
    result = agent("Get it done.")
    assert result.stop_reason == "interrupt"
    (asked,) = result.interrupts or []
    agent([InterruptResponseContent(interruptResponse={"interruptId": asked.id, "response": "yes"})])
    assert plugin.runs.get(*plugin.plan_name(agent)).board.plan.is_finished


def test_the_cache_point_stands_before_a_reminder() -> None:
    """Strands is told how many blocks at the end belong to one request only."""
    trailing: list[int] = []
    plugin = HoldfastAgentPlugin(policy="rail")
    agent = Agent(model=ScriptedStrandsModel([[write("A")], "Shall I?"]), plugins=[plugin], callback_handler=None)

    async def look(context: Any) -> Any:
        trailing.append(context.dynamic_trailing_blocks)
        return context

    agent.add_middleware(InvokeModelStage.Input, look)
    agent("Get it done.")
    assert trailing == [1, 1]


def test_a_store_may_be_found_in_the_agent(tmp_path: Path) -> None:
    """One plugin serves all users, and each has a file of their own."""
    plugin = HoldfastAgentPlugin(store=lambda agent: tmp_path / f"{agent.agent_id}.db")
    for name in ("alice", "bob"):
        model = ScriptedStrandsModel([[write(f"Of {name}")], "done"])
        Agent(model=model, agent_id=name, plugins=[plugin], callback_handler=None)("Get it done.")
    for name in ("alice", "bob"):
        store = SQLiteStore(tmp_path / f"{name}.db")
        assert [kept.plan.todos[0].content for kept in store.sessions()] == [f"Of {name}"]
        store.close()
