"""Pydantic AI, driven: an agent with the capability and a function for a model."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import adapter_driver
from adapter_driver import Ran, Request, Script, Step, as_json, awaited, write
from pydantic_ai import Agent, AgentRunResult, AgentRunResultEvent, RunContext, Tool, models
from pydantic_ai.capabilities import AbstractCapability, ProcessHistory
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from holdfast import Board
from holdfast.adapters.pydantic_ai import HoldfastCapability
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store

models.ALLOW_MODEL_REQUESTS = False


def scripted(steps: list[Step], requests: list[Request], model: str = "scripted") -> FunctionModel:
    """A model of this name that plays these steps, and remembers what it was sent."""
    rest = list(steps)

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tools = as_json([[tool.name, tool.description, tool.parameters_json_schema] for tool in info.function_tools])
        texts = [text for message in messages for text in written(message)]
        requests.append(Request(info.instructions or "", tools, texts))
        return answer(rest.pop(0))

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        for part in streamed_parts(play(messages, info)):
            yield part

    return FunctionModel(play, stream_function=stream, model_name=model)


def streamed_parts(response: ModelResponse) -> Iterator[str | DeltaToolCalls]:
    """The parts of an answer as a model streams them."""
    for at, part in enumerate(response.parts):
        if isinstance(part, ToolCallPart):
            yield {at: DeltaToolCall(part.tool_name, json.dumps(part.args))}
        elif isinstance(part, TextPart):
            yield part.content


def written(message: ModelMessage) -> list[str]:
    """The parts of a message as texts."""
    texts = []
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            texts.append(f"{part.part_kind}: {part.tool_name} {part.args}")
        else:
            texts.append(f"{part.part_kind}: {getattr(part, 'content', '')}")
    return texts


def answer(step: Step) -> ModelResponse:
    """A step of a script as the model says it."""
    if isinstance(step, str):
        return ModelResponse([TextPart(step)])
    return ModelResponse([ToolCallPart(call.name, dict(call.arguments)) for call in step])


def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work."""
    time.sleep(seconds)
    if fails:
        raise ToolFailed("it broke")
    return "worked"


def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


def latest(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Compaction, as a history processor does it: only the newest exchange is kept."""
    if len(messages) < 7:
        return messages
    return [ModelRequest.user_text_prompt("Get it done."), *messages[-2:]]


class Driver(adapter_driver.Driver):
    """Pydantic AI with HoldfastCapability in it."""

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.capability = HoldfastCapability(store=store, dialect=dialect, policy=policy)
        self.conversations: dict[str, list[ModelMessage]] = {}

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.capability.runs.get(conversation).board

    def play(self, script: Script) -> Ran:
        """Play a script."""
        requests: list[Request] = []
        before: list[AbstractCapability[Any]] = [ProcessHistory(latest)] if script.compacted else []
        agent = Agent(
            scripted(list(script.steps), requests, script.model),
            instructions="You work.",
            tools=[Tool(work), *[Tool(bash)] * script.with_shell, Tool(self.researcher)],
            capabilities=[*before, self.capability],
        )
        conversation = script.conversation
        history = self.conversations.get(conversation or "")
        if script.streamed:
            result = awaited(self.streamed(agent, history, conversation))
        elif script.asynchronous:
            result = awaited(agent.run("Get it done.", message_history=history, conversation_id=conversation))
        else:
            result = agent.run_sync("Get it done.", message_history=history, conversation_id=conversation)
        if conversation is not None:
            self.conversations[conversation] = result.all_messages()
        kept = [text for message in result.all_messages() for text in written(message)]
        return Ran(requests, kept, self.plan(result.conversation_id))

    async def streamed(
        self, agent: Agent[None, str], history: list[ModelMessage] | None, conversation: str | None
    ) -> AgentRunResult[str]:
        """The result at the end of a stream of events."""
        stream = agent.run_stream_events("Get it done.", message_history=history, conversation_id=conversation)
        async with stream as events:
            (result,) = [event.result async for event in events if isinstance(event, AgentRunResultEvent)]
        return result

    async def researcher(self, ctx: RunContext[Any], input: str) -> str:
        """Look something up."""
        model = scripted([[write("Look it up")], "found"], [])
        return (await Agent(model, capabilities=[self.capability]).run(input)).output
