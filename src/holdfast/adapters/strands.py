"""Strands Agents: a plugin for an agent.

    from holdfast.adapters.strands import HoldfastAgentPlugin

    agent = Agent(model, plugins=[HoldfastAgentPlugin()])

A conversation is an agent there: each agent has its own plan, by the id of its session if it has a session manager.
"""

from ..extras import require

require("strands")

import copy
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, finalize

from strands import Agent
from strands.hooks import AfterInvocationEvent, AfterModelCallEvent, BeforeInvocationEvent
from strands.middleware import ExecuteToolStage, InvokeModelStage
from strands.middleware.stages import ExecuteToolContext, InvokeModelContext
from strands.plugins import Plugin
from strands.types._events import ToolInterruptEvent, ToolResultEvent
from strands.types.content import Message, Messages
from strands.types.tools import AgentTool, ToolGenerator, ToolResult, ToolSpec, ToolUse

from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName
from ..dialects import Tool as Definition
from ..plan.rules import Rules
from .run import ModelCall, Note, Run, RunningTool
from .runs import Runs, Stored, StoreOf, unique_name

UNNAMED = "run-"
"""How the names of plans begin that go with their agent."""


class HoldfastAgentPlugin(Plugin):
    """The plan's tool, kept before the model by a policy.

    One plugin may serve many agents, each with its own plan. The arguments are those of `Runs`.
    """

    @property
    def name(self) -> str:
        """What the plugin is called."""
        return "holdfast"

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
        super().__init__()
        self.runs = Runs(
            store=store, dialect=dialect, policy=policy, rules=rules, prompt=prompt, description=description
        )
        self._names: WeakKeyDictionary[Any, tuple[str, str]] = WeakKeyDictionary()
        self._unnamed: WeakSet[Any] = WeakSet()
        self._gate_speaks_next: set[tuple[str, str]] = set()
        """The plans whose next message comes from the stop gate, not from the user."""

    def init_agent(self, agent: Agent) -> None:
        """Give an agent the plan's tools, and what keeps the plan before its model."""
        for tool in self.runs.tools(self.runs.dialect(_model_name(agent))):
            agent.tool_registry.register_tool(PlanAgentTool(tool, self))
        agent.add_hook(self._on_start, BeforeInvocationEvent)
        agent.add_hook(self._on_answer, AfterModelCallEvent)
        agent.add_hook(self._on_end, AfterInvocationEvent)
        agent.add_middleware(InvokeModelStage.Input, self._before_request)
        agent.add_middleware(ExecuteToolStage, self._around_tool)

    def plan_name(self, agent: Any) -> tuple[str, str]:
        """The session and the agent that a plan is kept under: `plugin.runs.get(*plugin.plan_name(agent))`."""
        if agent not in self._names:
            session = getattr(getattr(agent, "_session_manager", None), "session_id", None)
            name = getattr(agent, "agent_id", "default")
            self._names[agent] = (session or unique_name(UNNAMED), "main" if name == "default" else name)
        return self._names[agent]

    async def run_of(self, agent: Any) -> Run:
        """The run of an agent."""
        runs, name = await self.runs.within_async(agent), self.plan_name(agent)
        if name[0].startswith(UNNAMED) and agent not in self._unnamed:
            self._unnamed.add(agent)
            finalize(agent, runs.forget, *name)  # nobody can come back to it
        return await runs.get_async(*name, model=_model_name(agent))

    async def _on_start(self, event: BeforeInvocationEvent) -> None:
        """The user speaks. A message that comes from the stop gate is not the user's."""
        name = self.plan_name(event.agent)
        if name in self._gate_speaks_next:
            self._gate_speaks_next.remove(name)
            return
        run = await self.run_of(event.agent)
        await run.in_order(run.on_user_message, "\n".join(_text(message) for message in event.messages or []))

    async def _before_request(self, context: InvokeModelContext) -> InvokeModelContext:
        """Give the request its prompt, and what the model must be told now."""
        run, messages = await self.run_of(context.agent), context.messages
        tools = [
            {"name": tool["name"], "parameters": tool["inputSchema"].get("json", {})}
            for tool in context.tool_specs or []
        ]
        notes = await run.in_order(run.request, messages, _call_ids(messages), tools)
        is_tail = bool(notes) and not notes[-1].keep
        return context.replace(
            messages=_with_notes(messages, notes),
            system_prompt=_with_prompt(context.system_prompt, self.runs.prompt(run.board.dialect)),
            dynamic_trailing_blocks=context.dynamic_trailing_blocks + is_tail,  # a cache point stands before them
        )

    async def _on_answer(self, event: AfterModelCallEvent) -> None:
        """Note the order of the calls, which Strands runs side by side."""
        if event.stop_response is not None:
            (await self.run_of(event.agent)).on_answer(_calls(event.stop_response.message))

    async def _around_tool(
        self, context: ExecuteToolContext, next_fn: Callable[[ExecuteToolContext], AsyncGenerator[Any, None]]
    ) -> AsyncGenerator[Any, None]:
        """Report the use of any other tool to the board."""
        if isinstance(context.tool, PlanAgentTool):
            async for event in next_fn(context):
                yield event
            return
        run, use = await self.run_of(context.agent), context.tool_use
        async with RunningTool(run, use["name"], use["input"], use["toolUseId"]) as tool:
            async for event in next_fn(context):
                if isinstance(event, ToolInterruptEvent):  # it waits for a person
                    tool.counts = False
                elif isinstance(event, ToolResultEvent):
                    tool.failed = event.tool_result["status"] == "error"
                yield event

    async def _on_end(self, event: AfterInvocationEvent) -> None:
        """The policy may hold a model that would end with work left."""
        if event.result is None or event.result.stop_reason != "end_turn":
            return
        run = await self.run_of(event.agent)
        text = await run.in_order(run.before_stop, _text(event.result.message))
        if text:
            self._gate_speaks_next.add(self.plan_name(event.agent))
            event.resume = text


