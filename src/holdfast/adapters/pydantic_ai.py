"""Pydantic AI: a capability that replaces pydantic-ai-todo's.

    from holdfast.adapters.pydantic_ai import HoldfastCapability

    agent = Agent(model, capabilities=[HoldfastCapability()])

List it last, so that it sees the messages as the model will.
"""

from ..extras import require

require("pydantic-ai")

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_ai import CapabilityEvent, FunctionToolset, RunContext, Tool, ToolDefinition
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import RawToolArgs, ValidatedToolArgs, WrapToolExecuteHandler
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution, ToolFailed, UserError
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext

from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName
from ..plan import Change, Status, Todo
from ..plan.rules import Rules
from .run import Note, Run
from .runs import Runs, Stored, StoreOf, unique_name

CONTROL_FLOW = (ApprovalRequired, CallDeferred, SkipToolExecution)
CACHES = ("cache", "anthropic_cache", "anthropic_cache_messages", "bedrock_cache_messages", "openrouter_cache_messages")
"""The settings by which a host asks for a cache of the messages."""


@dataclass(kw_only=True)
class PlanChangedEvent(CapabilityEvent, namespace="holdfast", name="plan_changed"):
    """The model has changed its plan: an event in the agent's stream, for `@agent.on_event(PlanChangedEvent)`.

    `todos` is the whole list, each with `id`, `content` and `status`; the others are ids.
    """

    session: str
    revision: int
    todos: list[dict[str, str]]
    added: list[str]
    removed: list[str]
    started: list[str]
    completed: list[str]


@dataclass(init=False, eq=False, repr=False)  # `Agent.from_spec` takes only such classes
class HoldfastCapability(AbstractCapability[Any]):
    """The plan's tool, kept before the model by a policy.

    A conversation has its own plan, over all its runs, and so has a subagent. The arguments are those of `Runs`.
    """

    def __init__(
        self,
        *,
        store: Stored | StoreOf | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        prompt: str | None = None,
        description: str | None = None,
    ) -> None:
        self.runs = Runs(
            store=store, dialect=dialect, policy=policy, rules=rules, prompt=prompt, description=description
        )
        self._run: Run | None = None
        self._notes: list[Note] = []

    async def for_run(self, ctx: RunContext[Any]) -> "HoldfastCapability":
        """The capability of one run: with the plan of its conversation, in the dialect of its model."""
        session = ctx.conversation_id or ctx.run_id or unique_name()
        mine = copy.copy(self)
        runs = await self.runs.within_async(ctx)
        mine._run = await runs.get_async(session, model=ctx.model.model_name)
        await mine._run.in_order(mine._run.on_user_message, _text(ctx.prompt))
        return mine

    def get_instructions(self) -> str:
        """The plan's prompt. It never changes."""
        return self.runs.prompt(self._dialect)

    def get_toolset(self) -> FunctionToolset[Any]:
        """The plan's tools, by their raw schemas."""
        return FunctionToolset(
            [
                Tool.from_schema(
                    self._write, tool.name, tool.description, dict(tool.schema), takes_ctx=True, sequential=True
                )
                for tool in self.runs.tools(self._dialect)
            ]
        )

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Say what the model must be told now, in this request only. A second attempt says the same."""
        run, messages = self._current_run, request_context.messages
        if request_context.attempt == 1:
            self._notes = await run.in_order(run.request, messages, _call_ids(messages))
        lifetime = _cache_lifetime(request_context.model_settings or {})
        return replace(request_context, messages=_with_notes(messages, self._notes, lifetime))

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """The policy may hold a model that would end with work left."""
        run = self._current_run
        if not response.tool_calls and (text := await run.in_order(run.before_stop, response.text or "")):
            with suppress(UserError):  # `run_stream` ends with the first answer, and cannot continue
                ctx.enqueue(text)
        return response

    async def before_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: RawToolArgs
    ) -> RawToolArgs:
        """Pass a write on as it came, whatever it is: Holdfast checks it."""
        return {"payload": args} if call.tool_name in self._current_run.tools else args

    async def on_tool_validate_error(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: RawToolArgs,
        error: ValidationError | ModelRetry,
    ) -> ValidatedToolArgs:
        """A call of another tool with unreadable arguments has failed."""
        run = self._current_run
        arguments = args if isinstance(args, dict) else None
        await run.in_order(run.attention.after_tool, call.tool_name, arguments, True)
        raise error

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Report the use of any other tool to the board."""
        run, name = self._current_run, call.tool_name
        if name in run.tools:
            return await handler(args)
        async with run.tool_use_async(name, args, call.tool_call_id, CONTROL_FLOW):
            return await handler(args)

    @property
    def _current_run(self) -> Run:
        assert self._run is not None, "the agent calls hooks of what for_run gave it"
        return self._run

    @property
    def _dialect(self) -> Dialect:
        return self.runs.dialect() if self._run is None else self._run.board.dialect

    async def _write(self, ctx: RunContext[Any], payload: object) -> str:
        reply = await self._current_run.write_async(payload, ctx.tool_call_id or "", ctx.tool_name or "")
        if not reply.ok:
            raise ToolFailed(reply.text)
        if reply.change is not None:
            await ctx.emit(_event(self._current_run.board.key.session, reply.change))
        return reply.text


def _event(session: str, change: Change) -> PlanChangedEvent:
    moved = [
        pair for pair in change.differences if pair.after is not None and _status(pair.before) != pair.after.status
    ]
    now = {status: [pair.after.id for pair in moved if pair.after and pair.after.status is status] for status in Status}
    return PlanChangedEvent(
        session=session,
        revision=change.after.revision,
        todos=[{"id": todo.id, "content": todo.content, "status": str(todo.status)} for todo in change.after.todos],
        added=[pair.after.id for pair in change.differences if pair.before is None and pair.after is not None],
        removed=[pair.before.id for pair in change.differences if pair.before is not None and pair.after is None],
        started=now[Status.IN_PROGRESS],
        completed=now[Status.COMPLETED],
    )


def _status(todo: Todo | None) -> Status | None:
    return None if todo is None else todo.status


def _with_notes(
    messages: Sequence[ModelMessage], notes: Sequence[Note], lifetime: Literal["5m", "1h"] | None
) -> list[ModelMessage]:
    """Copies of the messages with the notes in them. The history keeps the messages as they were.

    What is cached ends before a text that only this request has.
    """
    result: list[ModelMessage] = []
    for index, message in enumerate(messages):
        parts: list[UserPromptPart] = []
        for note in notes:
            if note.after == index:
                is_cached = lifetime is not None and not note.keep
                parts.append(UserPromptPart([CachePoint(ttl=lifetime or "5m"), note.text] if is_cached else note.text))
        if parts and isinstance(message, ModelRequest):
            message = replace(message, parts=[*message.parts, *parts])
        result.append(message)
    return result


def _cache_lifetime(settings: Mapping[str, Any]) -> Literal["5m", "1h"] | None:
    """How long the messages of a request are to be cached, by the model's settings; None if they are not."""
    asked = [settings.get(name) for name in CACHES]
    return "1h" if "1h" in asked else "5m" if any(asked) else None


def _text(prompt: str | Sequence[UserContent] | None) -> str:
    """What the user says in words."""
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    return "\n".join(part for part in prompt if isinstance(part, str))


def _call_ids(messages: Sequence[ModelMessage]) -> set[str]:
    return {
        call.tool_call_id for message in messages if isinstance(message, ModelResponse) for call in message.tool_calls
    }
