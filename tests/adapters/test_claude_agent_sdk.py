"""The Claude Agent SDK with the real Claude Code, which the SDK brings along, and a scripted model on loopback."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from adapter_driver import awaited
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from claude_agent_sdk.types import HookMatcher

from holdfast.adapters.claude_agent_sdk import BUILT_IN, HoldfastHooks
from holdfast.agent.rehearsal import call, text
from holdfast.attention.policies import QUIET
from holdfast.errors import UsageError
from holdfast.testing import ModelServer
from holdfast.testing.server import Request

TODO_WRITE = "mcp__holdfast__TodoWrite"
A_B = [{"content": "A"}, {"content": "B"}]
SCRIPT = [
    [call(TODO_WRITE, todos=[{"content": "A", "status": "someday"}])],
    [call(TODO_WRITE, todos=A_B), call(TODO_WRITE, todos=[{"content": "C"}])],
    [call("Bash", command="true")],
    [call("Bash", command="false")],
    [text("all done")],
    [text("truly")],
    [text("<summary>Nothing of the plan.</summary>")],
    [call("Agent", description="look", prompt="look it up", subagent_type="general-purpose")],
    [call(TODO_WRITE, todos=[{"content": "Look it up"}])],
    [text("found")],
    [text("Shall I go on?")],
]
PROMPTS = ("Get it done.", "/compact", "Go on.")


async def played(plans: HoldfastHooks, server: ModelServer, folder: Path, prompts: Sequence[str] = PROMPTS) -> None:
    """Have the real Claude Code play the script."""
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"}
    model = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "none"}
    options = ClaudeAgentOptions(
        model="claude-sonnet-5",
        system_prompt="You work.",
        cwd=folder,
        permission_mode="bypassPermissions",
        setting_sources=[],
        strict_mcp_config=True,
        env={**quiet, **model, "HOME": str(folder), "IS_SANDBOX": "1"},
    )
    async with asyncio.timeout(240), ClaudeSDKClient(plans.equip(options)) as client:
        for prompt in prompts:
            await client.query(prompt)
            async for _ in client.receive_response():
                pass


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HoldfastHooks, list[Request]]]:
    """One run of the real Claude Code: the plans, and every request that its model took."""
    plans = HoldfastHooks(policy=QUIET.replace(holds=1, stale_after=2), dialect="holdfast")
    with ModelServer(SCRIPT) as server:
        awaited(played(plans, server, tmp_path_factory.mktemp("claude")))
        yield plans, [request for request in server.requests if request.status == 200]


def test_the_real_claude_code_writes_the_plan(real: tuple[HoldfastHooks, list[Request]]) -> None:
    """Bad writes are answered in HoldfastHooks's words, of two writes in a turn the first counts."""
    _, requests = real
    assert "todos[0].status: expected one of" in str(requests[1].body["messages"])
    assert "one plan write a turn" in str(requests[2].body["messages"])


def test_the_real_claude_code_is_told_the_name_that_it_sees(real: tuple[HoldfastHooks, list[Request]]) -> None:
    """The tool of an MCP server has a longer name there: the prompt says that one, and no other."""
    _, requests = real
    system = str(requests[0].body["system"])
    assert f"first write the plan with {TODO_WRITE}" in system
    assert system.count("TodoWrite") == system.count(TODO_WRITE)


def test_the_real_claude_code_may_mark_work_in_the_same_answer(tmp_path: Path) -> None:
    """It runs what may change something one by one, so the mark comes after the work before it."""
    plans = HoldfastHooks(dialect="holdfast", policy="rail")
    marked = call(TODO_WRITE, todos=[{"id": "1", "status": "completed"}])
    script = [[call(TODO_WRITE, todos=[{"content": "A"}])], [call("Bash", command="sleep 0.3"), marked], [text("done")]]
    with ModelServer(script) as server:
        awaited(played(plans, server, tmp_path, ["Do it."]))
    (run,) = plans.runs.all()
    assert run.board.plan.is_finished


def test_the_real_claude_code_is_reminded_and_held(real: tuple[HoldfastHooks, list[Request]]) -> None:
    """A stale plan is named behind a tool's result; a model with work left is held once, then let go."""
    _, requests = real
    assert "Is the plan still right?" not in str(requests[3].body["messages"])
    assert "Is the plan still right?" in str(requests[4].body["messages"][-1])
    assert "2 of 2 todos are still open" in str(requests[5].body["messages"][-1])


def test_the_real_claude_code_sees_its_plan_after_compaction(real: tuple[HoldfastHooks, list[Request]]) -> None:
    """The summary says nothing of the plan, and the next request of the main agent shows it."""
    _, requests = real
    after = str(requests[7].body["messages"])
    assert "Nothing of the plan." in after
    assert "1. [pending] A" in after
    assert "2. [pending] B" in after


def test_a_subagent_of_the_real_claude_code_has_a_plan_of_its_own(real: tuple[HoldfastHooks, list[Request]]) -> None:
    """Its hooks carry its name, and so its list is not the main agent's."""
    plans, _ = real
    lists = [[todo.content for todo in run.board.plan.todos] for run in plans.runs.all() if run.board.plan.todos]
    assert sorted(lists) == [["A", "B"], ["Look it up"]]


def test_the_prefix_of_the_real_claude_code_stays(real: tuple[HoldfastHooks, list[Request]]) -> None:
    """System prompt and tools are the same in every request, but for the line that Claude Code itself puts first."""
    _, requests = real
    main = [request.body for request in requests if "You work." in str(request.body["system"])]
    assert len(main) >= 7
    assert all("billing-header" in str(body["system"][0]) for body in main)
    assert len({(str(body["system"][1:]), str(body["tools"])) for body in main}) == 1
    assert TODO_WRITE in [tool["name"] for tool in main[0]["tools"]]
    assert not {tool["name"] for tool in main[0]["tools"]} & set(BUILT_IN)


def test_options_of_a_host_are_kept() -> None:
    """Servers, tools, hooks and a preset's own text stay, and ours come behind them."""

    async def mine(event: Any, call: str | None, context: Any) -> Any:
        return {}

    matcher = HookMatcher("Bash", [mine])
    options = HoldfastHooks().equip(
        ClaudeAgentOptions(
            allowed_tools=["Bash"],
            hooks={"PreToolUse": [matcher]},
            mcp_servers={"mine": {"command": "mine"}},
            system_prompt={"type": "preset", "preset": "claude_code", "append": "Be kind."},
        )
    )
    assert options.allowed_tools[0] == "Bash"
    assert options.hooks is not None and options.hooks["PreToolUse"][0] is matcher
    assert isinstance(options.mcp_servers, dict) and set(options.mcp_servers) == {"mine", "holdfast"}
    assert isinstance(options.system_prompt, dict)
    assert str(options.system_prompt.get("append")).startswith("Be kind.\n\n")


@pytest.mark.parametrize(
    "options",
    [ClaudeAgentOptions(mcp_servers="servers.json"), ClaudeAgentOptions(system_prompt={"type": "file", "path": "x"})],
)
def test_what_is_in_a_file_cannot_be_added_to(options: ClaudeAgentOptions) -> None:
    """The host is told what to name instead."""
    with pytest.raises(UsageError, match="is a file"):
        HoldfastHooks().equip(options)
