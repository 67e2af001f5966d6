"""Claude Code: the tool over MCP, and the hooks at work on its own tasks and lists."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence

from holdfast.testing import ModelServer, call, text

from .screen import terminal
from .trial import ClientOutput, ClientTrial

OFFLINE = {
    "ANTHROPIC_API_KEY": "any",
    "ANTHROPIC_MODEL": "claude-sonnet-4-5",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
}
TOOLS = "Bash,TaskCreate,TaskUpdate,TaskList,TodoWrite,mcp__holdfast"
TODOS = [
    {"content": "Read", "status": "in_progress", "activeForm": "Reading"},
    {"content": "Fix", "status": "pending", "activeForm": "Fixing"},
]


def _calls_the_tool(trial: ClientTrial) -> None:
    """A plan written over MCP is in the store, and the reply reaches the model."""
    trial.install("claude-code", "--only", "mcp")
    with ModelServer([[call("mcp__holdfast__TodoWrite", todos=[{"content": "Read"}])], [text("Done.")]]) as server:
        _claude(trial, server, "Do it", "--mcp-config", ".mcp.json")
        assert _saw(server, "Saved 1"), "the reply did not reach the model"
        tools = [tool["name"] for tool in server.requests[0].body["tools"]]
        assert "mcp__holdfast__TodoWrite" in tools, f"the tool waits behind the search for tools: {tools}"
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
    counts = trial.tallies()
    assert (counts["hook.work"], counts["hook.failed"]) == (1, 1), counts


def _shares_the_task_list(trial: ClientTrial) -> None:
    """A subagent's update of the main agent's tasks is on one plan, and it owns what it did."""
    trial.install("claude-code", "--gate")
    turns = [
        [_task("Read"), _task("Fix")],
        [_agent()],
        [call("TaskUpdate", taskId="1", status="completed"), call("TaskUpdate", taskId="2", status="completed")],
        *([[text("Done.")]] * 4),
    ]
    with ModelServer(turns) as server:
        _claude(trial, server, "Do it")
        assert not _saw(server, "still open"), "the gate held a model with nothing left"
    assert trial.todos() == [[("Read", "completed"), ("Fix", "completed")]], trial.todos()
    (plan,) = trial.plans().values()
    assert all(todo.details.owner.startswith("general-purpose ") for todo in plan.todos), plan.todos


def _shares_a_list_between_conversations(trial: ClientTrial) -> None:
    """Two conversations with one task list have one plan."""
    trial.install("claude-code")
    with ModelServer([[_task("Read")], [text("Done.")]]) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_TASK_LIST_ID="team")
    with ModelServer([[call("TaskUpdate", taskId="1", status="completed")], [text("Done.")]]) as server:
        _claude(trial, server, "Go on", CLAUDE_CODE_TASK_LIST_ID="team")
    assert list(trial.plans()) == [("team", "main")] and trial.todos() == [[("Read", "completed")]], trial.plans()


def _tells_callers_apart(trial: ClientTrial) -> None:
    """A subagent's plan over MCP is its own."""
    trial.install("claude-code", "--mcp")
    write = "mcp__holdfast__TodoWrite"
    turns = [
        [call(write, todos=[{"content": "Main"}])],
        [_agent()],
        [call(write, todos=[{"content": "Sub"}])],
        *([[text("Done.")]] * 3),
    ]
    with ModelServer(turns) as server:
        _claude(trial, server, "Do it", "--mcp-config", ".mcp.json")
    found = {agent.partition(" ")[0]: plan.todos[0].content for (_, agent), plan in trial.plans().items()}
    assert found == {"main": "Main", "general-purpose": "Sub"}, found


