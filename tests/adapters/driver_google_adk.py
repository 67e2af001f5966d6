"""Google ADK, driven: the plugin, an in-memory runner and a scripted model."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import ASK, Call, Ran, Request, Script, Step, as_json, awaited, write
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.events import Event, EventActions
from google.adk.events.event_actions import EventCompaction
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from holdfast import Board
from holdfast.adapters.google_adk import HoldfastPlugin
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store

APP, USER = "work", "somebody"


class ScriptedLlm(BaseLlm):
    """Plays answers, and remembers what it was sent."""

    model: str = "scripted"
    steps: list[Any]
    requests: list[Any]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next answer."""
        tools = llm_request.config.model_dump(include={"tools"}, exclude_none=True)
        texts = [text for content in llm_request.contents for text in written(content)]
        self.requests.append(Request(str(llm_request.config.system_instruction), as_json(tools), texts))
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=100 * len(texts))
        yield LlmResponse(content=answer(self.steps.pop(0)), usage_metadata=usage)


class ResearchingLlm(ScriptedLlm):
    """Writes its plan, then tells what it found, in each of the runs that use it side by side."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next answer of the run that this request is from."""
        texts = [text for content in llm_request.contents for text in written(content)]
        has_written = any(text.startswith("response: ") for text in texts)
        yield LlmResponse(content=answer("found" if has_written else [write("Look it up")]))


def written(content: types.Content) -> list[str]:
    """The parts of a content as texts."""
    texts = []
    for part in content.parts or []:
        if part.function_call is not None:
            texts.append(f"call: {part.function_call.name} {as_json(part.function_call.args)}")
        elif part.function_response is not None:
            texts.append(f"response: {as_json(part.function_response.response)}".replace("\\n", "\n"))
        else:
            texts.append(f"{content.role}: {part.text}")
    return texts


def answer(step: Step) -> types.Content:
    """A step of a script as the model says it."""
    if isinstance(step, str):
        return types.Content(role="model", parts=[types.Part(text=step)])
    calls = [types.FunctionCall(name=call.name, args=arguments(call)) for call in step]
    return types.Content(role="model", parts=[types.Part(function_call=call) for call in calls])


def arguments(call: Call) -> dict[str, Any]:
    """A call's arguments; an agent that works as a tool has a name of its own for its input."""
    given = dict(call.arguments)
    return {"request": given["input"]} if call == ASK else given


async def work(fails: bool = False, seconds: float = 0.0) -> dict[str, str]:
    """Do some work."""
    await asyncio.sleep(seconds)
    return {"error": "it broke"} if fails else {"result": "worked"}


async def bash(command: str) -> dict[str, str]:
    """Run a command."""
    return {"result": f"ran {command}"}


class Summarizer(BaseEventsSummarizer):
    """ADK's own compaction, with a summary that says nothing of the plan."""

    async def maybe_summarize_events(self, *, events: list[Event]) -> Event | None:
        """One event for all of them."""
        summary = types.Content(role="model", parts=[types.Part(text="Nothing of the plan.")])
        compaction = EventCompaction(
            start_timestamp=events[0].timestamp, end_timestamp=events[-1].timestamp, compacted_content=summary
        )
        return Event(author="user", actions=EventActions(compaction=compaction), invocation_id=Event.new_id())


def compacting() -> EventsCompactionConfig:
    """From about five messages on only the last two events are kept, after a summary."""
    return EventsCompactionConfig(token_threshold=450, event_retention_size=2, summarizer=Summarizer())


class Driver(adapter_driver.Driver):
    """ADK with Holdfast in it."""

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.plugin = HoldfastPlugin(store=store, dialect=dialect, policy=policy)
        self.runner: InMemoryRunner | None = None

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.plugin.runs.get(f"{APP}/{USER}/{conversation}").board

    def play(self, script: Script) -> Ran:
        """Play a script."""
        played = ScriptedLlm(model=script.model, steps=list(script.steps), requests=[])
        runner = self.opened(played, script)
        session = script.conversation or f"run-{uuid4().hex}"
        message = types.Content(role="user", parts=[types.Part(text="Get it done.")])
        where: dict[str, Any] = {"user_id": USER, "session_id": session, "new_message": message}
        if awaited(runner.session_service.get_session(app_name=APP, user_id=USER, session_id=session)) is None:
            awaited(runner.session_service.create_session(app_name=APP, user_id=USER, session_id=session))
        if script.streamed:
            where["run_config"] = RunConfig.model_validate({"streaming_mode": "sse"})
        if script.asynchronous or script.streamed:
            awaited(self.collected(runner, where))
        else:
            list(self.plugin.run(runner, **where))
        kept = awaited(runner.session_service.get_session(app_name=APP, user_id=USER, session_id=session))
        assert kept is not None
        history = [text for event in kept.events if event.content for text in written(event.content)]
        return Ran(played.requests, history, self.plan(session))

    async def collected(self, runner: InMemoryRunner, where: dict[str, Any]) -> list[Event]:
        """Every event of an asynchronous run."""
        return [event async for event in self.plugin.run_async(runner, **where)]

    def opened(self, model: ScriptedLlm, script: Script) -> InMemoryRunner:
        """A runner with this model; the sessions stay those of the first one."""
        researcher = LlmAgent(
            name="researcher",
            description="Look something up.",
            model=ResearchingLlm(steps=[], requests=[]),
            mode="single_turn",
        )
        agent = LlmAgent(
            name="worker",
            instruction="You work.",
            model=model,
            tools=[FunctionTool(work), *[FunctionTool(bash)] * script.with_shell],
            sub_agents=[researcher],
        )
        app = App(
            name=APP,
            root_agent=agent,
            plugins=[self.plugin],
            events_compaction_config=compacting() if script.compacted else None,
        )
        runner = InMemoryRunner(app=app)
        if self.runner is not None:
            runner.session_service = self.runner.session_service
        self.runner = runner
        return runner
