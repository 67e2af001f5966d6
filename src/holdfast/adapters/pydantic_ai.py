"""Pydantic AI: a capability that replaces pydantic-ai-todo's.

    from holdfast.adapters.pydantic_ai import HoldfastCapability

    agent = Agent(model, capabilities=[HoldfastCapability()])

List it last, so that it sees the messages as the model will.
"""

from ..extras import require

require("pydantic-ai")

import copy
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError
from pydantic_ai import CapabilityEvent, FunctionToolset, RunContext, Tool, ToolDefinition
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, durable_operation
from pydantic_ai.capabilities.abstract import RawToolArgs, ValidatedToolArgs, WrapToolExecuteHandler
from pydantic_ai.durable_exec import DurableRunContext
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
from .runs import Runs, Stored, StoreOf

CONTROL_FLOW = (ApprovalRequired, CallDeferred, SkipToolExecution)
CACHES = ("cache", "anthropic_cache", "anthropic_cache_messages", "bedrock_cache_messages", "openrouter_cache_messages")
"""The settings by which a host asks for a cache of the messages."""
IN_WORKFLOW = {"temporal": False, "prefect": False}
"""The plan's tools run in a workflow's own code there; what they ask the store for is an activity."""


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


class PlanWritten(NamedTuple):
    """What became of a write: the reply, and the event of a plan that has changed."""

    text: str
    ok: bool
    event: PlanChangedEvent | None


@dataclass(init=False, eq=False, repr=False)  # `Agent.from_spec` takes only such classes
class HoldfastCapability(AbstractCapability[Any]):
    """The plan's tool, kept before the model by a policy.

    A conversation has its own plan, over all its runs, and so has a subagent. The arguments are those of `Runs`.

    The hooks never ask the store themselves: each such moment is a durable operation, which is an activity where the
    agent runs in a workflow, and a plain call everywhere else. What it needs, it finds in the context of the run.
    """

    id: str | None = "holdfast"

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
        self._dialect = self.runs.dialect()
        self._toolsets: dict[str, FunctionToolset[Any]] = {}
        self._run: Run | None = None
        self._notes: list[Note] = []

    def for_agent(self, agent: AbstractAgent[Any, Any]) -> "HoldfastCapability":
        """The capability of one agent: in the dialect of its model."""
        return self._of_model(agent.model)

    async def for_run(self, ctx: RunContext[Any]) -> "HoldfastCapability":
        """The capability of one run. An activity has no model yet, and needs none."""
        return self._of_model(None if isinstance(ctx, DurableRunContext) else ctx.model)

    def _of_model(self, model: object) -> "HoldfastCapability":
        mine = copy.copy(self)
        if model is not None:
            mine._dialect = self.runs.dialect(model if isinstance(model, str) else getattr(model, "model_name", None))
        return mine

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """The user speaks."""
        await self._hear(ctx, _text(ctx.prompt))

    def get_instructions(self) -> str:
        """The plan's prompt. It never changes."""
        return self.runs.prompt(self._dialect)

    def get_toolset(self) -> FunctionToolset[Any]:
        """The plan's tools, by their raw schemas: one object for all runs, as workflows want it."""
        name = self._dialect.name
        if name not in self._toolsets:
            tools = [
                Tool.from_schema(
                    _write, tool.name, tool.description, dict(tool.schema), takes_ctx=True, sequential=True
                )
                for tool in self.runs.tools(self._dialect)
            ]
            self._toolsets[name] = FunctionToolset(tools, metadata=IN_WORKFLOW, id=f"holdfast-{name}")
        return self._toolsets[name]

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Say what the model must be told now, in this request only. A second attempt says the same."""
        messages = request_context.messages
        if request_context.attempt == 1:
            tools = [_brief(tool) for tool in request_context.model_request_parameters.function_tools]
            fingerprints = [_fingerprint(message) for message in messages]
            self._notes = await self._request(ctx, fingerprints, _call_ids(messages), tools)
        lifetime = _cache_lifetime(request_context.model_settings or {})
        return replace(request_context, messages=_with_notes(messages, self._notes, lifetime))

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """The policy may hold a model that would end with work left."""
        if not response.tool_calls and (text := await self._hold(ctx, response.text or "")):
            with suppress(UserError):  # `run_stream` ends with the first answer, and cannot continue
                ctx.enqueue(text)
        return response

    async def before_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: RawToolArgs
    ) -> RawToolArgs:
        """Pass a write on as it came, whatever it is: Holdfast checks it."""
        return {"payload": args} if call.tool_name in self._dialect.tool_names else args

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
        await self._report(ctx, call.tool_name, _arguments(call), True)
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
        """Report the use of any other tool to the board. A write is sequential: it waits for the calls before it."""
        if call.tool_name in self._dialect.tool_names:
            return await handler(args)
        try:
            result = await handler(args)
        except CONTROL_FLOW:
            raise
        except Exception:
            await self._report(ctx, call.tool_name, _arguments(call), True)
            raise
        await self._report(ctx, call.tool_name, _arguments(call), False)
        return result

    @durable_operation("user-message")
    async def _hear(self, ctx: RunContext[Any], text: str) -> None:
        run = await self._run_of(ctx)
        await run.in_order(run.on_user_message, text)

    @durable_operation("request")
    async def _request(
        self, ctx: RunContext[Any], messages: list[str], calls: list[str], tools: list[dict[str, Any]]
    ) -> list[Note]:
        run = await self._run_of(ctx)
        return await run.in_order(run.request, messages, calls, tools)

    @durable_operation("write")
    async def save(self, ctx: RunContext[Any], payload: Any, call: str, tool: str) -> PlanWritten:
        """Take the model's write."""
        run = await self._run_of(ctx)
        reply = await run.write_async(payload, call, tool)
        event = None if reply.change is None else _event(run.board.key.session, reply.change)
        return PlanWritten(reply.text, reply.ok, event)

    @durable_operation("tool-use")
    async def _report(self, ctx: RunContext[Any], tool: str, arguments: dict[str, Any], failed: bool) -> None:
        run = await self._run_of(ctx)
        await run.in_order(run.attention.after_tool, tool, arguments, failed)

    @durable_operation("stop")
    async def _hold(self, ctx: RunContext[Any], words: str) -> str:
        run = await self._run_of(ctx)
        return await run.in_order(run.before_stop, words)

    async def _run_of(self, ctx: RunContext[Any]) -> Run:
        """The run of a conversation, in the dialect of its model."""
        if self._run is None:
            session = ctx.conversation_id or ctx.run_id
            assert session is not None, "a run has an id"
            runs = await self.runs.within_async(ctx)
            self._run = await runs.get_async(session, model=ctx.model.model_name)
        return self._run


