"""The OpenAI Agents SDK, driven: an equipped agent and the SDK's own scripted model."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import Ran, Request, Script, Step, as_json, awaited, write
from agents import (
    Agent,
    ModelResponse,
    RunConfig,
    RunResult,
    RunResultStreaming,
    SQLiteSession,
    Tool,
    TResponseInputItem,
    function_tool,
)
from agents.run import CallModelData, ModelInputData
from agents.testing import ModelCall, ScriptedModel, assistant_message, function_call

from holdfast import Board
from holdfast.adapters.openai_agents import HoldfastRunner
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store


class NamedModel(ScriptedModel):
    """A scripted model with a name, as the SDK's own models have it."""

    model = "scripted"


def scripted(*steps: Step) -> NamedModel:
    """A model that plays these steps."""
    return NamedModel([answer(step) for step in steps])


def answer(step: Step) -> list[Any]:
    """A step of a script as the model says it."""
    if isinstance(step, str):
        return [assistant_message(step)]
    return [function_call(call.name, dict(call.arguments), call_id=uuid4().hex) for call in step]


def request(call: ModelCall) -> Request:
    """What the model was sent."""
    tools = as_json([[tool.name, getattr(tool, "description", ""), schema(tool)] for tool in call.tools])
    return Request(call.system_instructions or "", tools, [written(item) for item in call.input])


def schema(tool: Tool) -> object:
    """A tool's schema as it is sent."""
    return getattr(tool, "params_json_schema", None)


def written(item: Any) -> str:
    """An item of the conversation as one text."""
    match item.get("type"):
        case "function_call":
            return f"call: {item['name']} {item['arguments']}"
        case "function_call_output":
            return f"output: {item['output']}"
    content = item["content"]
    return f"{item['role']}: {content if isinstance(content, str) else content[0]['text']}"


@function_tool
async def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work."""
    await asyncio.sleep(seconds)
    if fails:
        raise ValueError("it broke")
    return "worked"


@function_tool
async def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


def latest(data: CallModelData[Any]) -> ModelInputData:
    """Compaction, as a host does it with a filter: only the newest exchange is kept."""
    items = data.model_data.input
    kept: list[TResponseInputItem] = [{"role": "user", "content": "Get it done."}, *items[-2:]]
    return ModelInputData(kept if len(items) > 6 else items, data.model_data.instructions)


class Researching(ScriptedModel):
    """Writes its plan, then tells what it found, in each of the runs that use it side by side."""

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **more: Any) -> ModelResponse:
        """The next answer of the run that this request is from."""
        has_written = any(item.get("type") == "function_call_output" for item in input if isinstance(item, dict))
        model = scripted("found" if has_written else [write("Look it up")])
        return await model.get_response(system_instructions, input, *rest, **more)


async def last_of(results: AsyncIterator[RunResultStreaming]) -> RunResultStreaming:
    """The last result of a streamed run, after all its events."""
    last: RunResultStreaming | None = None
    async for last in results:
        async for _ in last.stream_events():
            pass
    assert last is not None
    return last


class Driver(adapter_driver.Driver):
    """The SDK with HoldfastRunner in it."""

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.plans = HoldfastRunner(store=store, dialect=dialect, policy=policy)
        self.conversations: dict[str, SQLiteSession] = {}

    def __del__(self) -> None:
        for session in self.conversations.values():
            session.close()

    def session(self, conversation: str) -> SQLiteSession:
        """Where the SDK keeps a conversation."""
        if conversation not in self.conversations:
            self.conversations[conversation] = SQLiteSession(conversation)
        return self.conversations[conversation]

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.plans.runs.get(conversation).board

    def play(self, script: Script) -> Ran:
        """Play a script."""
        played = scripted(*script.steps)
        played.model = script.model
        own = Agent(
            name="Worker",
            instructions="You work.",
            model=played,
            tools=[work, *[bash] * script.with_shell, *self.researcher()],
        )
        agent = self.plans.equip(own)
        config = RunConfig(tracing_disabled=True, call_model_input_filter=latest if script.compacted else None)
        options: dict[str, Any] = {"max_turns": 30}
        plan = script.conversation or f"run-{uuid4().hex}"
        if script.conversation is not None:
            options["session"] = self.session(script.conversation)
        result: RunResult | RunResultStreaming
        if script.streamed:
            result = awaited(
                last_of(self.plans.run_streamed(agent, "Get it done.", plan=plan, run_config=config, **options))
            )
        elif script.asynchronous:
            result = awaited(self.plans.run(agent, "Get it done.", plan=plan, run_config=config, **options))
        else:
            result = self.plans.run_sync(agent, "Get it done.", plan=plan, run_config=config, **options)
        kept = awaited(options["session"].get_items()) if script.conversation else result.to_input_list()
        return Ran([request(call) for call in played.calls], [written(item) for item in kept], self.plan(plan))

    def researcher(self) -> list[Tool]:
        """A subagent, as a tool."""
        agent = self.plans.equip(Agent(name="Researcher", model=Researching()))
        return [agent.as_tool("researcher", "Look something up.")]
