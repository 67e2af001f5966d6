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


def _installs_among_comments(trial: ClientTrial) -> None:
    """`opencode.jsonc` with comments takes our server, and is as it was after an uninstall, whatever was installed."""
    with ModelServer([[call("holdfast_TodoWrite", todos=[{"content": "Read"}])], *([[text("Done.")]] * 2)]) as server:
        _set_up(trial, server, "--mcp", comment="{ // mine")
        _opencode(trial, "Do it")
    assert trial.todos() == [[("Read", "pending")]], trial.todos()
    trial.holdfast("uninstall", "opencode")
    settings = trial.project / "opencode.jsonc"
    before = settings.read_text()
    assert "holdfast" not in before and "// mine" in before, before
    trial.install("opencode", "--only", "hooks")
    trial.holdfast("uninstall", "opencode")
    assert settings.read_text() == before, settings.read_text()
    assert not (trial.project / ".opencode" / "plugins").exists(), "the plugin is still there"


def _keeps_subagents_apart(trial: ClientTrial) -> None:
    """Its subagents have no todo tool: the main agent's plan stays as it is when one tries."""
    sub = [{"content": "Look", "status": "pending", "priority": "low"}]
    turns = [
        [call("todowrite", todos=TODOS)],
        [call("task", description="look", prompt="Look", subagent_type="general")],
        [call("todowrite", todos=sub)],
        *([[text("Done.")]] * 4),
    ]
    with ModelServer(turns) as server:
        _set_up(trial, server)
        _opencode(trial, "Do it")
    found = sorted((agent.partition(" ")[0], len(plan.todos)) for (_, agent), plan in trial.plans().items())
    assert found == [("main", 2)], found


def _carries_a_plan_into_a_fork(trial: ClientTrial) -> None:
    """A fork is told of the open todos of the conversation that it comes from; what it takes is the same todo."""
    turns = [[call("todowrite", todos=TODOS)], [text("Done.")], [call("todowrite", todos=TODOS[1:])], [text("Done.")]]
    with ModelServer([*turns, [text("Done.")]]) as server:
        _set_up(trial, server)
        _opencode(trial, "Do it")
        (before,) = trial.plans().values()
        _opencode(trial, "--continue", "--fork", "Go on")
        assert _saw(server, "left 1 todo open"), "the plan was not offered"
    assert sorted(trial.todos()) == [[("Fix", "in_progress")], [("Read", "completed")]], trial.todos()
    born = {todo.content: todo.created_at for plan in trial.plans().values() for todo in plan.todos}
    assert born["Fix"] == before.todos[1].created_at, "it is another todo"


def _waits_for_approval(trial: ClientTrial) -> None:
    """A tool that changes something is refused until a person has approved the plan."""
    touch = call("bash", command="touch made", description="make it")
    turns = [[call("todowrite", todos=TODOS)], [touch], [text("I wait.")], [touch], *([[text("Done.")]] * 3)]
    with ModelServer(turns) as server:
        _set_up(trial, server, "--review")
        _opencode(trial, "Do it")
        assert _saw(server, "holdfast approve"), "the model was not told why"
        assert not (trial.project / "made").exists(), "the command ran before the plan was approved"
        trial.holdfast("approve")
        _opencode(trial, "--continue", "Go on")
        assert _saw(server, "The user approved the plan"), "the model was not told"
    assert (trial.project / "made").exists(), "the command was refused after the approval"


def _set_up(trial: ClientTrial, server: ModelServer, *words: str, comment: str = "") -> None:
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
    written = json.dumps(settings, indent=2)
    name = "opencode.jsonc" if comment else "opencode.json"
    (trial.project / name).write_text(written.replace("{", comment, 1) if comment else written)
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
    "settings with comments": _installs_among_comments,
    "a subagent leaves the main plan alone": _keeps_subagents_apart,
    "a plan is carried into a fork": _carries_a_plan_into_a_fork,
    "a plan waits for approval": _waits_for_approval,
}
