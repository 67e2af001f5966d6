"""Codex: the tool over MCP, and the hooks at work on its plan."""

import re
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


def _keeps_subagents_apart(trial: ClientTrial) -> None:
    """Two subagents have plans of their own, each one plan over MCP and by hooks; no id is cut."""
    spawn = {**call("spawn_agent", message="Look"), "namespace": "multi_agent_v1"}
    write = {**call("TodoWrite", todos=[{"content": "Own"}]), "namespace": "mcp__holdfast"}
    all_three = [
        *([[call("update_plan", plan=[{"step": "Own", "status": "pending"}])]] * 3),
        *([[write]] * 3),
        *([[call("exec_command", cmd="sleep 3")]] * 3),
    ]
    with ModelServer([[spawn, spawn], *all_three, *([[text("Done.")]] * 6)]) as server:
        _set_up(trial, server)
        _codex(trial, *WAITS, "-c", "features.multi_agent=true", "--dangerously-bypass-approvals-and-sandbox")
    plans = trial.plans()
    agents = sorted(agent for _, agent in plans)
    assert len(agents) == 3 and agents[-1] == "main" and all(len(agent) == 36 for agent in agents[:2]), agents
    assert all([todo.content for todo in plan.todos] == ["Own"] for plan in plans.values()), plans


def _shows_no_escaped_tags(trial: ClientTrial) -> None:
    """The model reads our words without tags, which Codex would escape; the gate names no status that there is not."""
    with ModelServer([[call("update_plan", plan=PLAN)], [text("I stop.")], [text("I stop.")]]) as server:
        _set_up(trial, server, "--only", "hooks", "--gate")
        _codex(trial)
        said = str(server.requests[-1].body["input"])
        assert "[Holdfast] 1 of 2" in said and "take what is not needed off the list" in said, said[-600:]
        assert "&lt;reminder" not in said and "<reminder" not in said, said[-600:]


def _carries_a_plan_into_a_fork(trial: ClientTrial) -> None:
    """A fork is told of the open steps of the conversation that it comes from; what it takes is the same todo."""
    turns = [[call("update_plan", plan=PLAN)], [text("Done.")], [call("update_plan", plan=PLAN[1:])], [text("Done.")]]
    with ModelServer(turns) as server:
        _set_up(trial, server, "--only", "hooks")
        _codex(trial)
        ((session, _), before), *_ = trial.plans().items()
        _codex(trial, "fork", session)
        assert "left 1 todo open" in str(server.requests[-1].body["input"]), "the plan was not offered"
    assert sorted(trial.todos()) == [[("Fix", "in_progress")], [("Read", "completed")]], trial.todos()
    born = {todo.content: todo.created_at for plan in trial.plans().values() for todo in plan.todos}
    assert born["Fix"] == before.todos[1].created_at, "it is another todo"


def _waits_for_approval(trial: ClientTrial) -> None:
    """A command that changes something is refused until a person has approved the plan."""
    touch = call("exec_command", cmd="touch made")
    with ModelServer([[call("update_plan", plan=PLAN)], [touch], [text("I wait.")]]) as server:
        _set_up(trial, server, "--only", "hooks", "--review")
        _codex(trial, "--dangerously-bypass-approvals-and-sandbox")
        assert "holdfast approve" in str(server.requests[-1].body["input"]), "the model was not told why"
    assert not (trial.project / "made").exists(), "the command ran before the plan was approved"
    trial.holdfast("approve")
    with ModelServer([[touch], [text("Done.")]]) as server:
        config = trial.home / ".codex" / "config.toml"
        config.write_text(re.sub(r'base_url = "[^"]*"', f'base_url = "{server.chat_url}"', config.read_text()))
        _codex(trial, "--dangerously-bypass-approvals-and-sandbox", "resume", "--last")
        assert "The user approved the plan" in str(server.requests[-1].body["input"]), "the model was not told"
    assert (trial.project / "made").exists(), "the command was refused after the approval"


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
    "subagents have plans of their own": _keeps_subagents_apart,
    "no escaped tags, no status that is not there": _shows_no_escaped_tags,
    "a plan is carried into a fork": _carries_a_plan_into_a_fork,
    "a plan waits for approval": _waits_for_approval,
}
