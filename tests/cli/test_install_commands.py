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


@pytest.mark.parametrize("path", [f"{SCRIPTS}:/usr/bin:/bin", "/usr/bin:/bin"], ids=["by name", "by path"])
def test_what_is_installed_starts_here(tmp_path: Path, path: str) -> None:
    """The command in the settings is one that a shell finds, and it records a plan."""
    run(tmp_path, "install", "claude-code", PATH=path)
    hook = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"]["PostToolUse"][0]["hooks"][0]
    assert hook["command"].startswith("holdfast hook " if str(SCRIPTS) in path else HERE)
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
    """A config with comments is refused with exit code 1, and what to do."""
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "mcp.json").write_text("{ // mine\n}")
    ran = run(tmp_path, "install", "vscode")
    assert (ran.stdout, ran.code) == ("", 1)
    assert re.fullmatch(r"holdfast: \S+mcp\.json is left as it is: .*comments.* cannot be kept\n", ran.stderr)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("cursor", "--gate"), "no hook that could hold a model"),
        (("opencode", "--gate"), "no hook that could hold a model"),
        (("vscode", "--only", "hooks"), "no hooks that Holdfast knows"),
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
        "import sys; sys.modules['mcp'] = None; sys.argv = ['holdfast', 'install', 'claude-code'];"
        "import importlib.util as u; found = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'mcp' else found(name, *rest);"
        "from holdfast.cli.main import main; sys.exit(main())"
    )
    ran = run(tmp_path, "-c", code, program=[sys.executable])
    assert "pip install 'holdfast[mcp]'" in ran.stdout
    assert (tmp_path / ".claude" / "settings.json").exists()
    assert not (tmp_path / ".mcp.json").exists()
