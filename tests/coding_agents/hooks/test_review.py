"""Review before work: the first plan waits for a person, and what changes something is refused until then."""

from pathlib import Path

import pytest
from hooking import SILENT, board, edited, hook, plan
from payloads import JSON, bash, claude, claude_tool, codex, gemini, opencode, stop, task_create, update_plan

from holdfast.coding_agents.hooks.changes import only_looks


def before(tool: str, **given: object) -> JSON:
    """Claude Code is about to use a tool."""
    return claude("PreToolUse", tool_name=tool, tool_input=given, tool_use_id="toolu_1")


def test_the_first_plan_waits_for_a_person(tmp_path: Path) -> None:
    """Until it is approved, what changes something is refused in one line; then the model is told, with the edits."""
    said = hook(tmp_path, before("Write", file_path="a"), "--review").answer["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny" and "write it with TaskCreate first" in said["permissionDecisionReason"]
    assert hook(tmp_path, before("Read", file_path="a"), "--review") == SILENT
    assert hook(tmp_path, before("TaskCreate", subject="Fix"), "--review") == SILENT
    assert "waits for the user's approval" in hook(tmp_path, task_create("1", "Fix"), "--review").context
    for tool in (before("Edit"), before("Bash", command="rm -r x"), before("mcp__other__drop")):
        refused = hook(tmp_path, tool, "--review").answer["hookSpecificOutput"]["permissionDecisionReason"]
        assert "`holdfast approve`" in refused and "\n" not in refused
    assert hook(tmp_path, before("Bash", command="git status && ls | wc -l"), "--review") == SILENT
    assert hook(tmp_path, stop(), "--review", "--gate") == SILENT, "nobody is held who waits for a person"
    edited(tmp_path, "1", content="Fix it all")
    found = board(tmp_path)
    found.approve()
    found.store.close()
    told = hook(tmp_path, claude("UserPromptSubmit", prompt="Go on"), "--review").context
    assert "The user approved the plan: go on." in told and 'now reads "Fix it all"' in told
    assert hook(tmp_path, before("Edit"), "--review") == SILENT
    hook(tmp_path, task_create("2", "Ship"), "--review")
    assert not plan(tmp_path).awaits_approval, "only the first plan waits"
    assert hook(tmp_path, bash(), "--review") == SILENT


@pytest.mark.parametrize(
    ("harness", "event", "refused"),
    [
        ("codex", codex("PreToolUse", tool_name="apply_patch", tool_input={}), True),
        ("codex", codex("PreToolUse", tool_name="Bash", tool_input={"command": "rg x"}), False),
        ("gemini", gemini("BeforeTool", tool_name="write_file", tool_input={}), True),
        ("gemini", gemini("BeforeTool", tool_name="read_file", tool_input={}), False),
        ("opencode", opencode("tool.execute.before", tool_name="edit", tool_input={}), True),
        ("opencode", opencode("tool.execute.before", tool_name="grep", tool_input={}), False),
    ],
)
def test_each_harness_is_refused_in_its_own_form(tmp_path: Path, harness: str, event: JSON, refused: bool) -> None:
    """Codex like Claude Code; Gemini CLI and our plugin for opencode by a decision."""
    ran = hook(tmp_path, event, "--review", harness=harness)
    assert bool(ran.stdout) is refused
    if refused:
        answer = ran.answer
        decision = answer.get("decision") or answer["hookSpecificOutput"]["permissionDecision"]
        assert (decision == "deny" and "<" not in str(answer)) or harness == "opencode"
    assert hook(tmp_path, event, harness=harness) == SILENT, "it is opt-in"


def test_a_plan_made_before_the_review_was_wanted_waits_too(tmp_path: Path) -> None:
    """Hooks may be set up in the middle of a conversation."""
    hook(tmp_path, update_plan(("Fix", "pending")), harness="codex")
    tried = codex("PreToolUse", tool_name="apply_patch", tool_input={})
    assert "waits" in hook(tmp_path, tried, "--review", harness="codex").stdout
    assert hook(tmp_path, claude_tool("Read", {}, {}), "--review") == SILENT


@pytest.mark.parametrize(
    "line",
    ["ls -la", "cat a | grep b", "git log --oneline -5", "sed -n 1,5p a", "find . -name '*.py'", "rg x 2>/dev/null"],
)
def test_commands_that_only_look(line: str) -> None:
    """They may run before a plan is approved."""
    assert only_looks(line)


@pytest.mark.parametrize(
    "line",
    [
        *(
            "rm a",
            "ls > a",
            "ls; rm a",
            "ls && make",
            "echo $(rm a)",
            "echo `rm a`",
            "find . -delete",
            "sed -i s/a/b/ f",
        ),
        *(
            "find . -exec rm {} +",
            "git push",
            "git branch -D x",
            "env rm a",
            "sort -o a b",
            "cat <(rm a)",
            "",
            "ls | xargs rm",
        ),
        *("ls & rm a", "ls\nrm a", "git", "sudo ls", "python -c 1"),
    ],
)
def test_commands_that_may_change_something(line: str) -> None:
    """Whatever is not known to look only."""
    assert not only_looks(line)
