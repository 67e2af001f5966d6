"""Codex: the tool over MCP, and the hooks at work on its plan."""

from collections.abc import Callable, Mapping

from holdfast.testing import ModelServer, call, text

from .trial import ClientOutput, ClientTrial

CONFIG = """model = "scripted"
model_provider = "loopback"
check_for_update_on_startup = false

[analytics]
enabled = false

[tools.update_plan]
enabled = true

[model_providers.loopback]
name = "loopback"
base_url = "{url}"
wire_api = "responses"
env_key = "ANY_KEY"
"""
WAITS = ("-c", "mcp_servers.holdfast.required=true", "-c", "mcp_servers.holdfast.startup_timeout_sec=120")
"""A run without a screen does not wait for optional servers, and the script calls ours at once."""

PLAN = [{"step": "Read", "status": "completed"}, {"step": "Fix", "status": "in_progress"}]


def _calls_the_tool(trial: ClientTrial) -> None:
    """A plan written over MCP is in the store, under the conversation's own name."""
    written = {**call("TodoWrite", todos=[{"content": "Read"}]), "namespace": "mcp__holdfast"}
    with ModelServer([[written], [text("Done.")]]) as server:
        _set_up(trial, server, "--only", "mcp")
        ran = _codex(trial, *WAITS)
        assert "Saved 1" in str(server.requests[-1].body["input"]), ran.stdout[-400:]
    assert trial.todos() == [[("Read", "pending")]], trial.todos()


def _records_the_plan(trial: ClientTrial) -> None:
    """`update_plan` is recorded by hooks, and comes back after a compaction."""
    turns = [[call("update_plan", plan=PLAN)], [text("Summary.")], [text("Done.")], [text("Done.")]]
    with ModelServer(turns) as server:
        _set_up(trial, server, "--only", "hooks")
        _codex(trial, "-c", "model_auto_compact_token_limit=1000")
        back = [request for request in server.requests if "2. [in_progress] Fix" in str(request.body["input"])]
        assert back, "the plan did not come back after the compaction"
    assert trial.todos() == [[("Read", "completed"), ("Fix", "in_progress")]], trial.todos()


def _holds_a_stop(trial: ClientTrial) -> None:
    """The gate holds a model that stops with work left, once if nothing changes."""
    with ModelServer([[call("update_plan", plan=PLAN)], [text("I stop.")], [text("I stop.")]]) as server:
        _set_up(trial, server, "--only", "hooks", "--gate")
        _codex(trial)
        assert "1 of 2 todos are still open" in str(server.requests[-1].body["input"]), "the stop was not held"
        assert len(server.requests) == 3, f"{len(server.requests)} requests"


def _set_up(trial: ClientTrial, server: ModelServer, *words: str) -> None:
    config = trial.home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(CONFIG.format(url=server.chat_url))
    trial.install("codex", "--scope", "user", *words)


def _codex(trial: ClientTrial, *words: str) -> ClientOutput:
    """Hooks have to be trusted once, on its screen; a run without a screen can only skip that."""
    ran = trial.run("codex", "exec", "--json", "--dangerously-bypass-hook-trust", *words, "Do it", ANY_KEY="any")
    assert ran.code == 0, (ran.stdout + ran.stderr)[-400:]
    return ran


CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {
    "the tool over MCP": _calls_the_tool,
    "hooks record the plan and bring it back": _records_the_plan,
    "hooks hold a stop": _holds_a_stop,
}