def _reads_a_list_without_undoing(trial: ClientTrial) -> None:
    """`TaskList` prints what Claude Code knows: a person's edit stays after the model was told of it."""
    trial.install("claude-code")
    with ModelServer([[_task("Read"), _task("Fix")], [text("Done.")]]) as server:
        _claude(trial, server, "Do it")
    trial.holdfast("reword", "2", "Fix it all")
    turns = [[call("Bash", command="true", description="work")], [call("TaskList")], [text("Done.")]]
    with ModelServer(turns) as server:
        _claude(trial, server, "Go on", "--continue")
        assert _saw(server, "now reads"), "the edit was not told"
    assert trial.todos() == [[("Read", "pending"), ("Fix it all", "pending")]], trial.todos()


def _writes_to_the_new_conversation_after_clear(trial: ClientTrial) -> None:
    """After `/clear`, a write over MCP is the new conversation's, and the old plan stays."""
    trial.install("claude-code", "--mcp")
    write = "mcp__holdfast__TodoWrite"
    turns = [
        [call(write, todos=[{"content": "Old"}])],
        [text("Done.")],
        [call(write, todos=[{"content": "New"}])],
        [text("Done.")],
    ]
    with ModelServer(turns) as server:
        sessions = _conversation(trial, server, ["Do it", "/clear", "Something else"], "--mcp-config", ".mcp.json")
    found = {session: plan.todos[0].content for (session, _), plan in trial.plans().items()}
    assert found == {sessions[0]: "Old", sessions[-1]: "New"}, (found, sessions)


def _creates_what_a_person_added(trial: ClientTrial) -> None:
    """The model is told to create two todos of a person, does so in another order, and can then complete them."""
    trial.install("claude-code")
    with ModelServer([[_task("Read")], [text("Done.")]]) as server:
        _claude(trial, server, "Do it")
    trial.holdfast("add", "Ask the owner")
    trial.holdfast("add", "Tell the team")
    turns = [
        [_task("Tell the team"), _task("Ask the owner")],
        [call("TaskUpdate", taskId="2", status="completed")],
        [text("Done.")],
    ]
    with ModelServer(turns) as server:
        _claude(trial, server, "Go on", "--continue")
        assert _saw(server, "create again with TaskCreate, one call each"), "the model was not told to create them"
    assert sorted(trial.todos()[0]) == [
        ("Ask the owner", "pending"),
        ("Read", "pending"),
        ("Tell the team", "completed"),
    ], trial.todos()


def _carries_a_plan_over_a_clear(trial: ClientTrial) -> None:
    """After `/clear` the open tasks are offered; created again, they are the same todos."""
    trial.install("claude-code")
    turns = [
        [_task("Read"), _task("Fix")],
        [call("TaskUpdate", taskId="1", status="completed")],
        [text("Done.")],
        [_task("Fix")],
        [call("TaskUpdate", taskId="1", status="in_progress")],
        [text("Done.")],
    ]
    with ModelServer(turns) as server:
        sessions = _conversation(trial, server, ["Repair the parser", "/clear", "Go on with it"])
        assert _saw(server, "left 1 todo open"), "the plan was not offered"
    plans = {session: plan for (session, _), plan in trial.plans().items()}
    old, new = plans[sessions[0]], plans[sessions[-1]]
    assert [(todo.content, str(todo.status)) for todo in new.todos] == [("Fix", "in_progress")], new
    assert [todo.content for todo in old.todos] == ["Read"], old
    assert new.todos[0].created_at < new.about.began_at, "it is the same todo as before"
    assert old.about.title == "Repair the parser", old.about


