"""OpenAI Agents SDK: an agent is equipped with the plan, and a run is given its config.

    from holdfast.adapters.openai_agents import HoldfastRunner

    plans = HoldfastRunner()
    agent = plans.equip(Agent(name="Assistant", model=model))
    result = Runner.run_sync(agent, "…", run_config=plans.config())    # or plans.run_sync(agent, "…"), with a stop gate

Handoffs continue the run's plan. An equipped agent that is another one's tool has its own plan at each call.
"""

from ..extras import require

require("openai-agents")

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary, WeakSet, finalize

from agents import (
    Agent,
    RunConfig,
    RunContextWrapper,
    Runner,
    RunResult,
    RunResultStreaming,
    Session,
    TResponseInputItem,
)
from agents.run import CallModelData, ModelInputData
from agents.run_config import ToolErrorFormatterArgs

from ..attention.policies import Policy, PolicyName
from ..board import Board
from ..dialects import Dialect, DialectName
from ..errors import UsageError
from ..plan.rules import Rules
from .openai_equipment import (
    RunInstructions,
    RunTurn,
    current_turn,
    definitions,
    equip,
    is_equipped,
    model_name,
    resolve,
    subagent,
)
from .run import Run, insert_notes
from .runs import Runs, Stored, StoreOf, unique_name

Input: TypeAlias = str | list[TResponseInputItem]
Options: TypeAlias = dict[str, Any]
PlanName: TypeAlias = str | Session | Callable[[Any], str]
"""The name of a plan, the SDK's session whose id is its name, or a function that finds it in the context of a run."""


