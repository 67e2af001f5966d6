"""OpenAI Agents SDK: an agent is equipped with the plan, and a run is given its config.

    from holdfast.adapters.openai_agents import HoldfastRunner

    plans = HoldfastRunner()
    agent = plans.equip(Agent(name="Assistant", model=model))
    result = Runner.run_sync(agent, "…", run_config=plans.config())    # or plans.run_sync(agent, "…"), with a stop gate

Handoffs go on with the run's plan; an equipped agent that is another one's tool has a plan of its own at each call.
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
from .openai_equipment import RunTurn, done, equipped, model_name, now, subagent
from .run import Run, Runs, fresh, woven

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
        """A copy of the agent with the plan's tool and prompt, which tells the board of its other tools."""
        return equipped(agent, self.runs.dialect(model_name(agent)))

    def config(
        self, plan: str | None = None, config: RunConfig | None = None, server_keeps_history: bool = False
    ) -> RunConfig:
        """The config of one run; `plan` names a plan to go on with.

        With `server_keeps_history` a request holds only what is new, and what the model still sees is unknown.
        """
        before = RunConfig() if config is None else config
        requests = _Requests(self.runs, plan or fresh(), before, server_keeps_history)
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
        """As `Runner.run`; a model that would end with work left is held, by the policy."""
        config = self._config(plan, run_config, options)
        result = await Runner.run(agent, input, run_config=config, **options)
        while held := await self._held(config, result):
            input, options = _on(held, result, options)
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
        """As `Runner.run_sync`; a model that would end with work left is held, by the policy."""
        config = self._config(plan, run_config, options)
        result = Runner.run_sync(agent, input, run_config=config, **options)
        while held := _hold(self._holding(config), result):
            input, options = _on(held, result, options)
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
        """As `Runner.run_streamed`; when a model is held, by the policy, it goes on in the next result.

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
            held = await self._held(config, result)
            if not held:
                return
            agent, (input, options) = result.last_agent, _on(held, result, options)

    def _config(self, plan: str | None, config: RunConfig | None, options: Options) -> RunConfig:
        session = options.get("session")
        named = plan if session is None else plan or str(session.session_id)
        return self.config(named, config, _is_on_server(options))

    async def _held(self, config: RunConfig, result: RunResult | RunResultStreaming) -> str:
        run = self._holding(config)
        return await run.in_thread(_hold, run, result)

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
            data = replace(data, model_data=await done(self._config.call_model_input_filter(data)))
        run = await self._run(data.agent)
        items, instructions = data.model_data.input, data.model_data.instructions
        notes = await run.in_thread(run.request, items, None if self._server_keeps_history else _calls(items))
        return ModelInputData(input=woven(items, notes, _user), instructions=instructions)

    async def failed(self, args: ToolErrorFormatterArgs[Any]) -> str | None:
        """A tool has raised: that is no work."""
        now.get().failed.add(args.call_id)
        formatter = self._config.tool_error_formatter
        return None if formatter is None else await done(formatter(args))

    async def _run(self, agent: Agent[Any]) -> Run:
        run = await self._runs.get_async(self.plan, subagent.get(), model_name(agent))
        now.set(RunTurn(run, set()))
        if not self._has_begun:
            self._has_begun = True
            run.attention.on_user_message()
        return run


def _hold(run: Run, result: RunResult | RunResultStreaming) -> str:
    """What to say to a model that has ended its turn, unless it waits for an approval, or was cancelled."""
    is_over = result.final_output is not None and not result.interruptions
    return run.before_stop(str(result.final_output)) if is_over else ""


def _on(held: str, result: RunResult | RunResultStreaming, options: Options) -> tuple[Input, Options]:
    """The input and the options with which a run goes on: its history, unless a session or the server keeps that."""
    if options.get("previous_response_id") or options.get("auto_previous_response_id"):
        return held, {**options, "previous_response_id": result.last_response_id}
    if options.get("session") is not None or _is_on_server(options):
        return held, options
    return [*result.to_input_list(), _user(held)], options


def _is_on_server(options: Options) -> bool:
    """Whether the server keeps the history."""
    return any(options.get(name) for name in ("conversation_id", "previous_response_id", "auto_previous_response_id"))


def _user(text: str) -> TResponseInputItem:
    return {"role": "user", "content": text}


def _calls(items: Sequence[TResponseInputItem]) -> set[str]:
    return {str(item.get("call_id")) for item in items if item.get("type") == "function_call"}
