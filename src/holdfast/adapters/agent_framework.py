"""Microsoft Agent Framework: a context provider, in the place of its own `TodoProvider`.

    from holdfast.adapters.agent_framework import HoldfastProvider

    agent = Agent(client=client, context_providers=[HoldfastProvider()])

A session has its own plan. List the provider last, so that it sees the messages as the model will.
"""

from ..extras import require

require("agent-framework")

import copy
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from agent_framework import (
    AgentResponse,
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ContextProvider,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    Message,
    MiddlewareTermination,
    SessionContext,
    SupportsAgentRun,
    apply_compaction,
)
from agent_framework.exceptions import UserInputRequiredException

from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName
from ..dialects import Tool as Definition
from ..errors import UsageError
from ..plan.rules import Rules
from .run import ModelCall, Run, RunningTool, insert_notes
from .runs import Runs, Stored, StoreOf

CONTROL_FLOW = (MiddlewareTermination, UserInputRequiredException)

_caller: ContextVar[tuple[str, str] | None] = ContextVar("holdfast_caller", default=None)
"""The session and the tool call that an agent works inside: as a subagent it has its own plan."""


class HoldfastProvider(ContextProvider):
    """The plan's tool, kept before the model by a policy.

    A session has its own plan, over all its runs, and so has a call of an agent as a tool. The arguments are those of
    `Runs`.
    """

    def __init__(
        self,
        source_id: str = "holdfast",
        *,
        store: Stored | StoreOf | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        prompt: str | None = None,
        description: str | None = None,
    ) -> None:
        super().__init__(source_id)
        self.runs = Runs(
            store=store, dialect=dialect, policy=policy, rules=rules, prompt=prompt, description=description
        )
        self._gate_speaks_next: set[str] = set()
        """The sessions whose next message comes from the stop gate, not from the user."""

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Give the run its tool, its prompt, and what keeps the plan before the model."""
        key = _caller.get() or (session.session_id, "main")
        runs = await self.runs.within_async(session)
        run = await runs.get_async(*key, model=_model_name(agent, context.options))
        if session.session_id in self._gate_speaks_next:
            self._gate_speaks_next.remove(session.session_id)
        else:
            await run.in_order(run.on_user_message, "\n".join(message.text for message in context.input_messages))
        dialect = run.board.dialect
        context.extend_instructions(self.source_id, self.runs.prompt(dialect))
        context.extend_tools(self.source_id, [_tool(tool) for tool in self.runs.tools(dialect)])
        context.extend_middleware(self.source_id, [_PlanRequests(run), _PlanCalls(run)])

    async def todos_remaining(
        self, *, session: AgentSession | None = None, last_result: AgentResponse[Any] | None = None, **_: Any
    ) -> tuple[bool, str | None]:
        """The `should_continue` of an `AgentLoopMiddleware`: whether the policy holds a model that would end.

        What to say to it is the feedback: `next_message` passes it on. A run without a session is not held.
        """
        if session is None or last_result is None or last_result.user_input_requests:
            return False, None
        run = await (await self.runs.within_async(session)).get_async(session.session_id)
        text = await run.in_order(run.before_stop, last_result.text)
        if text:
            self._gate_speaks_next.add(session.session_id)
        return bool(text), text or None

    @staticmethod
    def next_message(*, feedback: str | None = None, **_: Any) -> str | None:
        """The `next_message` of an `AgentLoopMiddleware`."""
        return feedback


class _PlanRequests(ChatMiddleware):
    """Says in each request what the model must be told now, and notes the order of the calls in its answer."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run, messages = self._run, await _compacted(context)
        options = context.options or {}
        calls = None if options.get("conversation_id") else _call_ids(messages)  # the server has them, and says no ids
        tools = [tool.to_json_schema_spec() for tool in options.get("tools") or () if isinstance(tool, FunctionTool)]
        notes = await run.in_order(run.request, messages, calls, tools)
        context.messages = insert_notes(messages, notes, lambda text: Message("user", [text]))
        context.stream_result_hooks.append(self._note_calls)
        await call_next()
        if isinstance(context.result, ChatResponse):
            self._note_calls(context.result)

    def _note_calls(self, response: ChatResponse[Any]) -> None:
        self._run.on_answer(_calls(response.messages))


class _PlanCalls(FunctionMiddleware):
    """Takes the calls of the plan's tools, and reports the use of all others to the board."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run, name, call = self._run, context.function.name, str(context.metadata.get("call_id", ""))
        arguments = dict(context.arguments) if isinstance(context.arguments, Mapping) else {}
        if name in run.tools:
            context.result = (await run.write_async(arguments, call, name)).text
            return
        token = _caller.set((run.board.key.session, f"{name}-{call}"))
        try:
            async with RunningTool(run, name, arguments, call, CONTROL_FLOW):
                await call_next()
        finally:
            _caller.reset(token)


async def _compacted(context: ChatContext) -> list[Message]:
    """The messages as the model will see them: what the client would leave out is left out now, and not once more."""
    messages = context.messages if isinstance(context.messages, list) else list(context.messages)
    strategy = context.kwargs.get("compaction_strategy") or getattr(context.client, "compaction_strategy", None)
    if strategy is None:
        return list(messages)
    tokenizer = context.kwargs.get("tokenizer") or getattr(context.client, "tokenizer", None)
    context.kwargs["compaction_strategy"] = _keep_all
    return await apply_compaction(messages, strategy=strategy, tokenizer=tokenizer)


async def _keep_all(messages: list[Message]) -> bool:
    return False


def _tool(definition: Definition) -> FunctionTool:
    """The tool as the model sees it; `_PlanCalls` takes its calls."""
    return FunctionTool(
        name=definition.name,
        description=definition.description,
        func=_never_called,
        input_model=copy.deepcopy(dict(definition.schema)),
    )


def _never_called(**_: object) -> str:
    raise UsageError("the plan is written by HoldfastProvider: add it to the agent's context_providers")


def _calls(messages: Iterable[Message]) -> list[ModelCall]:
    contents = (content for message in messages for content in message.contents if content.type == "function_call")
    return [ModelCall(str(content.call_id), str(content.name)) for content in contents]


def _call_ids(messages: Sequence[Message]) -> set[str]:
    return {call.id for call in _calls(messages)}


def _model_name(agent: SupportsAgentRun, options: Mapping[str, Any]) -> str:
    """The name of the model: the run's, the agent's, or its client's."""
    of_agent = (getattr(agent, "default_options", None) or {}).get("model")
    return str(options.get("model") or of_agent or getattr(getattr(agent, "client", None), "model", None) or "")
