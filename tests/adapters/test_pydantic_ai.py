"""What is Pydantic AI's own: the way in from pydantic-ai-todo, payloads that are no object, calls put off, streams."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import prompt_cache
import pytest
from adapter_driver import Call, Request, Step, awaited, mark, write
from driver_pydantic_ai import scripted, work
from pydantic_ai import Agent, AgentRunResultEvent, ApprovalRequired, DeferredToolRequests, RunContext, Tool, models
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai_todo import TodoCapability

from holdfast import Board, Status
from holdfast.adapters.pydantic_ai import HoldfastCapability, PlanChangedEvent
from holdfast.attention.policies import QUIET
from holdfast.testing import ModelServer, call, text
from holdfast.testing.turns import Blocks


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


@pytest.mark.parametrize(
    "settings", [AnthropicModelSettings(anthropic_cache_messages=True), AnthropicModelSettings(anthropic_cache=True)]
)
def test_the_cache_point_stands_before_a_reminder(
    settings: AnthropicModelSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under `rail` each request ends with a text that the next one has not: what is cached ends before it."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
    for request in requests_to_anthropic(settings):
        blocks = [block for message in request["messages"] for block in message["content"]]
        assert "cache_control" in blocks[-2]
        assert "item" in blocks[-1]["text"] or "plan" in blocks[-1]["text"]


def test_most_of_a_run_is_read_from_the_cache_under_rail(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the rule of the Messages API, as much as the docs say; a mark on the reminder would lose most of it."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
    settings = AnthropicModelSettings(anthropic_cache_messages=True)
    bodies = requests_to_anthropic(settings, prompt_cache.TURNS)
    told, without = prompt_cache.told_of("Pydantic AI")
    assert abs(prompt_cache.by_marks(bodies).percent - told) <= 1
    assert abs(prompt_cache.by_marks(map(prompt_cache.marked_at_the_end, bodies)).percent - without) <= 1


def test_without_a_cache_there_is_no_cache_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing to a cache costs: nobody pays for one that they did not ask for."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
    assert not any("cache_control" in json.dumps(request) for request in requests_to_anthropic(None))


SHORT = ([call("TodoWrite", todos=[{"content": "A"}])], [call("work")], [text("Done?")])


def requests_to_anthropic(settings: AnthropicModelSettings | None, script: Sequence[Blocks] = SHORT) -> list[Any]:
    """What an agent under `rail` sends to the Messages API."""
    with ModelServer(script) as server:
        provider = AnthropicProvider(api_key="none", base_url=server.url)
        model = AnthropicModel("claude-sonnet-5", provider=provider)
        capability = HoldfastCapability(policy="rail", dialect="holdfast")
        Agent(model, tools=[Tool(work)], capabilities=[capability], model_settings=settings).run_sync("Do it.")
    return [request.body for request in server.requests]


def test_the_words_may_be_the_hosts_own() -> None:
    """`prompt` and `description` are said instead of the dialect's."""
    _, requests = run(HoldfastCapability(prompt="Keep a list.", description="The list."), "done")
    assert requests[0].system == "Keep a list."
    assert '"TodoWrite", "The list."' in requests[0].tools


def test_an_agent_may_be_made_from_a_spec() -> None:
    """The capability is named in a file, with its settings."""
    spec = {"model": "test", "capabilities": [{"HoldfastCapability": {"policy": "rail"}}]}
    agent = Agent.from_spec(spec, custom_capability_types=[HoldfastCapability])
    requests: list[Request] = []
    with agent.override(model=scripted(["Shall I?"], requests)):
        agent.run_sync("Do it.")
    assert requests[0].says("First write the plan with TodoWrite")


def test_the_users_list_is_covered_in_every_form_of_a_prompt() -> None:
    """A prompt may be text, or text among pictures."""
    requests: list[Request] = []
    agent = Agent(scripted(["Shall I?"], requests), capabilities=[HoldfastCapability(policy="rail")])
    agent.run_sync(["Do this:", "1. Read\n2. Fix\n3. Test"])
    assert requests[0].says("Now do item 1 with the tool that fits best: Read")


def test_what_the_model_writes_is_an_event_of_its_stream() -> None:
    """A listener gets the whole list, and what became of it."""
    agent = Agent(scripted([[write("A", "B")], [mark("1")], "done"], []), capabilities=[HoldfastCapability()])
    heard: list[PlanChangedEvent] = []

    @agent.on_event(PlanChangedEvent)
    async def hear(ctx: RunContext[Any], event: PlanChangedEvent) -> None:
        heard.append(event)

    agent.run_sync("Get it done.", conversation_id="a")
    first, second = heard
    assert (first.session, first.revision, first.added, first.completed) == ("a", 1, ["1", "2"], [])
    assert (second.started, second.completed, second.removed) == (["2"], ["1"], [])
    assert [todo["status"] for todo in second.todos] == ["completed", "in_progress"]


def test_a_store_may_be_found_in_the_dependencies_of_the_run(tmp_path: Path) -> None:
    """One agent serves all users, and each has a file of their own."""
    capability = HoldfastCapability(store=lambda ctx: ctx.deps)
    agent = Agent(
        scripted([[write("Of alice")], "done", [write("Of bob")], "done"], []),
        deps_type=Path,
        capabilities=[capability],
    )
    for name in ("alice", "bob"):
        agent.run_sync("Get it done.", deps=tmp_path / f"{name}.db", conversation_id="a")
    for name in ("alice", "bob"):
        assert Board(store=tmp_path / f"{name}.db", session="a").plan.todos[0].content == f"Of {name}"
