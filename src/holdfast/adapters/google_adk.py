"""Google ADK: a plugin for the runner.

    from holdfast.adapters.google_adk import HoldfastPlugin

    runner = InMemoryRunner(app=App(name="work", root_agent=agent, plugins=[HoldfastPlugin()]))

Agents that are transferred to go on with the session's plan; an agent that works as a tool, or on a branch of its own,
has its own plan.
"""

from ..extras import require

require("google-adk")

import copy
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from os import PathLike
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName
from ..dialects import Tool as Definition
from ..plan.rules import Rules
from ..stores import Store
from .run import ModelCall, insert_notes
from .runs import Runs


class HoldfastPlugin(BasePlugin):
    """The plan's tool, kept before the model by a policy.

    A session has its own plan, over all its runs. The arguments are those of `Runs`.
    """

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        prompt: str | None = None,
        description: str | None = None,
    ) -> None:
        super().__init__("holdfast")
        self.runs = Runs(
            store=store, dialect=dialect, policy=policy, rules=rules, prompt=prompt, description=description
        )
        self._gate_speaks_next: set[str] = set()
        """The sessions whose next message comes from the stop gate, not from the user."""

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """The user speaks. A message that only answers a tool, or comes from the stop gate, is not the user's."""
        session, agent = _key_of(invocation_context)
        text = "\n".join(part.text for part in user_message.parts or [] if part.text)
        if session in self._gate_speaks_next:
            self._gate_speaks_next.remove(session)
        elif text:
            run = await self.runs.get_async(session, agent)
            await run.in_order(run.on_user_message, text)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Give the request its tool, its prompt, and what the model must be told now."""
        context = callback_context.get_invocation_context()
        if _answers_in_one_step(context, llm_request):
            return None
        run = await self.runs.get_async(*_key_of(context), llm_request.model or "")
        dialect = run.board.dialect
        tools = _definitions(llm_request)
        llm_request.append_tools([PlanTool(tool, self.runs) for tool in self.runs.tools(dialect)])
        llm_request.append_instructions([self.runs.prompt(dialect)])
        contents = llm_request.contents
        notes = await run.in_order(run.request, contents, _call_keys(contents), tools)
        llm_request.contents = insert_notes(contents, notes, _user_message)
        return None

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> Event | None:
        """The model has answered: note the order of its calls, which ADK runs side by side."""
        calls = [] if event.partial else event.get_function_calls()
        if calls:
            session, _ = _key_of(invocation_context)
            run = await self.runs.get_async(session, event.branch or "main")
            run.on_answer(ModelCall(call.id or "", call.name or "") for call in calls)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Another tool starts."""
        if not isinstance(tool, PlanTool):
            (await self.runs.get_async(*_key(tool_context))).tool_started(tool_context.function_call_id or "")
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Report the use of any other tool to the board. One that returns an `error` has failed."""
        await self._report(tool, tool_args, tool_context, isinstance(result, dict) and bool(result.get("error")))
        return None

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        """A tool has raised: that does not count as work."""
        await self._report(tool, tool_args, tool_context, failed=True)
        return None

    async def _report(self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext, failed: bool) -> None:
        if not isinstance(tool, PlanTool):
            run = await self.runs.get_async(*_key(context))
            await run.tool_ended_async(tool.name, arguments, context.function_call_id or "", failed)

    async def run_async(
        self, runner: Runner, *, user_id: str, session_id: str, new_message: types.Content, **options: Any
    ) -> AsyncIterator[Event]:
        """Like `runner.run_async`; the policy may hold a model that would end with work left.

        One that waits for a long-running tool or for a person's consent is not.
        """
        session = _session_name(runner.app_name, user_id, session_id)
        message: types.Content | None = new_message
        while message is not None:
            words, waits = "", False
            async for event in runner.run_async(user_id=user_id, session_id=session_id, new_message=message, **options):
                words, waits = _final_text(event) or words, waits or bool(event.long_running_tool_ids)
                yield event
            run = await self.runs.get_async(session)
            text = "" if waits else await run.in_order(run.before_stop, words)
            message = self._hold(session, text)

    def run(
        self, runner: Runner, *, user_id: str, session_id: str, new_message: types.Content, **options: Any
    ) -> Iterator[Event]:
        """Like `runner.run`; the policy may hold a model that would end with work left."""
        session = _session_name(runner.app_name, user_id, session_id)
        message: types.Content | None = new_message
        while message is not None:
            words, waits = "", False
            for event in runner.run(user_id=user_id, session_id=session_id, new_message=message, **options):
                words, waits = _final_text(event) or words, waits or bool(event.long_running_tool_ids)
                yield event
            text = "" if waits else self.runs.get(session).before_stop(words)
            message = self._hold(session, text)

    def _hold(self, session: str, text: str) -> types.Content | None:
        """The message that holds a model; None if there is nothing to say."""
        if not text:
            return None
        self._gate_speaks_next.add(session)
        return _user_message(text)


class PlanTool(BaseTool):
    """A tool of the plan, by its raw schema."""

    def __init__(self, definition: Definition, runs: Runs) -> None:
        super().__init__(name=definition.name, description=definition.description)
        self._schema = definition.schema
        self._runs = runs

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=copy.deepcopy(dict(self._schema))
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, str]:
        """Write the plan."""
        run = await self._runs.get_async(*_key(tool_context))
        reply = await run.write_async(args, tool_context.function_call_id or "", self.name, _call_key(args))
        return {"result" if reply.ok else "error": reply.text}


def _key(context: CallbackContext | ToolContext) -> tuple[str, str]:
    """Whose plan it is: the session's, or that of a branch of it."""
    return _key_of(context.get_invocation_context())


def _key_of(context: InvocationContext) -> tuple[str, str]:
    session: Session = context.session
    return _session_name(session.app_name, session.user_id, session.id), context.branch or "main"


def _answers_in_one_step(context: InvocationContext, request: LlmRequest) -> bool:
    """Whether the agent must answer in a schema, with a model that cannot have tools, too. It needs no plan."""
    agent = context.agent
    if request.config.response_schema is None or not isinstance(agent, LlmAgent):
        return False
    return not agent.canonical_model.capabilities.output_schema_and_tools


def _definitions(request: LlmRequest) -> list[dict[str, Any]]:
    """The tools of a request with their schemas, which ADK has in two forms."""
    definitions = []
    for tool in request.config.tools or []:
        for function in (tool.function_declarations if isinstance(tool, types.Tool) else None) or []:
            own = function.parameters
            schema = function.parameters_json_schema or (own.model_dump(exclude_none=True) if own is not None else {})
            definitions.append({"name": function.name, "parameters": schema})
    return definitions


def _session_name(app: str, user: str, id: str) -> str:
    return f"{app}/{user}/{id}"


def _user_message(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def _final_text(event: Event) -> str:
    parts = (event.content.parts if event.content and event.is_final_response() else None) or []
    return "".join(part.text or "" for part in parts if not part.thought)


def _call_key(args: dict[str, Any]) -> str:
    """The identity of a call: ADK removes its own ids before a request."""
    return json.dumps(args, sort_keys=True, default=str)


def _call_keys(contents: Sequence[types.Content]) -> set[str]:
    calls = (part.function_call for content in contents for part in content.parts or [])
    return {_call_key(call.args or {}) for call in calls if call is not None}
