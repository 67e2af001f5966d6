"""CrewAI, driven: the agent of the docs and a model that plays a script."""

import asyncio
import json
import os
import time
from typing import Any
from uuid import uuid4

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["CREWAI_DISABLE_TRACKING"] = "true"

from adapter_driver import Request, Script, Step, as_json, awaited
from crewai import BaseLLM, Crew
from crewai.tools import BaseTool, tool
from pydantic import Field
from recipe_driver import RESEARCH, RecipeDriver, recipe

CREWAI = recipe("recipes.md", "CrewAI")


class ScriptedCrewModel(BaseLLM):
    """Plays answers, and remembers what it was sent."""

    steps: list[Any] = Field(default_factory=list)
    requests: list[Any] = Field(default_factory=list)

    def supports_function_calling(self) -> bool:
        """Tools are called in the provider's own form."""
        return True

    def call(self, messages: Any, tools: Any = None, *_: Any, **__: Any) -> Any:
        """The next answer."""
        system = [message["content"] for message in messages if message["role"] == "system"]
        texts = [written(message) for message in messages if message["role"] != "system"]
        self.requests.append(Request("\n".join(system), as_json(tools), texts))
        step: Step = self.steps.pop(0)
        if isinstance(step, str):
            return step
        return [
            {"id": uuid4().hex, "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
            for call in step
        ]


def scripted(steps: list[Step], requests: list[Request]) -> ScriptedCrewModel:
    """A model that plays these steps."""
    model = ScriptedCrewModel(model="scripted")
    model.steps, model.requests = steps, requests
    return model


def written(message: Any) -> str:
    """A message as one text."""
    calls = as_json(message["tool_calls"]) if message.get("tool_calls") else ""
    return f"{message['role']}: {message.get('content') or ''}{calls}"


@tool
def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work."""
    time.sleep(seconds)
    if fails:
        raise ValueError("it broke")
    return f"worked {uuid4().hex}"  # CrewAI ends a run that gets the same result five times


@tool
def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


work.cache_function = CREWAI.not_cached


class Driver(RecipeDriver):
    """The agent of the docs."""

    tool = "todo_write"

    def converse(self, conversation: str, script: Script, requests: list[Request]) -> list[str]:
        """A crew keeps no history: the next kickoff begins anew, with the plan."""
        attention = self.session(conversation).attention
        model = scripted(list(script.steps), requests)
        tools = [work, *[bash] * script.with_shell, self.researcher(conversation)]
        agent = CREWAI.plan_agent(model, tools, attention, "You work.")
        crew = Crew(agents=[agent], tasks=[CREWAI.plan_task(agent, "Get it done.")], stream=script.streamed)
        if script.streamed:
            for _ in crew.kickoff():
                pass
        elif script.asynchronous:
            awaited(asyncio.wait_for(crew.kickoff_async(), 60))
        else:
            crew.kickoff()
        return [written(message) for message in agent.agent_executor.messages if message["role"] != "system"]

    def researcher(self, conversation: str) -> BaseTool:
        """A subagent, as a tool."""

        @tool
        def researcher(input: str) -> str:
            """Look something up."""
            agent = CREWAI.plan_agent(scripted(list(RESEARCH), []), [], self.research(conversation))
            return str(Crew(agents=[agent], tasks=[CREWAI.plan_task(agent, input)]).kickoff())

        return researcher
