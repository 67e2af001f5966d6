"""What is Google ADK's own: the example in the docs, transfers, tools that raise, and tools that take their time."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from adapter_driver import Call, awaited, mark, write
from driver_google_adk import APP, USER, ScriptedLlm
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import LlmCapabilities
from google.adk.runners import InMemoryRunner
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.genai import types
from pydantic import BaseModel

from holdfast.adapters.google_adk import HoldfastPlugin
from holdfast.attention.policies import QUIET

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"
MESSAGE = types.Content(role="user", parts=[types.Part(text="Get it done.")])


def test_the_example_in_the_docs_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    """The docs' other examples run in the other environment."""
    found = re.search(
        r"```python google-adk\n(.*?)```\s*```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    code, output = found.groups()
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.rstrip() == output.rstrip()


def started(plugin: HoldfastPlugin, agent: LlmAgent) -> InMemoryRunner:
    """A runner with one session, `a`."""
    runner = InMemoryRunner(app=App(name=APP, root_agent=agent, plugins=[plugin]))
    awaited(runner.session_service.create_session(app_name=APP, user_id=USER, session_id="a"))
    return runner


def test_an_agent_that_is_transferred_to_goes_on_with_the_plan() -> None:
    """The conversation is the same, and so is its list."""
    second = LlmAgent(name="second", model=ScriptedLlm(steps=[[mark("1")], "done"], requests=[]))
    steps = [[write("A")], [Call("transfer_to_agent", {"agent_name": "second"})]]
    first = LlmAgent(name="first", model=ScriptedLlm(steps=steps, requests=[]), sub_agents=[second])
    plugin = HoldfastPlugin()
    list(plugin.run(started(plugin, first), user_id=USER, session_id="a", new_message=MESSAGE))
    assert plugin.runs.get(f"{APP}/{USER}/a").board.plan.is_finished


def test_a_tool_that_raises_has_failed_and_still_raises() -> None:
    """The plugin hides no error from the host."""

    def broken() -> str:
        """Break."""
        raise RuntimeError("no")

    plugin = HoldfastPlugin()
    agent = LlmAgent(name="worker", model=ScriptedLlm(steps=[[Call("broken")]], requests=[]), tools=[broken])
    with pytest.raises(RuntimeError, match="no"):
        list(plugin.run(started(plugin, agent), user_id=USER, session_id="a", new_message=MESSAGE))
    assert plugin.runs.get(f"{APP}/{USER}/a").board.work.failures == 1


def test_two_users_with_one_session_name_have_two_plans() -> None:
    """A session's name is a user's own."""
    plugin = HoldfastPlugin()
    agent = LlmAgent(name="worker", model=ScriptedLlm(steps=[[write("A")], "done", [write("B")], "done"], requests=[]))
    runner = started(plugin, agent)
    awaited(runner.session_service.create_session(app_name=APP, user_id="another", session_id="a"))
    for user in (USER, "another"):
        list(plugin.run(runner, user_id=user, session_id="a", new_message=MESSAGE))
    plans = [plugin.runs.get(f"{APP}/{user}/a").board.plan for user in (USER, "another")]
    assert [[todo.content for todo in plan.todos] for plan in plans] == [["A"], ["B"]]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_model_that_waits_for_a_long_running_tool_is_not_held(asynchronous: bool) -> None:
    """The run has ended only until somebody answers the call: there is nothing to tell the model meanwhile."""

    def approve() -> None:
        """Ask a person, who takes their time."""

    plugin = HoldfastPlugin(policy=QUIET.replace(holds=3))
    model = ScriptedLlm(steps=[[write("A")], [Call("approve")]], requests=[])
    agent = LlmAgent(name="worker", model=model, tools=[LongRunningFunctionTool(approve)])
    runner = started(plugin, agent)
    where: dict[str, Any] = {"user_id": USER, "session_id": "a", "new_message": MESSAGE}

    async def collected() -> None:
        async for _ in plugin.run_async(runner, **where):
            pass

    if asynchronous:
        awaited(collected())
    else:
        list(plugin.run(runner, **where))
    assert len(model.requests) == 2
    assert len(plugin.runs.get(f"{APP}/{USER}/a").board.plan.open) == 1


class Weather(BaseModel):
    """What an agent must answer."""

    sky: str


@pytest.mark.parametrize("can_do_both", [False, True])
def test_an_agent_that_must_answer_in_a_schema_gets_tools_only_if_its_model_may_have_both(can_do_both: bool) -> None:
    """ADK's own table says which model takes a response schema beside tools."""

    class Model(ScriptedLlm):
        """A model that ADK knows the capabilities of."""

        @property
        def capabilities(self) -> LlmCapabilities:
            return LlmCapabilities(output_schema_and_tools=can_do_both)

    model = Model(model="scripted", steps=['{"sky": "blue"}'], requests=[])
    agent = LlmAgent(name="worker", instruction="You look.", model=model, output_schema=Weather)
    plugin = HoldfastPlugin(policy="rail")
    runner = started(plugin, agent)
    list(runner.run(user_id=USER, session_id="a", new_message=MESSAGE))
    (request,) = model.requests
    assert ("TodoWrite" in request.tools) is can_do_both
    assert request.says("First write the plan") is can_do_both


def test_the_users_list_is_covered() -> None:
    """The runner's own way tells the plugin what the user said."""
    model = ScriptedLlm(model="scripted", steps=["Shall I?"], requests=[])
    plugin = HoldfastPlugin(policy="rail")
    runner = started(plugin, LlmAgent(name="worker", model=model))
    message = types.Content(role="user", parts=[types.Part(text="1. Read\n2. Fix\n3. Test")])
    list(runner.run(user_id=USER, session_id="a", new_message=message))
    assert model.requests[0].says("Now do item 1 with the tool that fits best: Read")
