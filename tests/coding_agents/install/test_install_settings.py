"""Our part in a harness's settings: put in once, taken out whole, whatever else is there, and files as they were."""

import json
import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.coding_agents.install import files, json_edit
from holdfast.coding_agents.install.targets import TARGETS, InstallOptions
from holdfast.errors import UsageError

FOREIGN: Any = {"matcher": "Bash", "hooks": [{"type": "command", "command": "say done"}]}
EVENTS = ("SessionStart", "PostToolUse", "AfterTool", "Notification")

hooks = st.dictionaries(st.sampled_from(EVENTS), st.lists(st.just(FOREIGN), max_size=2), max_size=3)
servers = st.dictionaries(st.sampled_from(["github", "files"]), st.just({"command": "npx", "args": ["-y"]}), max_size=2)
contents = st.fixed_dictionaries(
    {},
    optional={
        "theme": st.text(max_size=5),
        "hooks": hooks,
        "mcpServers": servers,
        "mcp": servers,
        "servers": servers,
        "permissions": st.just({"allow": []}),
    },
)
layouts = st.sampled_from([{"indent": 2}, {"indent": "\t"}, {"indent": None}, {"separators": (",", ":")}])
json_files = st.builds(
    lambda value, layout, line, mark: mark + json.dumps(value, ensure_ascii=False, **layout).replace("\n", line) + line,
    contents,
    layouts,
    st.sampled_from(["\n", "\r\n", ""]).filter(bool),
    st.sampled_from(["", "\ufeff"]),
)
toml_files = st.sampled_from(
    ["", "# mine\n", 'model = "x"\n\n[mcp_servers.other]\ncommand = "npx"', "[a]\r\nb = 1\r\n"]
)
wishes = st.fixed_dictionaries(
    {
        "attention": st.sampled_from(["off", "quiet", "rail"]),
        "gate": st.booleans(),
        "program": st.sampled_from(["holdfast", "/opt/my tools/bin/holdfast"]),
        "server": st.booleans(),
    }
)


def wanted(folder: Path | str, **more: Any) -> InstallOptions:
    """What is to be set up in a folder."""
    return InstallOptions(
        **{"program": "holdfast", "folder": str(folder), "environ": {"HOME": f"{folder}/home"}, **more}
    )


def install(harness: str, how: InstallOptions) -> list[files.FileChange]:
    """Put our part in."""
    changes = files.install_changes(TARGETS[harness].settings(how))
    files.apply_changes(changes)
    return changes


def uninstall(harness: str, how: InstallOptions) -> list[files.FileChange]:
    """Take our part out."""
    changes = files.uninstall_changes(TARGETS[harness].settings(how))
    files.apply_changes(changes)
    return changes


def contents_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("harness", TARGETS)
@given(data=st.data())
@settings(max_examples=40)
def test_uninstall_undoes_install_byte_for_byte(harness: str, data: st.DataObject) -> None:
    """Whatever stood in the files, in whatever layout, stands there again; a second install does nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        how = wanted(folder, **data.draw(wishes))
        for path, _ in TARGETS[harness].settings(how):
            text = data.draw(st.none() | (toml_files if path.endswith(".toml") else json_files))
            if text is not None and not path.endswith(".js"):
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(text.encode())
        before = contents_of(folder)
        install(harness, how)
        installed = contents_of(folder)
        assert not any(change.has_effect for change in files.install_changes(TARGETS[harness].settings(how)))
        assert all(installed[f"{path}{files.BACKUP}"] == old for path, old in before.items() if installed[path] != old)
        uninstall(harness, wanted(folder))
        assert contents_of(folder) == before


@given(json_files, st.sampled_from(["claude-code", "gemini"]), st.text(max_size=5))
@settings(max_examples=40)
def test_what_changed_meanwhile_stays(text: str, harness: str, theme: str) -> None:
    """A person's own change between install and uninstall is kept, and our part goes all the same."""
    with tempfile.TemporaryDirectory() as folder:
        how = wanted(folder)
        path, _ = TARGETS[harness].settings(how)[-1]
        Path(path).parent.mkdir(parents=True)
        Path(path).write_bytes(text.encode())
        install(harness, how)
        changed = {**json.loads(Path(path).read_text(encoding="utf-8-sig")), "theme": f"new {theme}"}
        Path(path).write_text(json.dumps(changed), encoding="utf-8")
        uninstall(harness, how)
        left = json.loads(Path(path).read_text())
        assert left["theme"] == f"new {theme}"
        assert "holdfast" not in json.dumps(left)
        assert Path(f"{path}{files.BACKUP}").read_bytes() == text.encode()


