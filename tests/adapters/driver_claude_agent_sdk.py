"""The Claude Agent SDK, driven: `query` with equipped options, and a transport that plays Claude Code.

What it plays is what Claude Code 2.1 was seen to do: the hooks and their order, the ids in calls of MCP tools, and that
what hooks say is kept in the transcript. `test_claude_agent_sdk.py` has the real one.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import ASK, Call, Ran, Request, Script, Step, as_json, awaited, write
from claude_agent_sdk import ClaudeAgentOptions, Transport, query

from holdfast import Board
from holdfast.adapters.claude_agent_sdk import PREFIX, SERVER, HoldfastHooks
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store


class ClaudeCode(Transport):
    """Plays Claude Code with a scripted model."""

    def __init__(self, options: ClaudeAgentOptions, steps: Sequence[Step], session: str, compacted: bool) -> None:
        self.options = options
        self.steps = list(steps)
        self.session = session
        self.compacted = compacted
        self.transcript: list[str] = []
        self.requests: list[Request] = []
        self.hooks: dict[str, list[dict[str, Any]]] = {}
        self.tools = ""
        self.out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.waiting: dict[str, asyncio.Future[Any]] = {}
        self.playing: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Nothing is started."""

    async def close(self) -> None:
        """Nothing was started."""

    async def end_input(self) -> None:
        """The script goes on."""

    def is_ready(self) -> bool:
        """Always."""
        return True

    async def write(self, data: str) -> None:
        """Take what the SDK sends."""
        message = json.loads(data)
        match message["type"]:
            case "control_request":
                self.hooks = message["request"].get("hooks") or {}
                answer = {"subtype": "success", "request_id": message["request_id"], "response": {}}
                await self.out.put({"type": "control_response", "response": answer})
            case "control_response":
                self.waiting.pop(message["response"]["request_id"]).set_result(message["response"]["response"])
            case "user":
                self.playing = asyncio.create_task(self.play(message["message"]["content"]))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """Say what Claude Code says."""
        while (message := await self.out.get()) is not None:
            yield message

    async def ask(self, **request: Any) -> Any:
        """Ask the SDK something."""
        id = uuid4().hex
        self.waiting[id] = asyncio.get_running_loop().create_future()
        answer = self.waiting[id]
        await self.out.put({"type": "control_request", "request_id": id, "request": request})
        return await answer

    async def mcp(self, method: str, **params: Any) -> Any:
        """Ask the plan's server something."""
        message = {"jsonrpc": "2.0", "id": uuid4().hex, "method": method, "params": params}
        answer = await self.ask(subtype="mcp_message", server_name=SERVER, message=message)
        return answer["mcp_response"]["result"]

    async def hook(self, event: str, agent: str | None = None, **fields: Any) -> str:
        """Fire an event's hooks; what they say is for the model."""
        said = []
        name = fields.get("tool_name", "")
        for matcher in self.hooks.get(event, []):
            if matcher["matcher"] is None or name.startswith(matcher["matcher"].removesuffix(".*")):
                given = {"hook_event_name": event, "session_id": self.session, **fields}
                given |= {"agent_id": agent} if agent else {}
                for id in matcher["hookCallbackIds"]:
                    answer = await self.ask(subtype="hook_callback", callback_id=id, input=given)
                    said.append(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
        return "".join(said)

    async def play(self, prompt: str) -> None:
        """A run, from the prompt to the result."""
        await self.mcp(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "claude", "version": "2"}
        )
        self.tools = as_json((await self.mcp("tools/list"))["tools"])
        said = await self.hook("UserPromptSubmit", prompt=prompt)
        self.transcript += [f"user: {prompt}", *([f"context: {said}"] if said else [])]
        await self.turns(self.transcript, self.steps, None)
        result = {"type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1}
        await self.out.put({**result, "is_error": False, "num_turns": 1, "session_id": self.session})
        await self.out.put(None)

    async def turns(self, transcript: list[str], steps: list[Step], agent: str | None) -> None:
        """Turns of an agent until it ends and nobody holds it."""
        while steps:
            if agent is None:
                await self.compact()
                self.requests.append(Request(as_json(self.options.system_prompt), self.tools, list(transcript)))
            step = steps.pop(0)
            if isinstance(step, str):
                transcript.append(f"assistant: {step}")
                event = "SubagentStop" if agent else "Stop"
                said = await self.hook(event, agent, stop_hook_active=False, last_assistant_message=step)
                if not said:
                    return
            else:
                transcript.append(f"assistant: {as_json(step)}")
                transcript += await self.use_all(step, agent)
                said = await self.hook("PostToolBatch", agent)
            transcript += [f"context: {said}"] if said else []

    async def use_all(self, calls: Sequence[Call], agent: str | None) -> list[str]:
        """Run all calls of an answer: subagents side by side, anything else that is not read-only one by one."""
        if all(call == ASK for call in calls):
            return await asyncio.gather(*(self.use(call, agent) for call in calls))
        return [await self.use(call, agent) for call in calls]

    async def use(self, call: Call, agent: str | None) -> str:
        """Run a tool of the model, between its hooks."""
        id, name = uuid4().hex, PREFIX + call.name if self.is_plan(call) else call.name
        fields = {"tool_name": name, "tool_input": dict(call.arguments), "tool_use_id": id}
        await self.hook("PreToolUse", agent, **fields)
        failed, text = await self.used(call, id)
        await self.hook("PostToolUseFailure" if failed else "PostToolUse", agent, **fields)
        return f"result: {text}"

    async def used(self, call: Call, id: str) -> tuple[bool, str]:
        """Whether a call failed, and what it came to."""
        if self.is_plan(call):
            meta = {"claudecode/toolUseId": id}
            result = await self.mcp("tools/call", name=call.name, arguments=dict(call.arguments), _meta=meta)
            return bool(result.get("isError")), result["content"][0]["text"]
        if call == ASK:
            await self.turns([], [[write("Look it up")], "found"], f"agent-{id}")
            return False, "found"
        await asyncio.sleep(call.arguments.get("seconds", 0))
        return (True, "it broke") if call.arguments.get("fails") else (False, "worked")

    def is_plan(self, call: Call) -> bool:
        """Whether it is a call of the plan's server."""
        return f'"name": "{call.name}"' in self.tools

    async def compact(self) -> None:
        """Compaction: only the newest exchange is kept, after a summary."""
        if not self.compacted or len(self.transcript) < 7:
            return
        await self.hook("PreCompact", trigger="auto", custom_instructions=None)
        self.transcript[:-2] = ["user: Nothing of the plan."]
        said = await self.hook("SessionStart", source="compact")
        self.transcript += [f"context: {said}"] if said else []


class Driver(adapter_driver.Driver):
    """The SDK with HoldfastHooks in it."""

    forgets = False
    tool = f"{PREFIX}TodoWrite"

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.plans = HoldfastHooks(store=store, dialect=dialect, policy=policy)
        self.conversations: dict[str, list[str]] = {}

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.plans.runs.get(conversation).board

    def play(self, script: Script) -> Ran:
        """Play a script. The SDK has no sync way."""
        return awaited(self.played(script, script.conversation or uuid4().hex))

    async def played(self, script: Script, session: str) -> Ran:
        """What a script came to."""
        options = self.plans.equip(ClaudeAgentOptions(system_prompt="You work.", model=script.model))
        claude = ClaudeCode(options, script.steps, session, script.compacted)
        claude.transcript = self.conversations.setdefault(session, [])
        async for _ in query(prompt="Get it done.", options=options, transport=claude):
            pass
        return Ran(claude.requests, claude.transcript, await asyncio.to_thread(self.plan, session))
