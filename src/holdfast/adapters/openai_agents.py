"""OpenAI Agents SDK: an agent is equipped with the plan, and a run is given its config.

    from holdfast.adapters.openai_agents import Holdfast

    plans = Holdfast()
    agent = plans.equip(Agent(name="Assistant", model=model))
    result = Runner.run_sync(agent, "…", run_config=plans.config())    # or plans.run_sync(agent, "…"), with a stop gate

Handoffs go on with the run's plan; an equipped agent that is another one's tool has a plan of its own at each call.
"""

import copy
import inspect
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple, TypeVar, cast

from agents import (
    Agent,
    AgentHookContext,
    AgentHooks,
    FunctionTool,
    ModelResponse,
    RunConfig,
    RunContextWrapper,
    Runner,
    RunResult,
    Tool,
    TResponseInputItem,
)
from agents.models import get_default_model
from agents.run import CallModelData, ModelInputData
from agents.run_config import ToolErrorFormatterArgs
from agents.tool_context import ToolContext
from agents.util._types import MaybeAwaitable

from ..dialects import Dialect
from ..dialects import Tool as Definition
from ..errors import UsageError
from ..policies import Policy
from ..rules import Rules
from ..stores import Store
from .run import Run, Runs, fresh, woven

T = TypeVar("T")


class _Turn(NamedTuple):
    """A run since its model last answered, and the calls that have failed since then."""

    run: Run
    failed: set[str]


_now: ContextVar[_Turn] = ContextVar("holdfast_turn")
_subagent: ContextVar[str] = ContextVar("holdfast_subagent", default="main")


class Holdfast:
    """The plan's tool, kept before the model by a policy. The arguments are those of `Runs`."""

    def __init__(
        self,
        store: Store | str | PathLike[str] | None = None,
        policy: str | Policy = "quiet",
        dialect: str | Dialect | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.runs = Runs(store, policy, dialect, rules)

    def equip(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of the agent with the plan's tool and prompt, which tells the board of its other tools."""
        dialect = self.runs.dialect(_model(agent))
        return agent.clone(
            tools=[*map(_scoped, agent.tools), *map(_tool, dialect.tools)],
            instructions=_prompted(agent.instructions, dialect.prompt),
            hooks=_Told(agent.hooks),
        )

    def config(
        self, plan: str | None = None, config: RunConfig | None = None, server_keeps_history: bool = False
    ) -> RunConfig:
        """The config of one run, or of all runs of one conversation; `plan` names a plan to go on with.

        With `server_keeps_history` a request holds only what is new, and what the model still sees is unknown.
        """
        before = RunConfig() if config is None else config
        requests = _Requests(self.runs, plan or fresh(), before, server_keeps_history)
        return replace(before, call_model_input_filter=requests, tool_error_formatter=requests.failed)

    async def run(
        self,
        agent: Agent[Any],
        input: str | list[TResponseInputItem],
        *,
        plan: str | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """As `Runner.run`; a model that would end with work left is held, by the policy."""
        config = self.config(plan or _session(options), run_config)
        result = await Runner.run(agent, input, run_config=config, **options)
        while held := await self._holding(config).aside(_hold, self._holding(config), result):
            result = await Runner.run(result.last_agent, _on(held, result, options), run_config=config, **options)
        return result

    def run_sync(
        self,
        agent: Agent[Any],
        input: str | list[TResponseInputItem],
        *,
        plan: str | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """As `Runner.run_sync`; a model that would end with work left is held, by the policy."""
        config = self.config(plan or _session(options), run_config)
        result = Runner.run_sync(agent, input, run_config=config, **options)
        while held := _hold(self._holding(config), result):
            result = Runner.run_sync(result.last_agent, _on(held, result, options), run_config=config, **options)
        return result

    def _holding(self, config: RunConfig) -> Run:
        return self.runs.get(cast("_Requests", config.call_model_input_filter).plan)


class _Requests:
    """Says in each request of a run what the model has to hear now."""

    def __init__(self, runs: Runs, plan: str, config: RunConfig, server_keeps_history: bool) -> None:
        self.plan = plan
        self._runs = runs
        self._config = config
        self._server_keeps_history = server_keeps_history
        self._has_begun = False

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        if self._config.call_model_input_filter is not None:
            data = replace(data, model_data=await _done(self._config.call_model_input_filter(data)))
        run = await self._run(data.agent)
        items, instructions = data.model_data.input, data.model_data.instructions
        notes = await run.aside(run.request, items, None if self._server_keeps_history else _calls(items))
        return ModelInputData(input=woven(items, notes, _user), instructions=instructions)

    async def failed(self, args: ToolErrorFormatterArgs[Any]) -> str | None:
        """A tool has raised: that is no work."""
        _now.get().failed.add(args.call_id)
        formatter = self._config.tool_error_formatter
        return None if formatter is None else await _done(formatter(args))

    async def _run(self, agent: Agent[Any]) -> Run:
        run = await self._runs.get_aside(self.plan, _subagent.get(), _model(agent))
        _now.set(_Turn(run, set()))
        if not self._has_begun:
            self._has_begun = True
            run.attention.heard_user()
        return run


class _Told(AgentHooks[Any]):
    """An agent's own hooks, and the board hears of each use of a tool but the plan's."""

    def __init__(self, own: AgentHooks[Any] | None) -> None:
        self._own: AgentHooks[Any] = AgentHooks() if own is None else own

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: object) -> None:
        turn = _now.get()
        if tool.name not in turn.run.tools:
            turn.run.board.worked(tool.name, getattr(context, "tool_call_id", "") in turn.failed)
        await self._own.on_tool_end(context, agent, tool, result)

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool) -> None:
        await self._own.on_tool_start(context, agent, tool)

    async def on_start(self, context: AgentHookContext[Any], agent: Agent[Any]) -> None:
        await self._own.on_start(context, agent)

    async def on_end(self, context: AgentHookContext[Any], agent: Agent[Any], output: Any) -> None:
        await self._own.on_end(context, agent, output)

    async def on_handoff(self, context: RunContextWrapper[Any], agent: Agent[Any], source: Agent[Any]) -> None:
        await self._own.on_handoff(context, agent, source)

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],
        system_prompt: str | None,
        input_items: list[TResponseInputItem],
    ) -> None:
        await self._own.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        await self._own.on_llm_end(context, agent, response)