def test_other_options_take_the_place_of_the_old_ones(tmp_path: Path) -> None:
    """An install with the gate and one without leave one set of hooks, and the backup of the first."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": {"Stop": [FOREIGN]}}))
    install("claude-code", wanted(tmp_path, gate=True, attention="rail"))
    assert path.read_text().count("hook claude-code --attention rail --gate") == 7
    install("claude-code", wanted(tmp_path))
    assert path.read_text().count("holdfast hook claude-code") == 6
    assert json.loads(path.read_text())["hooks"]["Stop"] == [FOREIGN]
    assert len(list(path.parent.iterdir())) == 2
    uninstall("claude-code", wanted(tmp_path))
    assert path.read_text() == json.dumps({"hooks": {"Stop": [FOREIGN]}})
    assert len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_what_a_person_added_to_our_server_stays(tmp_path: Path, harness: str) -> None:
    """A variable for our server survives another install, and goes with the server."""
    install(harness, wanted(tmp_path, hooks=False))
    path, _ = TARGETS[harness].settings(wanted(tmp_path))[0]
    added = (
        ('"type": "stdio",', '"type": "stdio", "env": {"HOLDFAST_DB": "x"},') if harness == "claude-code" else ("", "")
    )
    text = Path(path).read_text().replace(*added) + ("" if any(added) else "startup_timeout_sec = 60\n")
    Path(path).write_text(text)
    install(harness, wanted(tmp_path, hooks=False))
    assert Path(path).read_text() == text
    install(harness, wanted(tmp_path, hooks=False, program="/opt/holdfast"))
    changed = Path(path).read_text()
    assert "/opt/holdfast" in changed and ("HOLDFAST_DB" in changed or "startup_timeout_sec" in changed)
    uninstall(harness, wanted(tmp_path))
    assert not Path(path).exists()


def test_a_hook_moved_into_a_persons_group_is_found(tmp_path: Path) -> None:
    """Our command goes out of a group that has others, and the others stay."""
    path = tmp_path / ".claude" / "settings.json"
    install("claude-code", wanted(tmp_path))
    value = json.loads(path.read_text())
    value["hooks"] = {"Stop": [{"hooks": [*FOREIGN["hooks"], *value["hooks"]["PostToolUse"][0]["hooks"]]}]}
    path.write_text(json.dumps(value))
    uninstall("claude-code", wanted(tmp_path))
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": FOREIGN["hooks"]}]}}


@pytest.mark.parametrize(
    ("harness", "file", "text", "why"),
    [
        ("claude-code", ".claude/settings.json", '{\n  // mine\n  theme: "dark"\n}', "not JSON"),
        ("claude-code", ".claude/settings.json", '{"hooks": []}', "hooks should be an object"),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": {}}}', r"hooks\.Stop should be a list"),
        ("claude-code", ".claude/settings.json", "[]", "should be a JSON object"),
        ("claude-code", ".mcp.json", '{"mcpServers": null}', "mcpServers should be an object"),
        ("claude-code", ".mcp.json", '{"mcpServers": {"holdfast": {"command": "npx"}}}', "another MCP server"),
        ("opencode", "opencode.jsonc", '{"mcp": {} /* mine }', "not JSON"),
        ("opencode", ".opencode/plugins/holdfast.js", "export const Mine = 1", "not ours"),
        ("codex", ".codex/config.toml", "mcp_servers = {}", "by hand"),
        ("codex", ".codex/config.toml", '[mcp_servers.holdfast]\nurl = "http://x"\n', "another MCP server"),
        ("vscode", ".vscode/mcp.json", '{"servers": {},,}', "not JSON"),
        ("cursor", ".cursor/mcp.json", "caf\udce9", "not UTF-8"),
    ],
)
def test_a_file_in_another_shape_is_refused(tmp_path: Path, harness: str, file: str, text: str, why: str) -> None:
    """It is named with the reason, and no file at all is changed; uninstall leaves what has nothing of ours in it."""
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.fsencode(text))
    before = contents_of(tmp_path)
    with pytest.raises(UsageError, match=rf"{file} is left as it is: .*{why}"):
        install(harness, wanted(tmp_path))
    assert contents_of(tmp_path) == before
    if why in ("another MCP server", "not UTF-8"):
        with pytest.raises(UsageError, match=rf"{file} is left as it is: .*{why}"):
            uninstall(harness, wanted(tmp_path))
    else:
        uninstall(harness, wanted(tmp_path))
    assert contents_of(tmp_path) == before


COMMENTED = """{
  // my settings, do not touch
  "theme": "dark", /* at night */
  "hooks": {
    // none yet
  },
}
"""


@pytest.mark.parametrize(
    ("harness", "file"),
    [
        ("gemini", ".gemini/settings.json"),
        ("opencode", "opencode.jsonc"),
        ("claude-code", ".claude/settings.json"),
        ("vscode", ".vscode/mcp.json"),
    ],
)
def test_a_file_with_comments_is_changed_and_restored(tmp_path: Path, harness: str, file: str) -> None:
    """Comments and trailing commas stay, and uninstall leaves every byte as it was, also after a change by hand."""
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(COMMENTED)
    install(harness, wanted(tmp_path))
    text = path.read_text()
    assert "holdfast" in text and "// my settings" in text and "/* at night */" in text and "// none yet" in text
    again = text
    install(harness, wanted(tmp_path))
    assert path.read_text() == again, "a second time there is nothing to do"
    path.write_text(text.replace('"dark"', '"light"'))
    uninstall(harness, wanted(tmp_path))
    left = path.read_text()
    assert "holdfast" not in left and json_edit.parse(left) in ({"theme": "light", "hooks": {}}, {"theme": "light"})
    assert "// none yet" in left and "// my settings" in left
    path.write_text(COMMENTED)
    install(harness, wanted(tmp_path))
    uninstall(harness, wanted(tmp_path))
    assert path.read_text() == COMMENTED


def test_what_only_hooks_were_installed_for_is_taken_out(tmp_path: Path) -> None:
    """Settings with comments beside the plugin are no reason to fail, whatever is in them."""
    (tmp_path / "opencode.jsonc").write_text("{ // mine\n  model: 1 }")
    install("opencode", wanted(tmp_path)._replace(server=False))
    uninstall("opencode", wanted(tmp_path))
    assert contents_of(tmp_path) == {"opencode.jsonc": b"{ // mine\n  model: 1 }"}


def test_a_tool_is_allowed_and_a_status_line_shown_if_wanted(tmp_path: Path) -> None:
    """Both go out again, and what others have set stays."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"allow": ["Bash(ls)"]}}')
    options = wanted(tmp_path)._replace(allow=True, status_line=True, review=True)
    install("claude-code", options)
    value = json.loads(path.read_text())
    assert value["permissions"]["allow"] == ["Bash(ls)", "mcp__holdfast"]
    assert "holdfast hook claude-code --status-line" in value["statusLine"]["command"]
    assert "matcher" not in value["hooks"]["PreToolUse"][0], "a review looks at every tool"
    path.write_text(json.dumps({**value, "theme": "dark"}))
    uninstall("claude-code", wanted(tmp_path))
    assert json.loads(path.read_text()) == {"permissions": {"allow": ["Bash(ls)"]}, "theme": "dark"}
    path.write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    with pytest.raises(UsageError, match="status line already"):
        install("claude-code", options)


