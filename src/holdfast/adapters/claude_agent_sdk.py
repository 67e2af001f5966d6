"""Claude Agent SDK: options are equipped with the plan, instead of Claude Code's own list.

    from holdfast.adapters.claude_agent_sdk import HoldfastHooks

    options = HoldfastHooks().equip(ClaudeAgentOptions(model="claude-sonnet-5"))
    async for message in query(prompt="…", options=options): ...

What Holdfast says goes through hooks. Claude Code keeps it in its own transcript, unlike other frameworks.
"""

from ..extras import require

require("claude-agent-sdk")

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, TypeAlias, cast

import mcp_types as types
from claude_agent_sdk import ClaudeAgentOptions, HookContext, HookMatcher
from claude_agent_sdk.types import HookCallback, HookEvent, HookJSONOutput
from mcp.server.lowlevel import Server

from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName
from ..errors import UsageError
from ..plan.rules import Rules
from ..stores import Store
from .run import Run
from .runs import Runs

SERVER = "holdfast"
PREFIX = f"mcp__{SERVER}__"
BUILT_IN = ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList")
"""The tools of Claude Code's own lists, which would compete with the plan."""
TOOL_USE = "claudecode/toolUseId"
"""Where Claude Code puts the id of the call in a request to an MCP server."""
ALWAYS = {"anthropic/alwaysLoad": True}
"""Without this, Claude Code shows a tool's schema to the model only after a search for it."""

Matchers: TypeAlias = dict[HookEvent, list[HookMatcher]]
Event: TypeAlias = Mapping[str, Any]
Hook: TypeAlias = Callable[[Run, Event], Awaitable[HookJSONOutput]]