def _tool(definition: Definition) -> FunctionTool:
    async def write(context: ToolContext[Any], arguments: str) -> str:
        turn = _now.get(None)
        if turn is None:
            raise UsageError("a run with a plan needs its config: run_config=plans.config(), or plans.run()")
        return (await turn.run.write_aside(arguments, context.tool_call_id, definition.name)).text

    schema = copy.deepcopy(dict(definition.schema))
    return FunctionTool(definition.name, definition.description, schema, write, strict_json_schema=False)


def _scoped(tool: Tool) -> Tool:
    """The tool, with a plan of its own for an agent that works in it."""
    if not isinstance(tool, FunctionTool):
        return tool
    invoke = tool.on_invoke_tool

    async def scoped(context: ToolContext[Any], arguments: str) -> Any:
        token = _subagent.set(f"{tool.name}-{context.tool_call_id}")
        try:
            return await invoke(context, arguments)
        finally:
            _subagent.reset(token)

    return replace(tool, on_invoke_tool=scoped)


def _prompted(instructions: Any, prompt: str) -> Any:
    """An agent's instructions, which may be a function, with the plan's prompt behind them."""
    if not callable(instructions):
        return f"{instructions}\n\n{prompt}" if instructions else prompt

    async def prompted(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        own = await _done(instructions(context, agent))
        return f"{own}\n\n{prompt}" if own else prompt

    return prompted


def _hold(run: Run, result: RunResult) -> str:
    """What to say to a model that has ended its turn, unless it waits for an approval."""
    return "" if result.interruptions else run.hold(str(result.final_output))


def _on(held: str, result: RunResult, options: Mapping[str, Any]) -> str | list[TResponseInputItem]:
    """The input with which a run goes on: its history, unless a session keeps that."""
    return held if options.get("session") is not None else [*result.to_input_list(), _user(held)]


def _session(options: Mapping[str, Any]) -> str | None:
    session = options.get("session")
    return None if session is None else str(session.session_id)


def _user(text: str) -> TResponseInputItem:
    return {"role": "user", "content": text}


def _calls(items: Sequence[TResponseInputItem]) -> set[str]:
    return {str(item.get("call_id")) for item in items if item.get("type") == "function_call"}


def _model(agent: Agent[Any]) -> str:
    model = get_default_model() if agent.model is None else agent.model
    return model if isinstance(model, str) else str(getattr(model, "model", ""))


async def _done(value: MaybeAwaitable[T]) -> T:
    return await value if inspect.isawaitable(value) else value  # pyright: ignore[reportReturnType] it narrows too little
