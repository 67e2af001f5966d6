"""Strands Agents, driven: an agent with the plugin and a model that plays a script."""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import Ran, Request, Script, Step, as_json, awaited, write
from strands import Agent, tool
from strands.agent.conversation_manager import SlidingWindowConversationManager
from strands.models import Model

from holdfast import Board
from holdfast.adapters.strands import HoldfastAgentPlugin
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store


class ScriptedStrandsModel(Model):
    """Plays answers, and remembers what it was sent."""

    def __init__(self, steps: Sequence[Step], model: str = "scripted") -> None:
        self.steps = iter(steps)
        self.model = model
        self.requests: list[Request] = []

    def update_config(self, **model_config: Any) -> None:
        """Nothing can be set."""

    def get_config(self) -> dict[str, Any]:
        """The name of the model."""
        return {"model_id": self.model}

    def structured_output(self, *args: Any, **kwargs: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Not played."""
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **_: Any
    ) -> AsyncIterable[Any]:
        """The next answer, piece by piece."""
        texts = [text for message in messages for text in written(message)]
        self.requests.append(Request(system_prompt or "", as_json(tool_specs), texts))
        step = next(self.steps)
        yield {"messageStart": {"role": "assistant"}}
        for start, delta in [({}, {"text": step})] if isinstance(step, str) else calls(step):
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": delta}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(step, str) else "tool_use"}}


def calls(step: Sequence[adapter_driver.Call]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The calls of a step: how each begins, and what it brings."""
    return [
        (
            {"toolUse": {"name": call.name, "toolUseId": uuid4().hex}},
            {"toolUse": {"input": json.dumps(call.arguments)}},
        )
        for call in step
    ]


def written(message: Any) -> list[str]:
    """The blocks of a message as texts: what Holdfast says is a block of its own."""
    return [f"{message['role']}: {block.get('text') or as_json(block)}" for block in message["content"]]


@tool
def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work."""
    time.sleep(seconds)
    if fails:
        raise ValueError("it broke")
    return "worked"


@tool
def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


class Driver(adapter_driver.Driver):
    """Strands with Holdfast in it."""

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.plugin = HoldfastAgentPlugin(store=store, dialect=dialect, policy=policy)
        self.histories: dict[str, list[Any]] = {}

    def play(self, script: Script) -> Ran:
        """Play a script. A conversation is its messages and a session manager, of which only the id matters here."""
        model = ScriptedStrandsModel(script.steps, script.model)
        conversation = script.conversation
        messages = self.histories.setdefault(conversation, []) if conversation else []
        agent = Agent(
            model=model,
            messages=messages,
            system_prompt="You work.",
            tools=[work, *[bash] * script.with_shell, self.researcher()],
            plugins=[self.plugin],
            conversation_manager=SlidingWindowConversationManager(
                window_size=4 if script.compacted else 1000, per_turn=True
            ),
            callback_handler=None,
        )
        if conversation:
            self.plugin._names[agent] = (conversation, "main")
        if script.streamed:
            awaited(self.stream(agent))
        elif script.asynchronous:
            awaited(agent.invoke_async("Get it done."))
        else:
            agent("Get it done.")
        if conversation:
            self.histories[conversation] = agent.messages
        plan = self.plan(self.plugin.plan_name(agent)[0])
        return Ran(model.requests, [text for message in agent.messages for text in written(message)], plan)

    async def stream(self, agent: Agent) -> None:
        """Run an agent, and read all that it says as it comes."""
        async for _ in agent.stream_async("Get it done."):
            pass

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.plugin.runs.get(conversation).board

    def researcher(self) -> Any:
        """A subagent, as a tool."""
        plugin = self.plugin
        steps: list[Step] = [[write("Look it up")], "found"]

        @tool
        async def researcher(input: str) -> str:
            """Look something up."""
            agent = Agent(model=ScriptedStrandsModel(steps), plugins=[plugin], callback_handler=None)
            return str(await agent.invoke_async(input))

        return researcher
