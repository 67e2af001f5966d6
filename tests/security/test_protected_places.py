"""The agent's own file tools do not write what other programs run, unless the user says yes."""

import subprocess
from pathlib import Path

import pytest
from patience import PATIENCE
from planted import git

from holdfast.agent.events import ToolCall
from holdfast.agent.tools.files import file_tools
from holdfast.agent.tools.tool import Permission, run_tool
from holdfast.agent.tools.workspace import Workspace

PLACES = [
    ".git/config",
    ".git/hooks/post-checkout",
    "sub/.git",
    "./.GIT/config",
    ".claude/settings.json",
    ".vscode/tasks.json",
    ".holdfast/conversations/x.jsonl",
    ".github/workflows/ci.yml",
    ".envrc",
    ".g\u200cit/config",
    ".ssh/authorized_keys",
    ".gitconfig",
    ".config/git/config",
    ".circleci/config.yml",
    ".bash_aliases",
    "opencode.json",
    "docs/HEAD",
]


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("name", ["write_file", "edit_file"])
def test_a_protected_place_always_asks(tmp_path: Path, path: str, name: str) -> None:
    """Without the user's yes nothing is written; with it, it is."""
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("before")
    tools = {tool.name: tool for tool in file_tools(Workspace(tmp_path))}
    written, edited = {"content": "evil", "replace": True}, {"old": "b", "new": "evil"}
    arguments = {"path": path, **(written if name == "write_file" else edited)}
    refused = run_tool(tools, ToolCall("1", name, arguments), lambda tool, given: False)
    assert refused.failed and "did not allow" in refused.output
    assert (tmp_path / path).read_text() == "before"
    assert not run_tool(tools, ToolCall("2", name, arguments), lambda tool, given: True).failed
    assert (tmp_path / path).read_text() != "before"


def test_other_places_do_not_ask(tmp_path: Path) -> None:
    """An agent that writes code is not held up, nor is one that reads."""
    tools = {tool.name: tool for tool in file_tools(Workspace(tmp_path))}
    for path in ("main.py", ".gitignore", "docs/git/config", ".env.example", "src/head/head.py", "config"):
        call = ToolCall("1", "write_file", {"path": path, "content": "x"})
        assert not run_tool(tools, call, lambda tool, given: False).failed
    git(tmp_path, "init", "-q")
    assert not run_tool(tools, ToolCall("1", "read_file", {"path": ".git/config"}), lambda tool, given: False).failed


def test_no_folder_becomes_a_repository_without_a_question(tmp_path: Path) -> None:
    """In a folder that has the files of a bare repository, `git status` would run what its settings say."""
    tools = {tool.name: tool for tool in file_tools(Workspace(tmp_path))}
    command = f'fsmonitor = "touch {tmp_path}/owned;false"'
    settings = "\n\t".join(["[core]", "repositoryformatversion = 0", "bare = false", "worktree = .", command])
    files = {"config": settings, "HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": ""}
    answers: dict[bool, Permission] = {False: lambda tool, given: False, True: lambda tool, given: True}
    for allowed, permission in answers.items():
        for path, content in files.items():
            call = ToolCall("1", "write_file", {"path": f"sub/{path}", "content": content, "replace": True})
            run_tool(tools, call, permission)
        subprocess.run(["git", "status"], cwd=tmp_path / "sub", capture_output=True, timeout=PATIENCE)
        assert (tmp_path / "owned").exists() is allowed
