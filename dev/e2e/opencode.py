"""opencode: the tool over MCP, and the plugin at work on its list."""

import json
from collections.abc import Callable, Mapping

from holdfast.testing import ModelServer, call, text

from .trial import ClientOutput, ClientTrial

TODOS = [
    {"content": "Read", "status": "completed", "priority": "high"},
    {"content": "Fix", "status": "in_progress", "priority": "low"},
]


def _calls_the_tool(trial: ClientTrial) -> None:
    """A plan written over MCP is in the store, and the reply reaches the model."""
    with ModelServer([[call("holdfast_TodoWrite", todos=[{"content": "Read"}])], [text("Done.")]]) as server:
        _set_up(trial, server, "--only", "mcp")
        _opencode(trial, "Do it")
        assert _saw(server, "Saved 1"), "the reply did not reach the model"
    assert trial.todos() == [[("Read", "pending")]], trial.todos()


def _records_the_list(trial: ClientTrial) -> None:
    """`todowrite` is recorded by the plugin; a person's edit comes with the next prompt."""
    with ModelServer([[call("todowrite", todos=TODOS)], *([[text("Done.")]] * 4)]) as server:
        _set_up(trial, server, "--only", "hooks")
        _opencode(trial, "Do it")
        assert trial.todos() == [[("Read", "completed"), ("Fix", "in_progress")]], trial.todos()
        edited = trial.command(["holdfast", "reword", "2", "Fix it all"])
        assert edited.code == 0, edited.stderr
        _opencode(trial, "--continue", "Go on")
        assert _saw(server, "now reads"), "the edit was not told"


def _set_up(trial: ClientTrial, server: ModelServer, *words: str) -> None:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 4_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "loopback",
        "options": {"baseURL": server.chat_url, "apiKey": "any"},
        "models": {"scripted": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "agent": {"title": {"disable": True}},
        "model": "loopback/scripted",
        "small_model": "loopback/scripted",
        "provider": {"loopback": provider},
    }
    (trial.project / "opencode.json").write_text(json.dumps(settings, indent=2))
    trial.install("opencode", *words)


def _opencode(trial: ClientTrial, *words: str) -> ClientOutput:
    quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    ran = trial.run("opencode", "run", *words, **quiet, OPENCODE_DISABLE_LSP_DOWNLOAD="1")
    assert ran.code == 0, (ran.stdout + ran.stderr)[-400:]
    return ran


def _saw(server: ModelServer, words: str) -> bool:
    return any(words in str(request.body.get("messages")) for request in server.requests)


CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {
    "the tool over MCP": _calls_the_tool,
    "the plugin records the list and tells of an edit": _records_the_list,
}
