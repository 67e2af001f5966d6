"""OpenAI Agents SDK: an agent is equip with the plan, and a run is given its config.

    from holdfast.adapters.openai_agents import HoldfastRunner

    plans = HoldfastRunner()
    agent = plans.equip(Agent(name="Assistant", model=model))
    result = Runner.run_sync(agent, "…", run_config=plans.config())    # or plans.run_sync(agent, "…"), with a stop gate

Handoffs continue the run's plan. An equip agent that is another one's tool has its own plan at each call.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, cast

from agents import Agent, RunConfig, Runner, RunResult, RunResultStreaming, TResponseInputItem
from agents.run import CallModelData, ModelInputData
from agents.run_config import ToolErrorFormatterArgs

from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName
from ..plan.rules import Rules
from ..stores import Store
from .openai_equipment import RunTurn, current_turn, equip, model_name, resolve, subagent
from .run import Run, Runs, insert_notes, unique_name

Input = str | list[TResponseInputItem]
Options = dict[str, Any]


class HoldfastRunner:
    """The plan's tool, kept before the model by a policy. The arguments are those of `Runs`."""

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
    ) -> None:
        self.runs = Runs(store=store, dialect=dialect, policy=policy, rules=rules)

    def equip(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of the agent with the plan's tool and prompt, which reports its other tools to the board."""
        return equip(agent, self.runs.dialect(model_name(agent)))

    def config(
        self, plan: str | None = None, config: RunConfig | None = None, server_keeps_history: bool = False
    ) -> RunConfig:
        """The config of one run; `plan` names a plan to continue.

        With `server_keeps_history` a request holds only what is new, and what the model still sees is unknown.
        """
        before = RunConfig() if config is None else config
        requests = _Requests(self.runs, plan or unique_name(), before, server_keeps_history)
        return replace(before, call_model_input_filter=requests, tool_error_formatter=requests.failed)

    async def run(
        self,
        agent: Agent[Any],
        input: Input,
        *,
        plan: str | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """Like `Runner.run`; the policy may hold a model that would end with work left."""
        config = self._config(plan, run_config, options)
        result = await Runner.run(agent, input, run_config=config, **options)
        while text := await self._before_stop(config, result):
            input, options = _continuation(text, result, options)
            result = await Runner.run(result.last_agent, input, run_config=config, **options)
        return result

    def run_sync(
        self,
        agent: Agent[Any],
        input: Input,
        *,
        plan: str | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """Like `Runner.run_sync`; the policy may hold a model that would end with work left."""
        config = self._config(plan, run_config, options)
        result = Runner.run_sync(agent, input, run_config=config, **options)
        while text := _before_stop(self._run_of(config), result):
            input, options = _continuation(text, result, options)
            result = Runner.run_sync(result.last_agent, input, run_config=config, **options)
        return result

    async def run_streamed(
        self,
        agent: Agent[Any],
        input: Input,
        *,
        plan: str | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> AsyncIterator[RunResultStreaming]:
        """Like `Runner.run_streamed`; when the policy holds a model, it continues in the next result.

            async for result in plans.run_streamed(agent, "…"):
                async for event in result.stream_events(): ...

        A run that the host cancels is the last one.
        """
        config = self._config(plan, run_config, options)
        while True:
            result = Runner.run_streamed(agent, input, run_config=config, **options)
            yield result
            async for _ in result.stream_events():  # what the host did not wait for
                pass
            text = await self._before_stop(config, result)
            if not text:
                return
            agent, (input, options) = result.last_agent, _continuation(text, result, options)

    def _config(self, plan: str | None, config: RunConfig | None, options: Options) -> RunConfig:
        session = options.get("session")
        name = plan if session is None else plan or str(session.session_id)
        return self.config(name, config, _is_on_server(options))

    async def _before_stop(self, config: RunConfig, result: RunResult | RunResultStreaming) -> str:
        run = self._run_of(config)
        return await run.in_thread(_before_stop, run, result)

    def _run_of(self, config: RunConfig) -> Run:
        return self.runs.get(cast("_Requests", config.call_model_input_filter).plan)


class _Requests:
    """Adds to each request of a run what the model must be told now."""

    def __init__(self, runs: Runs, plan: str, config: RunConfig, server_keeps_history: bool) -> None:
        self.plan = plan
        self._runs = runs
        self._config = config
        self._server_keeps_history = server_keeps_history
        self._has_begun = False

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        if self._config.call_model_input_filter is not None:
            data = replace(data, model_data=await resolve(self._config.call_model_input_filter(data)))
        run = await self._run(data.agent)
        items, instructions = data.model_data.input, data.model_data.instructions
        notes = await run.in_thread(run.request, items, None if self._server_keeps_history else _call_ids(items))
        return ModelInputData(input=insert_notes(items, notes, _user_message), instructions=instructions)

    async def failed(self, args: ToolErrorFormatterArgs[Any]) -> str | None:
        """A tool has raised: that does not count as work."""
        current_turn.get().failed.add(args.call_id)
        formatter = self._config.tool_error_formatter
        return None if formatter is None else await resolve(formatter(args))

    async def _run(self, agent: Agent[Any]) -> Run:
        run = await self._runs.get_async(self.plan, subagent.get(), model_name(agent))
        current_turn.set(RunTurn(run, set()))
        if not self._has_begun:
            self._has_begun = True
            run.attention.on_user_message()
        return run


def _before_stop(run: Run, result: RunResult | RunResultStreaming) -> str:
    """What to say to a model that has ended its turn, unless it waits for an approval, or was cancelled."""
    is_over = result.final_output is not None and not result.interruptions
    return run.before_stop(str(result.final_output)) if is_over else ""


def _continuation(text: str, result: RunResult | RunResultStreaming, options: Options) -> tuple[Input, Options]:
    """The input and the options for the rest of a run: its history, unless a session or the server keeps that."""
    if options.get("previous_response_id") or options.get("auto_previous_response_id"):
        return text, {**options, "previous_response_id": result.last_response_id}
    if options.get("session") is not None or _is_on_server(options):
        return text, options
    return [*result.to_input_list(), _user_message(text)], options


def _is_on_server(options: Options) -> bool:
    """Whether the server keeps the history."""
    return any(options.get(name) for name in ("conversation_id", "previous_response_id", "auto_previous_response_id"))


def _user_message(text: str) -> TResponseInputItem:
    return {"role": "user", "content": text}


def _call_ids(items: Sequence[TResponseInputItem]) -> set[str]:
    return {str(item.get("call_id")) for item in items if item.get("type") == "function_call"}
