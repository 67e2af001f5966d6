"""Claude Code: the tool over MCP, and the hooks at work on its own tasks and lists."""

from collections.abc import Callable, Mapping, Sequence

from holdfast.stores import open_store
from holdfast.testing import ModelServer, call, text

from .trial import ClientOutput, ClientTrial

OFFLINE = {
    "ANTHROPIC_API_KEY": "any",
    "ANTHROPIC_MODEL": "claude-sonnet-4-5",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
}
TOOLS = "Bash,TaskCreate,TaskUpdate,TodoWrite,mcp__holdfast"
TODOS = [
    {"content": "Read", "status": "in_progress", "activeForm": "Reading"},
    {"content": "Fix", "status": "pending", "activeForm": "Fixing"},
]


def _calls_the_tool(trial: ClientTrial) -> None:
    """A plan written over MCP is in the store, and the reply reaches the model."""
    trial.install("claude-code")
    with ModelServer([[call("mcp__holdfast__TodoWrite", todos=[{"content": "Read"}])], [text("Done.")]]) as server:
        _claude(trial, server, "Do it", "--mcp-config", ".mcp.json")
        assert _saw(server, "Saved 1"), "the reply did not reach the model"
    assert trial.todos() == [[("Read", "pending")]], trial.todos()


def _records_tasks(trial: ClientTrial) -> None:
    """Tasks are recorded by hooks, two updates in one turn too."""
    trial.install("claude-code", "--only", "hooks")
    turns = [
        [call("TaskCreate", subject="Read", description="All"), call("TaskCreate", subject="Fix", description="It")],
        [call("TaskUpdate", taskId="1", status="in_progress")],
        [call("Bash", command="true", description="work")],
        [call("TaskUpdate", taskId="1", status="completed"), call("TaskUpdate", taskId="2", addBlockedBy=["1"])],
        [text("Done.")],
    ]
    with ModelServer(turns) as server:
        _claude(trial, server, "Do it")
    (plan,) = trial.plans().values()
    found = [(todo.id, todo.content, str(todo.status), todo.details.blocked_by) for todo in plan.todos]
    assert found == [("1", "Read", "completed", ()), ("2", "Fix", "pending", ("1",))], found


def _brings_a_list_back(trial: ClientTrial) -> None:
    """A list is recorded; on resume and after a compaction it is in the next request, with a person's edit."""
    trial.install("claude-code", "--only", "hooks")
    with ModelServer([[call("TodoWrite", todos=TODOS)], [text("Done.")]]) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_ENABLE_TASKS="0")
    assert trial.todos() == [[("Read", "in_progress"), ("Fix", "pending")]], trial.todos()
    edited = trial.command(["holdfast", "reword", "2", "Fix it all"])
    assert edited.code == 0, edited.stderr
    with ModelServer([[text("Going on.")], [text("Summary.")], [text("Summary.")]]) as server:
        _claude(trial, server, "Go on", "--continue", CLAUDE_CODE_ENABLE_TASKS="0")
        assert _saw(server, "1. [in_progress] Read"), "the plan did not come back on resume"
        assert _saw(server, "now reads"), "the edit was not told"
        _claude(trial, server, "/compact", "--continue", CLAUDE_CODE_ENABLE_TASKS="0")
    with ModelServer([[text("Still there.")]]) as server:
        _claude(trial, server, "What is left?", "--continue", CLAUDE_CODE_ENABLE_TASKS="0")
        assert _saw(server, "2. [pending] Fix it all"), "the plan did not come back after the compaction"


def _keeps_subagents_apart(trial: ClientTrial) -> None:
    """A subagent's list is a plan of its own."""
    trial.install("claude-code", "--only", "hooks")
    sub = [{"content": "Look", "status": "pending", "activeForm": "Looking"}]
    turns = [
        [call("TodoWrite", todos=TODOS)],
        [call("Agent", description="look", prompt="Look", subagent_type="general-purpose", run_in_background=False)],
        [call("TodoWrite", todos=sub)],
        *([[text("Done.")]] * 4),
    ]
    with ModelServer(turns) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_ENABLE_TASKS="0")
    agents = sorted(agent.partition(" ")[0] for _, agent in trial.plans())
    assert agents == ["general-purpose", "main"], trial.plans()


def _holds_a_stop(trial: ClientTrial) -> None:
    """The gate holds a model that stops with work left, and lets it go if nothing has changed."""
    trial.install("claude-code", "--only", "hooks", "--gate")
    turns = [[call("TodoWrite", todos=TODOS)], [text("I stop.")], [text("I stop again.")], [text("Too many.")]]
    with ModelServer(turns) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_ENABLE_TASKS="0")
        assert _saw(server, "2 of 2 todos are still open"), "the stop was not held"
        assert len(server.requests) == 3, f"{len(server.requests)} requests"


def _counts_work(trial: ClientTrial) -> None:
    """Other tools count as work, across the processes of the hooks."""
    trial.install("claude-code", "--only", "hooks")
    work = [[call("Bash", command="true", description="work")], [call("Bash", command="false", description="fail")]]
    with ModelServer([[call("TodoWrite", todos=TODOS)], *work, [text("Done.")]]) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_ENABLE_TASKS="0")
    store = open_store(trial.project / ".holdfast" / "plans.db")
    counts = store.tallies(store.sessions()[0].key)
    store.close()
    assert (counts["hook.work"], counts["hook.failed"]) == (1, 1), counts


def _claude(trial: ClientTrial, server: ModelServer, prompt: str, *words: str, **environ: str) -> ClientOutput:
    where = {"ANTHROPIC_BASE_URL": server.url, **OFFLINE, **environ}
    ran = trial.run("claude", "-p", prompt, *words, "--allowedTools", f"{TOOLS},Agent", **where)
    assert ran.code == 0, (ran.stdout + ran.stderr)[-400:]
    return ran


def _saw(server: ModelServer, words: str) -> bool:
    return any(words in str(_texts(request.body["messages"])) for request in server.requests)


def _texts(messages: Sequence[object]) -> list[object]:
    return list(messages)


CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {
    "the tool over MCP": _calls_the_tool,
    "hooks record tasks": _records_tasks,
    "hooks record a list and bring it back": _brings_a_list_back,
    "hooks keep subagents apart": _keeps_subagents_apart,
    "hooks hold a stop": _holds_a_stop,
    "hooks count work": _counts_work,
}