async def _write(ctx: RunContext[Any], payload: object) -> str:
    """The plan's tool, for whichever run it is called in."""
    capability = ctx.capabilities["holdfast"]
    assert isinstance(capability, HoldfastCapability)
    written = await capability.save(ctx, payload, ctx.tool_call_id or "", ctx.tool_name or "")
    if not written.ok:
        raise ToolFailed(written.text)
    if written.event is not None:
        await ctx.emit(written.event)
    return written.text


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


def _call_ids(messages: Sequence[ModelMessage]) -> list[str]:
    return [
        call.tool_call_id for message in messages if isinstance(message, ModelResponse) for call in message.tool_calls
    ]


def _arguments(call: ToolCallPart) -> dict[str, Any]:
    """The arguments of a call as the model gave them."""
    with suppress(ValueError, AssertionError):
        return call.args_as_dict(raise_if_invalid=True)
    return {}


def _brief(tool: ToolDefinition) -> dict[str, Any]:
    """A tool's name, and the schema of one that takes a command: an activity is not sent them all."""
    schema = tool.parameters_json_schema
    return {"name": tool.name, "parameters": schema if "command" in schema.get("properties", {}) else {}}


def _fingerprint(message: ModelMessage) -> str:
    """What tells a message from the others of its conversation, in a few bytes: an activity is not sent them all."""
    digest = hashlib.sha256(message.kind.encode())
    for part in message.parts:
        content = getattr(part, "content", None)
        texts = [content] if isinstance(content, str) else content if isinstance(content, list | tuple) else []
        words = (part.part_kind, getattr(part, "tool_call_id", ""), *(text for text in texts if isinstance(text, str)))
        digest.update("\0".join(map(str, words)).encode(errors="replace"))
    return digest.hexdigest()[:16]