class PlanAgentTool(AgentTool):
    """A tool of the plan, by its raw schema."""

    def __init__(self, definition: Definition, plugin: HoldfastAgentPlugin) -> None:
        super().__init__()
        self._definition = definition
        self._plugin = plugin

    @property
    def tool_name(self) -> str:
        """Its name."""
        return self._definition.name

    @property
    def tool_spec(self) -> ToolSpec:
        """What the model is told of it."""
        schema = copy.deepcopy(dict(self._definition.schema))
        return {"name": self.tool_name, "description": self._definition.description, "inputSchema": {"json": schema}}

    @property
    def tool_type(self) -> str:
        """What kind of tool it is."""
        return "holdfast"

    async def stream(self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any) -> ToolGenerator:
        """Write the plan."""
        run = await self._plugin.run_of(invocation_state["agent"])
        reply = await run.write_async(tool_use["input"], tool_use["toolUseId"], self.tool_name)
        yield ToolResultEvent(
            ToolResult(
                toolUseId=tool_use["toolUseId"],
                status="success" if reply.ok else "error",
                content=[{"text": reply.text}],
            )
        )


def _with_notes(messages: Messages, notes: Sequence[Note]) -> Messages:
    """Copies of the messages with the notes in them, as further blocks: roles must alternate."""
    result = list(messages)
    for note in notes:
        if 0 <= note.after < len(result):
            message = result[note.after]
            result[note.after] = {**message, "content": [*message["content"], {"text": note.text}]}
    return result


def _with_prompt(system: Any, prompt: str) -> Any:
    """The system prompt, in any of its forms, followed by the plan's."""
    if isinstance(system, list):
        return [*system, {"text": prompt}]
    return f"{system}\n\n{prompt}" if system else prompt


def _text(message: Message) -> str:
    return "\n".join(block["text"] for block in message["content"] if "text" in block)


def _calls(message: Message) -> list[ModelCall]:
    uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
    return [ModelCall(use["toolUseId"], use["name"]) for use in uses]


def _call_ids(messages: Messages) -> set[str]:
    return {call.id for message in messages for call in _calls(message)}


def _model_name(agent: Any) -> str:
    """The name of an agent's model. Each provider has its own form of settings."""
    config = agent.model.get_config()
    return str((config.get("model_id") if isinstance(config, dict) else getattr(config, "model_id", "")) or "")
