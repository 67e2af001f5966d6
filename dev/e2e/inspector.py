"""The MCP project's own client, on the command line."""

import json
from collections.abc import Callable, Mapping

from .trial import HOLDFAST, ClientTrial


def _calls_the_tool(trial: ClientTrial) -> None:
    """It lists the tools, and writes a plan with one."""
    listed = _inspect(trial, "--method", "tools/list")
    names = [tool["name"] for tool in listed["tools"]]
    assert "TodoWrite" in names, names
    todos = json.dumps([{"content": "Read the code"}, {"content": "Fix the bug"}])
    answer = _inspect(trial, "--method", "tools/call", "--tool-name", "TodoWrite", "--tool-arg", f"todos={todos}")
    assert answer["content"][0]["text"].startswith("Saved 1-2."), answer
    assert trial.todos() == [[("Read the code", "pending"), ("Fix the bug", "pending")]], trial.todos()


def _inspect(trial: ClientTrial, *words: str) -> dict[str, list[dict[str, str]]]:
    ran = trial.run("mcp-inspector", "--cli", str(HOLDFAST), "mcp", *words)
    assert ran.code == 0, ran.stderr[-400:]
    answer: dict[str, list[dict[str, str]]] = json.loads(ran.stdout)
    return answer


CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {"the tool over MCP": _calls_the_tool}
