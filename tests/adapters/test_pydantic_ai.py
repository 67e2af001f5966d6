"""What is Pydantic AI's own: the way in from pydantic-ai-todo, payloads that are no object, calls put off, streams."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from adapter_driver import Call, Request, Step, awaited, mark, write
from driver_pydantic_ai import scripted
from pydantic_ai import Agent, AgentRunResultEvent, ApprovalRequired, DeferredToolRequests, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai_todo import TodoCapability

from holdfast import Status
from holdfast.adapters.pydantic_ai import HoldfastCapability
from holdfast.attention.policies import QUIET


def run(capability: AbstractCapability[Any], *steps: Step) -> tuple[str, list[Request]]:
    """What an agent with this capability says, and what its model was sent."""
    requests: list[Request] = []
    result = Agent(scripted(list(steps), requests), capabilities=[capability]).run_sync("Get it done.")
    return result.output, requests


def test_moving_in_is_one_import_and_one_line() -> None:
    """The same model works with both, each with its own tool for the list."""
    items = [{"content": "Read", "active_form": "Reading", "status": "pending"}]
    before, old = run(TodoCapability(), [Call("write_todos", {"todos": items})], "done")
    after, new = run(HoldfastCapability(), [Call("TodoWrite", {"todos": items})], "done")
    assert before == after == "done"
    assert "write_todos" in old[0].tools
    assert "Saved 1. 0/1 done. Next 1: Read" in new[1].tail


def test_a_payload_that_is_no_object_is_answered() -> None:
    """Arguments that are no JSON, or no object, get the reply that says so; nothing is raised."""
    answers = iter(
        [
            ModelResponse([ToolCallPart("TodoWrite", "{broken")]),
            ModelResponse([ToolCallPart("TodoWrite", '[{"content": "A"}]')]),
            ModelResponse([TextPart("done")]),
        ]
    )
    replies: list[str] = []

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        replies.append(str(getattr(messages[-1].parts[-1], "content", "")))
        return next(answers)

    Agent(FunctionModel(play), capabilities=[HoldfastCapability()]).run_sync("Get it done.")
    assert "Not saved" in replies[1]
    assert "Saved 1. 0/1 done." in replies[2]


def test_a_call_that_is_put_off_has_not_failed() -> None:
    """A tool that waits for approval did no work, and is no reason to try another way."""

    def deploy() -> str:
        """Ship it."""
        raise ApprovalRequired

    holdfast = HoldfastCapability(policy="rail")
    agent = Agent(
        scripted([[write("A")], [Call("deploy")]], []),
        tools=[Tool(deploy)],
        capabilities=[holdfast],
        output_type=[str, DeferredToolRequests],
    )
    result = agent.run_sync("Get it done.", conversation_id="a")
    assert isinstance(result.output, DeferredToolRequests)
    assert holdfast.runs.get("a").board.work.failures == 0


def test_arguments_that_cannot_be_read_are_a_failed_call() -> None:
    """Another tool's call that the framework refuses is no work."""

    def count(number: int) -> int:
        """Count."""
        return number

    requests: list[Request] = []
    agent = Agent(
        scripted([[write("A")], [Call("count", {"number": "many"})], "Why?"], requests),
        tools=[Tool(count)],
        capabilities=[HoldfastCapability(policy="rail")],
    )
    agent.run_sync("Get it done.")
    assert "That failed. Do item 1 another way, with another tool or command: A" in requests[2].tail


@pytest.mark.parametrize(("entry", "said"), [("run_stream", "I stop."), ("run_stream_events", "done")])
def test_a_stream_with_a_gate_comes_to_its_end(entry: str, said: str) -> None:
    """`run_stream` is over with the first answer, and nothing is raised; a stream of events goes on with held work."""
    capability = HoldfastCapability(policy=QUIET.replace(holds=3))
    agent = Agent(streaming([write("A")], "I stop.", [mark("1")], "done"), capabilities=[capability])
    hear = {"run_stream": heard_text, "run_stream_events": heard_events}[entry]
    assert awaited(hear(agent)) == said
    (todo,) = capability.runs.get("a").board.plan.todos
    assert (todo.status is Status.COMPLETED) == (said == "done")


async def heard_text(agent: Agent[None, str]) -> str:
    """The answer that `run_stream` streams."""
    async with agent.run_stream("Get it done.", conversation_id="a") as stream:
        return await stream.get_output()


async def heard_events(agent: Agent[None, str]) -> str:
    """The answer at the end of a stream of events."""
    async with agent.run_stream_events("Get it done.", conversation_id="a") as events:
        (result,) = [event.result async for event in events if isinstance(event, AgentRunResultEvent)]
    return result.output


def streaming(*steps: Step) -> FunctionModel:
    """A model that streams these steps."""
    rest = list(steps)

    async def play(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        step = rest.pop(0)
        if isinstance(step, str):
            yield step
        else:
            yield {at: DeltaToolCall(call.name, json.dumps(call.arguments)) for at, call in enumerate(step)}

    return FunctionModel(stream_function=play)