def _carries_a_plan_into_a_fork(trial: ClientTrial) -> None:
    """A fork knows the open tasks of the conversation that it comes from; created again, they are the same todos."""
    trial.install("claude-code")
    with ModelServer([[_task("Read"), _task("Fix")], [text("Done.")]]) as server:
        _claude(trial, server, "Repair the parser")
    (before,) = trial.plans().values()
    # a call before it, so that its id is not one that the conversation has already
    turns = [[call("Bash", command="true", description="w")], [_task("Fix")], [text("Done.")]]
    with ModelServer(turns) as server:
        _claude(trial, server, "Go on", "--continue", "--fork-session")
        assert _saw(server, "left 2 todos open"), "the plan was not offered"
    found = {plan.revision: [todo.content for todo in plan.todos] for plan in trial.plans().values()}
    assert sorted(found.values()) == [["Fix"], ["Read"]], found
    (fork,) = [plan for plan in trial.plans().values() if plan.todos[0].content == "Fix"]
    assert fork.todos[0].created_at == before.todos[1].created_at, "it is another todo"


def _finds_its_tasks_on_resume(trial: ClientTrial) -> None:
    """A resumed conversation knows its open tasks; if it counts from 1 again, they are still the same todos."""
    trial.install("claude-code")
    with ModelServer([[_task("Read"), _task("Fix")], [text("Done.")]]) as server:
        _claude(trial, server, "Do it")
    (born,) = [[todo.created_at for todo in plan.todos] for plan in trial.plans().values()]
    shutil.rmtree(trial.home / ".claude" / "tasks")
    with ModelServer([[_task("Read"), _task("Fix")], [text("Done.")]]) as server:
        _claude(trial, server, "Go on", "--continue")
        assert _saw(server, "create again with TaskCreate"), "the model was not told"
    (plan,) = trial.plans().values()
    assert [todo.created_at for todo in plan.todos] == born, plan.todos


def _takes_a_plan_that_a_person_wants(trial: ClientTrial) -> None:
    """`holdfast resume` brings an open plan into the next conversation."""
    trial.install("claude-code")
    with ModelServer([[_task("Fix")], [text("Done.")]]) as server:
        _claude(trial, server, "Do it")
    trial.holdfast("resume")
    with ModelServer([[_task("Fix")], [text("Done.")]]) as server:
        _claude(trial, server, "Hello")
        assert _saw(server, "The user wants you to go on with them"), "the plan was not brought"
    assert sorted(map(len, trial.todos())) == [0, 1], trial.todos()


def _tells_of_a_dropped_todo(trial: ClientTrial) -> None:
    """A whole list that drops what a person added is told."""
    trial.install("claude-code")
    with ModelServer([[call("TodoWrite", todos=TODOS)], [text("Done.")]]) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_ENABLE_TASKS="0")
    trial.holdfast("add", "Ask the owner")
    # a call before it, so that its id is not one that the conversation has already
    turns = [[call("Bash", command="true", description="w")], [call("TodoWrite", todos=TODOS)], [text("Done.")]]
    with ModelServer(turns) as server:
        _claude(trial, server, "Go on", "--continue", CLAUDE_CODE_ENABLE_TASKS="0")
        assert _saw(server, "added by the user: 3 (Ask the owner)"), "the model was not told"


def _counts_once(trial: ClientTrial) -> None:
    """Hooks of the user and of the project count a tool once, and the gate names no status that there is not."""
    trial.install("claude-code", "--gate")
    trial.install("claude-code", "--gate", "--scope", "user", "--attention", "quiet")
    turns = [[call("TodoWrite", todos=TODOS)], [call("Bash", command="true", description="w")], *([[text("End.")]] * 2)]
    with ModelServer(turns) as server:
        _claude(trial, server, "Do it", CLAUDE_CODE_ENABLE_TASKS="0")
        assert _saw(server, "take what is not needed off the list"), "the stop was not held in its own words"
    counts = trial.tallies()
    assert counts["hook.work"] == 1, counts


