"""Microsoft Agent Framework, driven: an agent with the provider and a chat client that plays a script."""

import time
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import Ran, Request, Script, Step, as_json, awaited, write
from agent_framework import (
    Agent,
    AgentLoopMiddleware,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
    ResponseStream,
    SlidingWindowStrategy,
    tool,
)

from holdfast import Board
from holdfast.adapters.agent_framework import HoldfastProvider
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Plays answers, and remembers what it was sent."""

    def __init__(self, steps: Sequence[Step], model: str = "scripted") -> None:
        super().__init__()
        self.model = model
        self.steps = iter(steps)
        self.requests: list[Request] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> Any:
        tools = [tool.to_json_schema_spec() for tool in options.get("tools") or []]
        texts = [written(message) for message in messages if message.role != "system"]
        self.requests.append(Request(str(options.get("instructions")), as_json(tools), texts))
        message = answer(next(self.steps))
        if not stream:
            return self._whole(message)
        return ResponseStream(self._streamed(message), finalizer=ChatResponse.from_updates)

    async def _whole(self, message: Message) -> ChatResponse[Any]:
        return ChatResponse(messages=[message])

    async def _streamed(self, message: Message) -> AsyncIterable[ChatResponseUpdate]:
        for content in message.contents:
            yield ChatResponseUpdate(role="assistant", contents=[content])


def answer(step: Step) -> Message:
    """A step of a script as the model says it."""
    if isinstance(step, str):
        return Message("assistant", [step])
    calls = [Content.from_function_call(uuid4().hex, call.name, arguments=dict(call.arguments)) for call in step]
    return Message("assistant", calls)


def written(message: Message) -> str:
    """A message as one text."""
    parts = [
        as_json([content.name, content.arguments])
        if content.type == "function_call"
        else str(content.result if content.type == "function_result" else content.text)
        for content in message.contents
    ]
    return f"{message.role}: {'; '.join(parts)}"


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
    """Microsoft Agent Framework with Holdfast in it."""

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.provider = HoldfastProvider(store=store, dialect=dialect, policy=policy)
        self.sessions: dict[str, AgentSession] = {}

    def play(self, script: Script) -> Ran:
        """Play a script. The framework has no sync entry."""
        client = ScriptedClient(script.steps, script.model)
        history = InMemoryHistoryProvider()
        compaction: dict[str, Any] = (
            {"compaction_strategy": SlidingWindowStrategy(keep_last_groups=2)} if script.compacted else {}
        )
        gate = AgentLoopMiddleware(
            self.provider.todos_remaining, max_iterations=None, next_message=self.provider.next_message
        )
        agent = Agent(
            client,
            "You work.",
            tools=[work, *[bash] * script.with_shell, self.researcher()],
            context_providers=[history, self.provider],
            middleware=[gate],
            **compaction,
        )
        conversation = script.conversation
        session = (
            self.sessions.setdefault(conversation, AgentSession(session_id=conversation))
            if conversation
            else AgentSession()
        )
        if script.streamed:
            awaited(self.stream(agent, session))
        else:
            awaited(self.respond(agent, session))
        kept = session.state[history.source_id]["messages"]
        return Ran(client.requests, [written(message) for message in kept], self.plan(session.session_id))

    async def respond(self, agent: Agent[Any], session: AgentSession) -> None:
        """Run an agent."""
        await agent.run("Get it done.", session=session)

    async def stream(self, agent: Agent[Any], session: AgentSession) -> None:
        """Run an agent, and read all that it says as it comes."""
        async for _ in agent.run("Get it done.", session=session, stream=True):
            pass

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.provider.runs.get(conversation).board

    def researcher(self) -> FunctionTool:
        """A subagent, as a tool."""
        steps: list[Step] = [[write("Look it up")], "found"]
        provider = self.provider

        @tool
        async def researcher(input: str) -> str:
            """Look something up."""
            agent = Agent(ScriptedClient(steps), context_providers=[provider])
            return (await agent.run(input)).text

        return researcher
