"""How each coding agent is set up, as `holdfast doctor` says it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.coding_agents.diagnosis import ClientDiagnosis, diagnose
from holdfast.coding_agents.hooks.log import log
from holdfast.coding_agents.install import files
from holdfast.coding_agents.install.targets import TARGETS, InstallOptions


def set_up(folder: Path, harness: str, **more: Any) -> dict[str, str]:
    """Install into a project; the environment that it was for."""
    environ = {"HOME": str(folder / "home"), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    project = folder / "project"
    project.mkdir(exist_ok=True)
    options = InstallOptions("holdfast", str(project), environ)._replace(**more)
    files.apply_changes(files.install_changes(TARGETS[harness].settings(options)))
    return environ


def found(folder: Path, environ: dict[str, str]) -> list[ClientDiagnosis]:
    """What is found in the project."""
    return diagnose(str(folder / "project"), environ)


@pytest.mark.parametrize("harness", TARGETS)
def test_each_agent_is_found_where_it_was_set_up(tmp_path: Path, harness: str) -> None:
    """Its files, its command, and what to do next; an agent that was not set up is not named."""
    environ = set_up(tmp_path, harness)
    (one,) = found(tmp_path, environ)
    assert (one.name, one.command, one.is_found, one.last_event) == (harness, "holdfast", True, 0)
    assert one.files and all(path.startswith(str(tmp_path / "project")) for path in one.files)
    if harness in ("claude-code", "opencode"):
        assert one.advice == f"no hook has run yet: restart {harness}"
    elif harness in ("codex", "gemini"):
        assert one.is_trusted is False and "does not trust this folder" in one.advice
    else:
        assert one.advice == ""


def test_trust_is_read_from_the_agents_own_files(tmp_path: Path) -> None:
    """Codex and Gemini CLI ignore the settings of a project that they do not trust."""
    environ = set_up(tmp_path, "codex") | set_up(tmp_path, "gemini")
    home, project = tmp_path / "home", str(tmp_path / "project")
    for name in (".codex", ".gemini"):
        (home / name).mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text(f'[projects."{project}"]\ntrust_level = "trusted"\n')
    (home / ".gemini" / "trustedFolders.json").write_text(json.dumps({project: "TRUST_FOLDER"}))
    codex, gemini = found(tmp_path, environ)
    assert codex.is_trusted is gemini.is_trusted is True
    assert codex.advice == "no hook has run yet: restart codex, and trust the hooks with /hooks"


def test_an_event_the_log_and_a_missing_command_are_told(tmp_path: Path) -> None:
    """When a hook last ran, what it could not do, and that the command is gone."""
    environ = set_up(tmp_path, "claude-code", is_local=True, server=False)
    event = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}
    command = [sys.executable, "-m", "holdfast", "hook", "claude-code"]
    subprocess.run(command, input=json.dumps(event).encode(), env={**os.environ, **environ}, check=True)
    log(environ, "claude-code: TodoWrite was not recorded: todos: required")
    log(environ, "codex: something else")
    (one,) = found(tmp_path, environ)
    assert one.last_event > 0 and one.advice == "" and one.trouble.endswith("todos: required")
    assert one.files == (str(tmp_path / "project" / ".claude" / "settings.local.json"),)
    (gone,) = found(tmp_path, {**environ, "PATH": "/usr/bin:/bin"})
    assert not gone.is_found and "not found from here" in gone.advice