class HoldfastRunner:
    """The plan's tool, kept before the model by a policy. The arguments are those of `Runs`."""

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
        self._names: WeakKeyDictionary[RunContextWrapper[Any], str] = WeakKeyDictionary()

    def equip(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of the agent with the plan's tool and prompt, which reports its other tools to the board."""
        return equip(agent, self.runs)

    def config(
        self, plan: PlanName | None = None, config: RunConfig | None = None, server_keeps_history: bool = False
    ) -> RunConfig:
        """The config of a run, or of many; `plan` says which plan each of them continues. Without it, each has its own.

        With `server_keeps_history` a request holds only what is new, and what the model still sees is unknown.
        """
        return _Requests(self, plan, config, server_keeps_history).config

    def board(self, result: RunResult | RunResultStreaming) -> Board:
        """The board of the run that this is the result of. Raises UsageError if that run had no plan."""
        name = self._names.get(result.context_wrapper)
        if name is None:
            raise UsageError("this run had no plan: equip its agent, and give the run its config or use plans.run()")
        return self.runs.within(result.context_wrapper.context).get(name).board

    def name_of(self, context: RunContextWrapper[Any], plan: PlanName | None) -> str:
        """The name of a run's plan: the one that is asked for, or a name that no other run has."""
        name = self._names.get(context)
        if name is None:
            name = self._names[context] = _asked_name(context, plan) or unique_name()
            if plan is None:
                finalize(context, self.runs.within(context.context).forget, name)  # nobody can come back to it
        return name

    async def run(
        self,
        agent: Agent[Any],
        input: Input,
        *,
        plan: PlanName | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """Like `Runner.run`; the policy may hold a model that would end with work left."""
        requests = self._requests(plan, run_config, options)
        result = await Runner.run(agent, input, run_config=requests.config, **options)
        while text := await self._before_stop_async(result):
            input, options = requests.continuation(text, result, options)
            result = await Runner.run(result.last_agent, input, run_config=requests.config, **options)
        return result

    def run_sync(
        self,
        agent: Agent[Any],
        input: Input,
        *,
        plan: PlanName | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> RunResult:
        """Like `Runner.run_sync`; the policy may hold a model that would end with work left."""
        requests = self._requests(plan, run_config, options)
        result = Runner.run_sync(agent, input, run_config=requests.config, **options)
        while text := self._before_stop(result):
            input, options = requests.continuation(text, result, options)
            result = Runner.run_sync(result.last_agent, input, run_config=requests.config, **options)
        return result

    async def run_streamed(
        self,
        agent: Agent[Any],
        input: Input,
        *,
        plan: PlanName | None = None,
        run_config: RunConfig | None = None,
        **options: Any,
    ) -> AsyncIterator[RunResultStreaming]:
        """Like `Runner.run_streamed`; when the policy holds a model, it continues in the next result.

            async for result in plans.run_streamed(agent, "…"):
                async for event in result.stream_events(): ...

        A run that the host cancels is the last one.
        """
        requests = self._requests(plan, run_config, options)
        while True:
            result = Runner.run_streamed(agent, input, run_config=requests.config, **options)
            yield result
            async for _ in result.stream_events():  # what the host did not wait for
                pass
            text = await self._before_stop_async(result)
            if not text:
                return
            agent, (input, options) = result.last_agent, requests.continuation(text, result, options)

    def _requests(self, plan: PlanName | None, config: RunConfig | None, options: Options) -> "_Requests":
        return _Requests(self, plan or options.get("session") or unique_name(), config, _is_on_server(options))

    def _before_stop(self, result: RunResult | RunResultStreaming) -> str:
        """What to say to a model that has ended its turn."""
        name = self._name_to_hold(result)
        runs = self.runs.within(result.context_wrapper.context)
        return runs.get(name).before_stop(str(result.final_output)) if name else ""

    async def _before_stop_async(self, result: RunResult | RunResultStreaming) -> str:
        """The same without blocking the event loop."""
        name = self._name_to_hold(result)
        if not name:
            return ""
        run = await (await self.runs.within_async(result.context_wrapper.context)).get_async(name)
        return await run.in_order(run.before_stop, str(result.final_output))

    def _name_to_hold(self, result: RunResult | RunResultStreaming) -> str:
        """The plan of a run that has come to its end: not of one that waits for an approval, or was cancelled.

        An agent without the plan's tool is not held, either: it could do nothing about it.
        """
        is_over = result.final_output is not None and not result.interruptions
        return self._names.get(result.context_wrapper, "") if is_over and is_equipped(result.last_agent) else ""


class _Requests:
    """Adds to each request of a run, or of many, what the model must be told now."""

    def __init__(
        self, plans: HoldfastRunner, plan: PlanName | None, config: RunConfig | None, server_keeps_history: bool
    ) -> None:
        self._plans = plans
        self._plan = plan
        self._own = RunConfig() if config is None else config
        self._server_keeps_history = server_keeps_history
        self._begun: WeakSet[RunContextWrapper[Any]] = WeakSet()
        self._is_continuation = False
        self.config = replace(self._own, call_model_input_filter=self, tool_error_formatter=self.failed)

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data.instructions
        if self._own.call_model_input_filter is not None:
            data = replace(data, model_data=await resolve(self._own.call_model_input_filter(data)))
        if not isinstance(given, RunInstructions):  # the agent is not equipped
            return data.model_data
        items, instructions = data.model_data.input, data.model_data.instructions
        run = await self._run(given.context, data.agent, items)
        calls = None if self._server_keeps_history else _call_ids(items)
        notes = await run.in_order(run.request, items, calls, definitions(data.agent))
        text = None if instructions is None else str(instructions)
        return ModelInputData(input=insert_notes(items, notes, _user_message), instructions=text)

    async def failed(self, args: ToolErrorFormatterArgs[Any]) -> str | None:
        """A tool has raised: that does not count as work."""
        turn = current_turn.get(None)
        if turn is not None:
            turn.failed.add(args.call_id)
        formatter = self._own.tool_error_formatter
        return None if formatter is None else await resolve(formatter(args))

    def continuation(
        self, text: str, result: RunResult | RunResultStreaming, options: Options
    ) -> tuple[Input, Options]:
        """The input and the options for the rest of a run: its history, unless a session or the server keeps that."""
        self._is_continuation = True
        if options.get("previous_response_id") or options.get("auto_previous_response_id"):
            return text, {**options, "previous_response_id": result.last_response_id}
        if options.get("session") is not None or _is_on_server(options):
            return text, options
        return [*result.to_input_list(), _user_message(text)], options

    async def _run(
        self, context: RunContextWrapper[Any], agent: Agent[Any], items: Sequence[TResponseInputItem]
    ) -> Run:
        """The run that a request is for. An agent that works inside a tool belongs to the run around it."""
        outer, name = current_turn.get(None), subagent.get()
        is_inside = outer is not None and name != "main"
        session = outer.run.board.key.session if is_inside and outer else self._plans.name_of(context, self._plan)
        runs = await self._plans.runs.within_async(context.context)
        run = await runs.get_async(session, name, model_name(agent))
        current_turn.set(RunTurn(run, context, set()))
        if context not in self._begun:
            self._begun.add(context)
            if not self._is_continuation:
                await run.in_order(run.on_user_message, _last_user_text(items))
        return run


def _asked_name(context: RunContextWrapper[Any], plan: PlanName | None) -> str | None:
    if plan is None or isinstance(plan, str):
        return plan
    return str(plan.session_id) if isinstance(plan, Session) else plan(context.context)


def _last_user_text(items: Sequence[TResponseInputItem]) -> str:
    """What the user said last, in words."""
    message: Any = next((item for item in reversed(items) if item.get("role") == "user"), {"content": ""})
    content = message.get("content")
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _is_on_server(options: Options) -> bool:
    """Whether the server keeps the history."""
    return any(options.get(name) for name in ("conversation_id", "previous_response_id", "auto_previous_response_id"))


def _user_message(text: str) -> TResponseInputItem:
    return {"role": "user", "content": text}


def _call_ids(items: Sequence[TResponseInputItem]) -> set[str]:
    return {str(item.get("call_id")) for item in items if item.get("type") == "function_call"}
