"""An agent of the OpenAI Agents SDK with the plan's tool and prompt, which reports its other tools to the board."""

import copy
import inspect
import json
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from agents import Agent, AgentHooks, FunctionTool, ModelResponse, RunContextWrapper, Tool
from agents.models import get_default_model
from agents.tool_context import ToolContext
from agents.util._types import MaybeAwaitable

from ..dialects import Tool as Definition
from ..errors import UsageError
from .run import ModelCall, Run
from .runs import Runs

T = TypeVar("T")


class RunTurn(NamedTuple):
    """A run since its model was last asked, the SDK's own object for it, and the calls that have failed since then."""

    run: Run
    context: RunContextWrapper[Any]
    failed: set[str]


current_turn: ContextVar[RunTurn] = ContextVar("holdfast_turn")
subagent: ContextVar[str] = ContextVar("holdfast_subagent", default="main")


class RunInstructions(str):
    """The instructions of one request, which know the run that they are for.

    The SDK gives a filter of requests the instructions, and nothing else that tells one run from another.
    """

    context: RunContextWrapper[Any]


class PlanInstructions:
    """An agent's own instructions, which may be a function, followed by the plan's prompt."""

    def __init__(self, own: Any, prompt: str) -> None:
        self._own = own
        self._prompt = prompt

    async def __call__(self, context: RunContextWrapper[Any], agent: Agent[Any]) -> RunInstructions:
        """The instructions of the next request of a run."""
        own = await resolve(self._own(context, agent)) if callable(self._own) else self._own
        instructions = RunInstructions(f"{own}\n\n{self._prompt}" if own else self._prompt)
        instructions.context = context
        return instructions


def equip(agent: Agent[Any], runs: Runs) -> Agent[Any]:
    """A copy of the agent that keeps a plan."""
    dialect = runs.dialect(model_name(agent))
    return agent.clone(
        tools=[*map(_scoped, agent.tools), *map(_tool, runs.tools(dialect))],
        instructions=PlanInstructions(agent.instructions, runs.prompt(dialect)),
        hooks=_ToolUseHooks(agent.hooks),
    )


def is_equipped(agent: Agent[Any]) -> bool:
    """Whether an agent has the plan's tool: one that the work was handed to may have none."""
    return isinstance(agent.instructions, PlanInstructions)


def definitions(agent: Agent[Any]) -> list[dict[str, Any]]:
    """An agent's own functions, as its model gets them."""
    functions = [tool for tool in agent.tools if isinstance(tool, FunctionTool)]
    return [{"name": tool.name, "parameters": tool.params_json_schema} for tool in functions]


def model_name(agent: Agent[Any]) -> str:
    """The name of an agent's model."""
    model = get_default_model() if agent.model is None else agent.model
    return model if isinstance(model, str) else str(getattr(model, "model", ""))


async def resolve(value: MaybeAwaitable[T]) -> T:
    """The result of a host's function, which may be asynchronous."""
    return await value if inspect.isawaitable(value) else value  # pyright: ignore[reportReturnType] it narrows too little


class _ToolUseHooks(AgentHooks[Any]):
    """An agent's own hooks. They also report to the board what the model calls, and each use of another tool."""

    def __init__(self, own: AgentHooks[Any] | None) -> None:
        self._own: AgentHooks[Any] = AgentHooks() if own is None else own
        for name in dir(AgentHooks):
            if name.startswith("on_") and name not in ("on_llm_end", "on_tool_start", "on_tool_end"):
                setattr(self, name, getattr(self._own, name))

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        calls = [item for item in response.output if item.type == "function_call"]
        _turn_of(context).run.on_answer(ModelCall(call.call_id, call.name) for call in calls)
        await self._own.on_llm_end(context, agent, response)

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool) -> None:
        run = current_turn.get().run
        if tool.name not in run.tools:
            run.tool_started(_call_id(context))
        await self._own.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object) -> None:
        turn, call = current_turn.get(), _call_id(context)
        if tool.name not in turn.run.tools:
            await turn.run.tool_ended_async(tool.name, _arguments(context), call, call in turn.failed)
        await self._own.on_tool_end(context, agent, tool, result)


def _call_id(context: RunContextWrapper[Any]) -> str:
    return context.tool_call_id if isinstance(context, ToolContext) else ""


def _arguments(context: RunContextWrapper[Any]) -> dict[str, object] | None:
    """The arguments of a call; None where there are none to read."""
    try:
        value = json.loads(context.tool_arguments) if isinstance(context, ToolContext) else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _turn_of(context: RunContextWrapper[Any]) -> RunTurn:
    """The turn of a run. One that is left of another run, in the same task, is not taken for it."""
    turn = current_turn.get(None)
    if turn is None or turn.context is not context:
        raise UsageError("a run with a plan needs its config: run_config=plans.config(), or plans.run()")
    return turn


def _tool(definition: Definition) -> FunctionTool:
    async def write(context: ToolContext[Any], arguments: str) -> str:
        return (await current_turn.get().run.write_async(arguments, context.tool_call_id, definition.name)).text

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
