"""Hooks and the MCP server of one conversation share one plan."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hooking import environment, hook, todos
from patience import PATIENCE
from payloads import SESSION, SUBAGENT, claude

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'holdfast[mcp]'")


def served(folder: Path, *written: tuple[str, str | None]) -> None:
    """Run the server as Claude Code does, and write lists of one todo, each as a use of the tool."""
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2"},
    }
    messages: list[dict[str, object]] = [
        {"id": 0, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
    ]
    for number, (text, tool_use) in enumerate(written, 1):
        params: dict[str, object] = {"name": "TodoWrite", "arguments": {"todos": [{"content": text}]}}
        if tool_use is not None:
            params["_meta"] = {"claudecode/toolUseId": tool_use}
        messages.append({"id": number, "method": "tools/call", "params": params})
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", "mcp"],
        cwd=folder,
        env=environment(folder, CLAUDE_CODE_SESSION_ID=SESSION),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()
            if "id" in message:
                assert "result" in json.loads(server.stdout.readline())
        server.stdin.close()
        server.wait(PATIENCE)


def test_claude_codes_server_and_hooks_mean_the_same_conversation(tmp_path: Path) -> None:
    """What the model writes by the server's tool comes back by a hook after a compaction."""
    served(tmp_path, ("Fix the bug", None))
    assert todos(tmp_path) == [("1", "Fix the bug", "pending")]
    assert "1. [pending] Fix the bug" in hook(tmp_path, claude("SessionStart", source="compact")).context


def test_a_call_is_its_callers_after_a_clear_and_in_a_subagent(tmp_path: Path) -> None:
    """The server was started by a conversation that is over: hooks say whose call each is, and nothing else is hit."""
    call = {"tool_name": "mcp__holdfast__TodoWrite", "tool_input": {}}
    hook(tmp_path, claude("PreToolUse", session="new", tool_use_id="toolu_2", **call))
    sub = {"agent_id": SUBAGENT, "agent_type": "Explore"}
    hook(tmp_path, claude("PreToolUse", session="new", tool_use_id="toolu_3", **call, **sub))
    served(tmp_path, ("Old", None), ("New", "toolu_2"), ("Sub", "toolu_3"), ("New too", None), ("Forged", "../../x"))
    assert todos(tmp_path) == [("1", "Old", "pending")]
    assert [text for _, text, _ in todos(tmp_path, "new")] == ["Forged"], "what hooks do not know is the last one's"
    assert todos(tmp_path, "new", f"Explore {SUBAGENT}") == [("1", "Sub", "pending")]