def _shows_a_status_line(trial: ClientTrial) -> None:
    """On its real screen, the line below the prompt has the current todo and the progress, and a person's edit."""
    trial.install("claude-code", "--status-line")
    key, project = OFFLINE["ANTHROPIC_API_KEY"], {"hasTrustDialogAccepted": True}
    known = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [key], "rejected": []},
        "projects": {str(trial.project): project},
    }
    (trial.home / ".claude.json").write_text(json.dumps(known))
    turns = [[_task("Read"), _task("Fix")], [call("TaskUpdate", taskId="1", status="completed")]]
    with ModelServer([*turns, *([[text("Done.")]] * 4)]) as server:
        environ = {**trial.environ, "ANTHROPIC_BASE_URL": server.url, **OFFLINE, "TERM": "xterm-256color"}
        command = [trial.client("claude"), "--allowedTools", TOOLS, "--", "Do it"]
        with terminal(command, trial.project, environ) as screen:
            screen.wait_for("1/2 \u25b8 Fix")
            trial.holdfast("reword", "2", "Fix it all")
            screen.type("Go on")
            screen.wait_for("1/2 \u25b8 Fix it all")


def _waits_for_approval(trial: ClientTrial) -> None:
    """What changes something is refused until a person has approved the plan; then the model is told."""
    trial.install("claude-code", "--review")
    touch = [call("Bash", command="touch made", description="make it")]
    with ModelServer([touch, [_task("Make it")], touch, [text("I wait.")]]) as server:
        _claude(trial, server, "Do it")
        assert _saw(server, "write it with TaskCreate first") and _saw(server, "waits for the user's approval")
    assert not (trial.project / "made").exists(), "a tool ran before the plan was approved"
    trial.holdfast("reword", "1", "Make it well")
    trial.holdfast("approve")
    with ModelServer([touch, [text("Done.")]]) as server:
        _claude(trial, server, "Go on", "--continue")
        assert _saw(server, "The user approved the plan") and _saw(server, "Make it well"), "the model was not told"
    assert (trial.project / "made").exists(), "the tool was refused after the approval"


def _task(subject: str) -> dict[str, object]:
    return call("TaskCreate", subject=subject, description=f"All of {subject}")


def _agent() -> dict[str, object]:
    return call("Agent", description="look", prompt="Look", subagent_type="general-purpose", run_in_background=False)


def _conversation(trial: ClientTrial, server: ModelServer, prompts: Sequence[str], *words: str) -> list[str]:
    """Several prompts to one process, as on its screen; the session after each."""
    streams = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
    command = [trial.client("claude"), "-p", *streams, *words, "--allowedTools", f"{TOOLS},Agent"]
    environ = {**trial.environ, "ANTHROPIC_BASE_URL": server.url, **OFFLINE}
    sessions: list[str] = []
    with subprocess.Popen(
        command, cwd=trial.project, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as claude:
        assert claude.stdin is not None and claude.stdout is not None
        for prompt in prompts:
            message = {"type": "user", "message": {"role": "user", "content": prompt}}
            claude.stdin.write(json.dumps(message) + "\n")
            claude.stdin.flush()
            ends = (json.loads(line) for line in claude.stdout)
            sessions.append(next(end["session_id"] for end in ends if end.get("type") == "result"))
        claude.stdin.close()
        claude.wait(60)
    return sessions


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
    "a subagent works on the main agent's tasks": _shares_the_task_list,
    "conversations share a task list": _shares_a_list_between_conversations,
    "a subagent's plan over MCP is its own": _tells_callers_apart,
    "reading the list undoes nothing": _reads_a_list_without_undoing,
    "after /clear MCP writes to the new plan": _writes_to_the_new_conversation_after_clear,
    "a person's todos become tasks": _creates_what_a_person_added,
    "a plan is carried over /clear": _carries_a_plan_over_a_clear,
    "a plan is carried into a fork": _carries_a_plan_into_a_fork,
    "tasks are found on resume": _finds_its_tasks_on_resume,
    "a person brings a plan into the next conversation": _takes_a_plan_that_a_person_wants,
    "a dropped todo is told": _tells_of_a_dropped_todo,
    "user's and project's hooks count once": _counts_once,
    "the status line": _shows_a_status_line,
    "a plan waits for approval": _waits_for_approval,
}
