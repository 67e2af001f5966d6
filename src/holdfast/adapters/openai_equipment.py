"""An agent of the OpenAI Agents SDK with the plan's tool and prompt, which reports its other tools to the board."""

import copy
import inspect
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from agents import Agent, AgentHooks, FunctionTool, RunContextWrapper, Tool
from agents.models import get_default_model
from agents.tool_context import ToolContext
from agents.util._types import MaybeAwaitable

from ..dialects import Dialect
from ..dialects import Tool as Definition
from ..errors import UsageError
from .run import Run

T = TypeVar("T")


class RunTurn(NamedTuple):
    """A run since its model last answered, and the calls that have failed since then."""

    run: Run
    failed: set[str]


current_turn: ContextVar[RunTurn] = ContextVar("holdfast_turn")
subagent: ContextVar[str] = ContextVar("holdfast_subagent", default="main")


def equip(agent: Agent[Any], dialect: Dialect) -> Agent[Any]:
    """A copy of the agent that keeps a plan in a dialect."""
    return agent.clone(
        tools=[*map(_scoped, agent.tools), *map(_tool, dialect.tools)],
        instructions=_with_prompt(agent.instructions, dialect.prompt),
        hooks=_ToolUseHooks(agent.hooks),
    )


def model_name(agent: Agent[Any]) -> str:
    """The name of an agent's model."""
    model = get_default_model() if agent.model is None else agent.model
    return model if isinstance(model, str) else str(getattr(model, "model", ""))


async def resolve(value: MaybeAwaitable[T]) -> T:
    """The result of a host's function, which may be asynchronous."""
    return await value if inspect.isawaitable(value) else value  # pyright: ignore[reportReturnType] it narrows too little


class _ToolUseHooks(AgentHooks[Any]):
    """An agent's own hooks. They also report to the board each use of a tool except the plan's."""

    def __init__(self, own: AgentHooks[Any] | None) -> None:
        self._own: AgentHooks[Any] = AgentHooks() if own is None else own
        for name in dir(AgentHooks):
            if name.startswith("on_") and name != "on_tool_end":
                setattr(self, name, getattr(self._own, name))

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object) -> None:
        turn = _get_turn()
        if tool.name not in turn.run.tools:
            turn.run.attention.after_tool(tool.name, failed=getattr(context, "tool_call_id", "") in turn.failed)
        await self._own.on_tool_end(context, agent, tool, result)


def _get_turn() -> RunTurn:
    turn = current_turn.get(None)
    if turn is None:
        raise UsageError("a run with a plan needs its config: run_config=plans.config(), or plans.run()")
    return turn


def _tool(definition: Definition) -> FunctionTool:
    async def write(context: ToolContext[Any], arguments: str) -> str:
        return (await _get_turn().run.write_async(arguments, context.tool_call_id, definition.name)).text

    schema = copy.deepcopy(dict(definition.schema))
    return FunctionTool(definition.name, definition.description, schema, write, strict_json_schema=False)


def _scoped(tool: Tool) -> Tool:
    """The tool; an agent that works inside it has its own plan."""
    if not isinstance(tool, FunctionTool):
        return tool
    invoke = tool.on_invoke_tool

    async def scoped(context: ToolContext[Any], arguments: str) -> Any:
        token = subagent.set(f"{tool.name}-{context.tool_call_id}")
        try:
            return await invoke(context, arguments)
        finally:
            subagent.reset(token)

    return replace(tool, on_invoke_tool=scoped)


def _with_prompt(instructions: Any, prompt: str) -> Any:
    """An agent's instructions, which may be a function, followed by the plan's prompt."""
    if not callable(instructions):
        return f"{instructions}\n\n{prompt}" if instructions else prompt

    async def instruct(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        own = await resolve(instructions(context, agent))
        return f"{own}\n\n{prompt}" if own else prompt

    return instruct
