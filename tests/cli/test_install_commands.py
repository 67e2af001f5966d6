"""`holdfast install` and `holdfast uninstall`, as a person runs them."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from counted import COUNTED
from driving import SCRIPTS, on_terminal, run

HERE = str(SCRIPTS / "holdfast")


def masked(text: str, folder: Path) -> str:
    """What is printed, the same on every machine."""
    return text.replace(str(folder), "/project").replace(HERE, "holdfast")


def test_the_change_is_shown_made_and_undone(tmp_path: Path, snapshot: Callable[[str, str], None]) -> None:
    """The difference is printed as it is written; a second time there is nothing to change; then all is as it was."""
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "theme": "dark"\n}\n')
    printed = run(tmp_path, "install", "claude-code", "--only", "hooks", "--gate")
    assert printed.code == 0
    again = run(tmp_path, "install", "claude-code", "--only", "hooks", "--gate")
    gone = run(tmp_path, "uninstall", "claude-code")
    text = f"{printed.stdout}---- again\n{again.stdout}---- uninstall\n{gone.stdout}"
    snapshot("cli/install.txt", masked(text, tmp_path))
    assert settings.read_text() == '{\n  "theme": "dark"\n}\n'
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini", "opencode", "cursor", "vscode"])
def test_a_dry_run_changes_nothing(tmp_path: Path, harness: str) -> None:
    """With `--dry-run` the difference is all there is."""
    ran = run(tmp_path, "install", harness, "--dry-run")
    assert (ran.code, ran.stderr) == (0, "")
    assert "+++ " in ran.stdout and "Nothing was written" in ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_server_alone_is_not_said_to_bring_a_plan_back(tmp_path: Path) -> None:
    """Without hooks an agent gets the tool and no more, and neither `install` nor `doctor` promises an event."""
    ran = run(tmp_path, "install", "cursor")
    assert "From its next start on, its model has the tool TodoWrite. `holdfast watch`" in ran.stdout
    assert "comes back" not in ran.stdout
    assert "the MCP server alone, no hooks" in run(tmp_path, "doctor").stdout


@pytest.mark.parametrize("path", [f"{SCRIPTS}:/usr/bin:/bin", "/usr/bin:/bin"], ids=["by name", "by path"])
def test_what_is_installed_starts_here(tmp_path: Path, path: str) -> None:
    """The command in the settings is one that a shell finds, and it records a plan."""
    run(tmp_path, "install", "claude-code", PATH=path)
    hook = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"]["PostToolUse"][0]["hooks"][0]
    program = "holdfast" if str(SCRIPTS) in path else HERE
    assert hook["command"] == f"if command -v {program} >/dev/null 2>&1; then {program} hook claude-code; fi"
    given = {"todos": [{"content": "A", "status": "pending", "activeForm": "B"}]}
    event = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "TodoWrite", "tool_input": given}
    ran = subprocess.run(
        hook["command"],
        shell=True,
        input=json.dumps(event).encode(),
        env={**COUNTED, "PATH": path, "HOME": str(tmp_path), "HOLDFAST_DB": str(tmp_path / "plans.db")},
        capture_output=True,
        check=True,
    )
    assert (ran.stdout, ran.stderr) == (b"", b"")
    assert run(tmp_path, "show", "--json").data["todos"][0]["content"] == "A"


def test_a_file_that_cannot_be_changed_is_told_in_one_line(tmp_path: Path) -> None:
    """A config that is no JSON is refused with exit code 1, and why."""
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "mcp.json").write_text("{ # mine\n}")
    ran = run(tmp_path, "install", "vscode")
    assert (ran.stdout, ran.code) == ("", 1)
    assert re.fullmatch(r"holdfast: \S+mcp\.json is left as it is: it is not JSON.*\n", ran.stderr)


def test_committed_hooks_are_quiet_without_holdfast(tmp_path: Path) -> None:
    """Whoever gets the project and has no Holdfast sees and hears nothing; local and user settings are not shared."""
    run(tmp_path, "install", "claude-code", PATH=f"{SCRIPTS}:/usr/bin:/bin")
    command = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"]["SessionEnd"]
    ran = subprocess.run(
        command[0]["hooks"][0]["command"], shell=True, env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=True
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == (b"", b"", 0)
    run(tmp_path, "uninstall", "claude-code")
    said = run(tmp_path, "install", "claude-code", "--local", PATH=f"{SCRIPTS}:/usr/bin:/bin").stdout
    local = tmp_path / ".claude" / "settings.local.json"
    assert '"holdfast hook claude-code"' in local.read_text() and "uninstall claude-code" in said
    run(tmp_path, "uninstall", "claude-code")
    assert not local.exists()


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("claude-code",), [".claude/settings.json"]),
        (("claude-code", "--mcp"), [".claude/settings.json", ".mcp.json"]),
        (("codex",), [".codex/config.toml", ".codex/hooks.json"]),
        (("opencode",), [".opencode/plugins/holdfast.js"]),
        (("cursor",), [".cursor/mcp.json"]),
    ],
)
def test_an_agent_with_a_plan_tool_gets_no_second_one(tmp_path: Path, words: tuple[str, ...], files: list[str]) -> None:
    """Hooks alone where its own tool is recorded; the server where there is none, or where it was asked for."""
    run(tmp_path, "install", *words)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == files
    if words == ("claude-code", "--mcp"):
        assert json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["holdfast"]["alwaysLoad"] is True


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini"])
def test_notes_are_for_what_was_installed(tmp_path: Path, harness: str) -> None:
    """What only holds for a project's settings is not said of the user's; Codex is told how to turn its plan on."""
    project, user = (run(tmp_path, "install", harness, "--scope", scope).stdout for scope in ("project", "user"))
    assert ("trust" in project.replace("trust the hooks", "")) is (harness != "claude-code")
    assert "trust" not in user.replace("trust the hooks", "").replace(str(tmp_path), "")
    assert ("[tools.update_plan]" in user) is (harness == "codex")
    assert f"holdfast uninstall {harness} --scope user" in user


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("cursor", "--gate"), "no hook that could hold a model"),
        (("opencode", "--gate"), "no hook that could hold a model"),
        (("vscode", "--only", "hooks"), "no hooks that Holdfast knows"),
        (("gemini", "--local"), "no project settings that stay on this machine"),
        (("claude-code", "--local", "--mcp"), "--local is for hooks"),
        (("codex", "--allow"), "no setting that allows a tool"),
        (("gemini", "--status-line"), "no status line"),
    ],
)
def test_what_a_harness_does_not_have_is_refused(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    """An option that could do nothing is named, and nothing is written."""
    ran = run(tmp_path, "install", *words)
    assert (ran.code, ran.stdout) == (1, "")
    assert why in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_rights_is_told(tmp_path: Path) -> None:
    """What cannot be written is named, with exit code 3."""
    (tmp_path / ".cursor").write_text("a file where the folder should be")
    ran = run(tmp_path, "install", "cursor")
    assert ran.code == 3
    assert "Traceback" not in ran.stderr and ".cursor" in ran.stderr


def test_hostile_settings_are_shown_not_obeyed(tmp_path: Path) -> None:
    """Escape codes around our part do not reach the terminal."""
    (tmp_path / ".mcp.json").write_text('{\n  "x": "\x7f\x9b2J\u202e"\n}', encoding="utf-8")
    printed = on_terminal(tmp_path, "install", "claude-code", "--only", "mcp").decode()
    assert "holdfast" in printed
    assert not re.search("[\x9b\u202e\x7f]", printed)


def test_the_server_is_left_out_without_its_library(tmp_path: Path) -> None:
    """Hooks alone are set up where the MCP library is not installed, and it is said how to get the rest."""
    code = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['holdfast', 'install', 'claude-code', '--mcp'];"
        "import importlib.util as u; found = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'mcp' else found(name, *rest);"
        "from holdfast.cli.main import main; sys.exit(main())"
    )
    ran = run(tmp_path, "-c", code, program=[sys.executable])
    assert "pip install 'holdfast[mcp]'" in ran.stdout
    assert (tmp_path / ".claude" / "settings.json").exists()
    assert not (tmp_path / ".mcp.json").exists()