def test_a_link_stays_one_and_rights_stay(tmp_path: Path) -> None:
    """Settings that are kept elsewhere are written there, and who may read them does not change."""
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    (tmp_path / ".cursor").mkdir()
    link = tmp_path / ".cursor" / "mcp.json"
    link.symlink_to(real)
    install("cursor", wanted(tmp_path))
    assert link.is_symlink() and "holdfast" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600
    uninstall("cursor", wanted(tmp_path))
    assert link.is_symlink() and real.read_text() == "{}"


def test_an_older_backup_is_never_overwritten(tmp_path: Path) -> None:
    """Each state from before an install is kept under a name of its own."""
    path = tmp_path / ".mcp.json"
    path.write_text('{"a": 1}')
    install("claude-code", wanted(tmp_path, hooks=False))
    path.write_text('{"a": 2}')
    install("claude-code", wanted(tmp_path, hooks=False))
    kept = sorted(file.read_text() for file in tmp_path.glob(f".mcp.json{files.BACKUP}*"))
    assert kept == ['{"a": 1}', '{"a": 2}']
    uninstall("claude-code", wanted(tmp_path))
    assert path.read_text() == '{"a": 2}'


def test_an_empty_project_is_left_standing(tmp_path: Path) -> None:
    """Our files and the folders made for them go; the project's folder stays, even with nothing in it."""
    project = tmp_path / "project"
    project.mkdir()
    for harness in TARGETS:
        install(harness, wanted(project))
    for harness in TARGETS:
        uninstall(harness, wanted(project))
    assert list(tmp_path.rglob("*")) == [project]


