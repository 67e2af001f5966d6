"""Where each harness keeps its settings, and what goes into them."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import resources
from typing import NamedTuple, TypeVar

from .settings import JSONSetting, OwnFile, Setting, TOMLSetting

T = TypeVar("T")

SECONDS = 10
"""How long a harness waits for a hook."""


class InstallOptions(NamedTuple):
    """What to set up. `program` is how the harness starts Holdfast; `folder` is the project's."""

    program: str
    folder: str
    environ: Mapping[str, str]
    for_user: bool = False
    server: bool = True
    hooks: bool = True
    attention: str = "quiet"
    gate: bool = False

    @property
    def home(self) -> str:
        """The user's home."""
        return self.environ.get("HOME") or os.path.expanduser("~")

    @property
    def wants_gate(self) -> bool:
        """Whether to install the stop gate."""
        return self.gate or self.attention == "rail"

    def hook_words(self, harness: str) -> list[str]:
        """The command line of a hook, word by word."""
        attention = [] if self.attention == "quiet" else ["--attention", self.attention]
        return [self.program, "hook", harness, *attention, *(["--gate"] if self.gate else [])]

    def hook_command(self, harness: str) -> str:
        """The command line of a hook, for a shell."""
        words = self.hook_words(harness)
        return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)

    def path(self, own: str, users: str) -> str:
        """A path in the project, or in the user's home."""
        return os.path.join(self.home, users) if self.for_user else os.path.join(self.folder, own)


Settings = list[tuple[str, Setting]]


class InstallTarget(NamedTuple):
    """One harness: its settings, and notes for the user about the server and the hooks."""

    settings: Callable[[InstallOptions], Settings]
    server_note: str = ""
    hooks_note: str = ""
    has_hooks: bool = True
    has_gate: bool = True

    def notes(self, options: InstallOptions) -> list[str]:
        """What to tell the user after a change."""
        return [
            note
            for note, is_installed in ((self.server_note, options.server), (self.hooks_note, options.hooks))
            if note and is_installed
        ]


def _claude_code(options: InstallOptions) -> Settings:
    own = options.environ.get("CLAUDE_CONFIG_DIR", "")
    servers = options.path(".mcp.json", os.path.join(own, ".claude.json"))
    settings = options.path(".claude/settings.json", os.path.join(own or ".claude", "settings.json"))
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"]
    events += _when(options.wants_gate, "Stop")
    return [
        *_when(options.server, (servers, JSONSetting(server=_stdio(options)))),
        *_when(options.hooks, (settings, JSONSetting(hooks=_groups(options, "claude-code", events)))),
    ]


def _codex(options: InstallOptions) -> Settings:
    home = options.environ.get("CODEX_HOME") or ".codex"
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", *_when(options.wants_gate, "Stop")]
    config, hooks = (options.path(f".codex/{file}", os.path.join(home, file)) for file in ("config.toml", "hooks.json"))
    # Required, so that Codex waits for it: otherwise its first request may come too early.
    server = {"command": options.program, "args": ["mcp"], "required": True}
    return [
        *_when(options.server, (config, TOMLSetting(server))),
        *_when(options.hooks, (hooks, JSONSetting(hooks=_groups(options, "codex", events)))),
    ]


def _gemini(options: InstallOptions) -> Settings:
    events = ["SessionStart", "BeforeAgent", "AfterTool", *_when(options.wants_gate, "AfterAgent")]
    hook = {"name": "holdfast", "type": "command", "command": options.hook_command("gemini"), "timeout": SECONDS * 1000}
    entry = {"command": options.program, "args": ["mcp"]}
    setting = JSONSetting(
        server=entry if options.server else None,
        hooks={event: {"hooks": [hook]} for event in events} if options.hooks else {},
    )
    return [(options.path(".gemini/settings.json", ".gemini/settings.json"), setting)]


def _opencode(options: InstallOptions) -> Settings:
    config = options.environ.get("XDG_CONFIG_HOME") or ".config"
    users = os.path.join(config, "opencode")
    file = options.path("opencode.json", os.path.join(users, "opencode.json"))
    if not os.path.exists(file) and os.path.exists(f"{file}c"):
        file = f"{file}c"
    waits = 3 * SECONDS * 1000  # its default of five seconds is too short for a busy machine
    entry = {"type": "local", "command": [options.program, "mcp"], "enabled": True, "timeout": waits}
    plugin = options.path(".opencode/plugins/holdfast.js", os.path.join(users, "plugins", "holdfast.js"))
    return [
        *_when(options.server, (file, JSONSetting("mcp", entry))),
        *_when(options.hooks, (plugin, OwnFile(_plugin(options)))),
    ]


def _cursor(options: InstallOptions) -> Settings:
    setting = JSONSetting(server={"command": options.program, "args": ["mcp"]})
    return [(options.path(".cursor/mcp.json", ".cursor/mcp.json"), setting)]


def _vscode(options: InstallOptions) -> Settings:
    return [(options.path(".vscode/mcp.json", _vscode_folder(options)), JSONSetting("servers", _stdio(options)))]


def _vscode_folder(options: InstallOptions) -> str:
    if sys.platform == "darwin":
        return "Library/Application Support/Code/User/mcp.json"
    if sys.platform == "win32":
        return os.path.join(options.environ.get("APPDATA", "AppData/Roaming"), "Code", "User", "mcp.json")
    return os.path.join(options.environ.get("XDG_CONFIG_HOME") or ".config", "Code", "User", "mcp.json")


def _stdio(options: InstallOptions) -> dict[str, object]:
    return {"type": "stdio", "command": options.program, "args": ["mcp"]}


def _groups(options: InstallOptions, harness: str, events: list[str]) -> dict[str, dict[str, object]]:
    hook = {"type": "command", "command": options.hook_command(harness), "timeout": SECONDS}
    return {event: {"hooks": [hook]} for event in events}


def _plugin(options: InstallOptions) -> str:
    text = resources.files("holdfast.coding_agents.install").joinpath("opencode_plugin.js").read_text(encoding="utf-8")
    return text.replace('["holdfast", "hook", "opencode"]', json.dumps(options.hook_words("opencode")))


def _when(condition: bool, value: T) -> list[T]:
    return [value] if condition else []


_ASKS = "asks once whether to use the MCP server. Plans that it keeps without it are not recorded."

TARGETS: Mapping[str, InstallTarget] = {
    "claude-code": InstallTarget(
        _claude_code,
        "Claude Code asks once whether to use the project's MCP server.",
        "Claude Code reads its hooks when it starts.",
    ),
    "codex": InstallTarget(
        _codex,
        "Codex waits for the MCP server, and does not start without it: uninstall before you remove Holdfast.",
        "Codex asks once whether to trust the hooks; /hooks shows them.",
    ),
    "gemini": InstallTarget(_gemini, hooks_note="Gemini CLI takes a project's settings only in a trusted folder."),
    "opencode": InstallTarget(_opencode, hooks_note="opencode loads the plugin when it starts.", has_gate=False),
    "cursor": InstallTarget(_cursor, f"Cursor {_ASKS}", has_hooks=False, has_gate=False),
    "vscode": InstallTarget(_vscode, f"VS Code {_ASKS}", has_hooks=False, has_gate=False),
}
