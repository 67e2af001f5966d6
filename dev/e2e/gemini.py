"""Gemini CLI: the tool over MCP, and the hooks at work on its list."""

import json
from collections.abc import Callable, Mapping

from holdfast.testing import ModelServer, call, text

from .trial import ClientOutput, ClientTrial

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}
TODOS = [{"description": "Read", "status": "completed"}, {"description": "Fix", "status": "in_progress"}]


def _calls_the_tool(trial: ClientTrial) -> None:
    """A plan written over MCP is in the store, and the reply reaches the model."""
    _set_up(trial, "--only", "mcp")
    with ModelServer([[call("mcp_holdfast_TodoWrite", todos=[{"content": "Read"}])], [text("Done.")]]) as server:
        _gemini(trial, server, "-p", "Do it")
        assert "Saved 1" in str(server.requests[-1].body["contents"]), "the reply did not reach the model"
    assert trial.todos() == [[("Read", "pending")]], trial.todos()


def _records_the_list(trial: ClientTrial) -> None:
    """`write_todos` is recorded by hooks, and comes back on resume."""
    _set_up(trial, "--only", "hooks")
    with ModelServer([[call("write_todos", todos=TODOS)], [text("Done.")], [text("Done.")]]) as server:
        _gemini(trial, server, "-p", "Do it")
        assert trial.todos() == [[("Read", "completed"), ("Fix", "in_progress")]], trial.todos()
        _gemini(trial, server, "--resume", "latest", "-p", "Go on")
        assert "2. [in_progress] Fix" in str(server.requests[-1].body["contents"]), "the plan did not come back"


def _holds_a_stop(trial: ClientTrial) -> None:
    """The gate holds a model that stops with work left, once if nothing changes."""
    _set_up(trial, "--only", "hooks", "--gate")
    with ModelServer([[call("write_todos", todos=TODOS)], [text("I stop.")], [text("I stop.")]]) as server:
        _gemini(trial, server, "-p", "Do it")
        assert "1 of 2 todos are still open" in str(server.requests[-1].body["contents"]), "the stop was not held"
        assert len(server.requests) == 3, f"{len(server.requests)} requests"


def _set_up(trial: ClientTrial, *words: str) -> None:
    settings = trial.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(SETTINGS, indent=2))
    trial.install("gemini", "--scope", "user", *words)


def _gemini(trial: ClientTrial, server: ModelServer, *words: str) -> ClientOutput:
    where = {"GEMINI_API_KEY": "any", "GOOGLE_GEMINI_BASE_URL": server.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    ran = trial.run("gemini", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", *words, **where)
    assert ran.code == 0, (ran.stdout + ran.stderr)[-400:]
    return ran


CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {
    "the tool over MCP": _calls_the_tool,
    "hooks record the list and bring it back": _records_the_list,
    "hooks hold a stop": _holds_a_stop,
}