@pytest.mark.parametrize(
    ("harness", "environ", "expected"),
    [
        ("claude-code", {}, [".claude.json", ".claude/settings.json"]),
        ("claude-code", {"CLAUDE_CONFIG_DIR": "{}/cc"}, ["cc/.claude.json", "cc/settings.json"]),
        ("codex", {}, [".codex/config.toml", ".codex/hooks.json"]),
        ("codex", {"CODEX_HOME": "{}/cx"}, ["cx/config.toml", "cx/hooks.json"]),
        ("gemini", {}, [".gemini/settings.json"]),
        ("opencode", {}, [".config/opencode/opencode.json", ".config/opencode/plugins/holdfast.js"]),
        ("opencode", {"XDG_CONFIG_HOME": "{}/c"}, ["c/opencode/opencode.json", "c/opencode/plugins/holdfast.js"]),
        ("cursor", {}, [".cursor/mcp.json"]),
    ],
)
def test_a_users_settings_are_where_the_harness_looks(
    tmp_path: Path, harness: str, environ: dict[str, str], expected: list[str]
) -> None:
    """With the user's scope the files are in the home, or where the harness's own variable says."""
    given = {"HOME": str(tmp_path), **{name: value.format(tmp_path) for name, value in environ.items()}}
    how = wanted(tmp_path / "project", environ=given, for_user=True)
    assert [os.path.relpath(path, tmp_path) for path, _ in TARGETS[harness].settings(how)] == expected


@pytest.mark.parametrize("entry", ["", '[mcp_servers.holdfast]\ncommand = "holdfast"\nargs = ["mcp"]\n'])
def test_codex_waits_for_the_server(tmp_path: Path, entry: str) -> None:
    """Codex does not wait for a slow server with its first request, unless it is required; an old entry learns it.

    Who installs it is told, since Codex does not start then if the server cannot.
    """
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(entry)
    install("codex", wanted(tmp_path))
    server = {"command": "holdfast", "args": ["mcp"], "required": True}
    assert tomllib.loads(path.read_text()) == {"mcp_servers": {"holdfast": server}}
    assert "does not start without it" in TARGETS["codex"].notes(wanted(tmp_path))[0]
