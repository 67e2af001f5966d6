"""Hooks and the MCP server of one conversation share one plan."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hooking import environment, hook, todos
from patience import PATIENCE
from payloads import SESSION, claude

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'holdfast[mcp]'")


def test_claude_codes_server_and_hooks_mean_the_same_conversation(tmp_path: Path) -> None:
    """What the model writes by the server's tool comes back by a hook after a compaction."""
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2"},
    }
    call = {"name": "TodoWrite", "arguments": {"todos": [{"content": "Fix the bug"}]}}
    messages: list[dict[str, object]] = [
        {"id": 0, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": call},
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", "mcp"],
        cwd=tmp_path,
        env=environment(tmp_path, CLAUDE_CODE_SESSION_ID=SESSION),
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
    assert todos(tmp_path) == [("1", "Fix the bug", "pending")]
    assert "1. [pending] Fix the bug" in hook(tmp_path, claude("SessionStart", source="compact")).context