class HoldfastHooks:
    """The plan's tool, kept before the model by a policy.

    A session has its own plan, over all its runs, and so has a subagent. The arguments are those of `Runs`.
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
        self.runs = Runs(
            store=store,
            dialect=dialect,
            policy=policy,
            rules=rules,
            prompt=prompt,
            description=description,
            prefix=PREFIX,
        )
        self._calls: dict[str, Run] = {}

    def equip(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """A copy of the options with the plan's tool, prompt and hooks.

        Raises UsageError where servers or the system prompt are in a file: name them in the options.
        """
        given = ClaudeAgentOptions() if options is None else options
        dialect = self.runs.dialect(given.model or "claude")
        if not isinstance(given.mcp_servers, dict):
            raise UsageError("mcp_servers is a file: give the options a dict, so that the plan's server can be added")
        return replace(
            given,
            mcp_servers={
                **given.mcp_servers,
                SERVER: {"type": "sdk", "name": SERVER, "instance": self._server(dialect)},
            },
            allowed_tools=[*given.allowed_tools, *(PREFIX + tool.name for tool in dialect.tools)],
            disallowed_tools=[*given.disallowed_tools, *BUILT_IN],
            system_prompt=_with_prompt(given.system_prompt, self.runs.prompt(dialect)),
            hooks=_merge_hooks(given.hooks or {}, self._hooks(given.model or "claude")),
        )

    def _server(self, dialect: Dialect) -> Server[Any]:
        """The plan's tools, by their raw schemas: the SDK's own server would check arguments first, in its words."""
        tools = [
            types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema), _meta=ALWAYS)
            for tool in self.runs.tools(dialect)
        ]

        async def list_tools(context: Any, params: object) -> types.ListToolsResult:
            return types.ListToolsResult(tools=tools)

        async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
            call = str((context.meta or {}).get(TOOL_USE, ""))
            run = self._calls.pop(call, None)
            if run is None:
                raise UsageError(f"no hook reported the call {call!r}: the options' hooks are needed, too")
            reply = await run.write_async(params.arguments or {}, call, params.name)
            return types.CallToolResult(content=[types.TextContent(text=reply.text)], is_error=not reply.ok)

        return Server(SERVER, on_list_tools=list_tools, on_call_tool=call_tool)

    def _hooks(self, model: str) -> dict[str, HookMatcher]:
        hooks: dict[str, Hook] = {
            "PostToolUse": _after_tool,
            "PostToolUseFailure": _after_failure,
            "PostToolBatch": _before_request,
            "UserPromptSubmit": _on_user_message,
            "PreCompact": _before_compaction,
            "SessionStart": _on_start,
            "Stop": _on_stop,
            "SubagentStop": _on_stop,
        }
        before = HookMatcher(f"{PREFIX}.*", [self._hook_for(self._before_write, model)])
        return {
            "PreToolUse": before,
            **{name: HookMatcher(None, [self._hook_for(act, model)]) for name, act in hooks.items()},
        }

    def _hook_for(self, act: Hook, model: str) -> HookCallback:
        """A hook of the SDK that acts on the plan of the session or of the subagent that it fires for."""

        async def hook(event: Any, call: str | None, context: HookContext) -> HookJSONOutput:
            run = await self.runs.get_async(event["session_id"], event.get("agent_id") or "main", model)
            return await act(run, event)

        return hook

    async def _before_write(self, run: Run, event: Event) -> HookJSONOutput:
        """Remember whose call it is: the server gets only its id."""
        self._calls[event["tool_use_id"]] = run
        return {}


async def _after_tool(run: Run, event: Event) -> HookJSONOutput:
    if not event["tool_name"].startswith(PREFIX):
        await run.tool_ended_async(event["tool_name"], event.get("tool_input"), "", failed=False)
    return {}


async def _after_failure(run: Run, event: Event) -> HookJSONOutput:
    if event.get("is_interrupt"):
        run.attention.interrupted()
    elif not event["tool_name"].startswith(PREFIX):
        await run.tool_ended_async(event["tool_name"], event.get("tool_input"), "", failed=True)
    return {}


async def _before_request(run: Run, event: Event) -> HookJSONOutput:
    return _context(event, await run.in_order(run.tail))


async def _on_user_message(run: Run, event: Event) -> HookJSONOutput:
    await run.in_order(run.on_user_message, str(event.get("prompt") or ""))
    return await _before_request(run, event)


async def _before_compaction(run: Run, event: Event) -> HookJSONOutput:
    run.attention.after_compaction()
    return {}


async def _on_start(run: Run, event: Event) -> HookJSONOutput:
    return await _before_request(run, event) if event.get("source") == "compact" else {}


async def _on_stop(run: Run, event: Event) -> HookJSONOutput:
    run.attention.subagents(sum(task["type"] == "subagent" for task in event.get("background_tasks") or []))
    text = await run.in_order(run.before_stop, event.get("last_assistant_message") or "")
    return _context(event, text)


def _context(event: Event, text: str) -> HookJSONOutput:
    if not text:
        return {}
    output = {"hookEventName": event["hook_event_name"], "additionalContext": text}
    return cast("HookJSONOutput", {"hookSpecificOutput": output})


def _merge_hooks(own: Mapping[HookEvent, list[HookMatcher]], ours: Mapping[str, HookMatcher]) -> Matchers:
    """The options' own hooks, then ours. The SDK's type has fewer events than Claude Code."""
    matchers: dict[str, list[HookMatcher]] = {str(name): list(given) for name, given in own.items()}
    for name, matcher in ours.items():
        matchers.setdefault(name, []).append(matcher)
    return cast("Matchers", matchers)


def _with_prompt(system: Any, prompt: str) -> Any:
    """The system prompt, in any of its forms, followed by the plan's."""
    if isinstance(system, str):
        return f"{system}\n\n{prompt}"
    match system:
        case None:
            return prompt
        case {"type": "preset"}:
            return {**system, "append": f"{system['append']}\n\n{prompt}" if system.get("append") else prompt}
        case {"type": "custom"}:
            return {**system, "prompt": f"{system['prompt']}\n\n{prompt}"}
    raise UsageError("system_prompt is a file: give the options its text, so that the plan's prompt can be added")
