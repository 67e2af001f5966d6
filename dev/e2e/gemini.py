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


def _keeps_a_subagent_apart(trial: ClientTrial) -> None:
    """What a subagent writes between the start and the end of its tool is a plan of its own."""
    _set_up(trial)
    turns = [
        [call("write_todos", todos=TODOS)],
        [call("invoke_agent", agent_name="generalist", prompt="Look")],
        [call("write_todos", todos=[{"description": "Look", "status": "pending"}])],
        [call("complete_task", result={"response": "Done."})],
        *([[text("Done.")]] * 4),
    ]
    with ModelServer(turns) as server:
        _gemini(trial, server, "-p", "Do it")
    found = {
        agent.partition(" ")[0]: [todo.content for todo in plan.todos] for (_, agent), plan in trial.plans().items()
    }
    assert found == {"main": ["Read", "Fix"], "generalist": ["Look"]}, found


def _installs_among_comments(trial: ClientTrial) -> None:
    """Settings with comments are changed, work, and are as they were after an uninstall."""
    settings = trial.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    text_before = json.dumps(SETTINGS, indent=2).replace("{", "{ // mine", 1)
    settings.write_text(text_before)
    trial.install("gemini", "--scope", "user")
    with ModelServer([[call("write_todos", todos=TODOS)], [text("Done.")]]) as server:
        _gemini(trial, server, "-p", "Do it")
    assert trial.todos() == [[("Read", "completed"), ("Fix", "in_progress")]], trial.todos()
    trial.holdfast("uninstall", "gemini", "--scope", "user")
    assert settings.read_text() == text_before, settings.read_text()


def _shows_no_escaped_tags(trial: ClientTrial) -> None:
    """The model reads our words without tags, which Gemini CLI would escape."""
    _set_up(trial)
    with ModelServer([[call("write_todos", todos=TODOS)], *([[text("Done.")]] * 2)]) as server:
        _gemini(trial, server, "-p", "Do it")
        trial.holdfast("reword", "2", "Fix it all")
        _gemini(trial, server, "--resume", "latest", "-p", "Go on")
        said = str(server.requests[-1].body["contents"])
        assert "[Holdfast]" in said and "Fix it all" in said and "&lt;" not in said, said[-600:]


def _carries_a_plan_on(trial: ClientTrial) -> None:
    """A new conversation is told of the open todos that the last one left; what it takes is the same todo."""
    _set_up(trial)
    turns = [[call("write_todos", todos=TODOS)], [text("Done.")], [call("write_todos", todos=TODOS[1:])]]
    with ModelServer([*turns, *([[text("Done.")]] * 3)]) as server:
        _gemini(trial, server, "-p", "Do it")
        (before,) = trial.plans().values()
        _gemini(trial, server, "-p", "Go on with it")
        assert "left 1 todo open" in str(server.requests[-1].body["contents"]), "the plan was not offered"
    assert sorted(trial.todos()) == [[("Fix", "in_progress")], [("Read", "completed")]], trial.todos()
    born = {todo.content: todo.created_at for plan in trial.plans().values() for todo in plan.todos}
    assert born["Fix"] == before.todos[1].created_at, "it is another todo"


def _waits_for_approval(trial: ClientTrial) -> None:
    """A tool that changes something is refused until a person has approved the plan."""
    _set_up(trial, "--review")
    touch = call("run_shell_command", command="touch made")
    with ModelServer([[call("write_todos", todos=TODOS)], [touch], [text("I wait.")]]) as server:
        _gemini(trial, server, "-p", "Do it")
        assert "holdfast approve" in str(server.requests[-1].body["contents"]), "the model was not told why"
    assert not (trial.project / "made").exists(), "the command ran before the plan was approved"
    trial.holdfast("approve")
    with ModelServer([[touch], [text("Done.")]]) as server:
        _gemini(trial, server, "--resume", "latest", "-p", "Go on")
        assert "The user approved the plan" in str(server.requests[-1].body["contents"]), "the model was not told"
    assert (trial.project / "made").exists(), "the command was refused after the approval"


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
    "a subagent has a plan of its own": _keeps_a_subagent_apart,
    "settings with comments": _installs_among_comments,
    "no escaped tags": _shows_no_escaped_tags,
    "a plan is carried into a new conversation": _carries_a_plan_on,
    "a plan waits for approval": _waits_for_approval,
}
