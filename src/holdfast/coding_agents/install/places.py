"""Where each harness keeps its settings, and what belongs into them."""

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
"""How long a harness waits for a hook before it goes on without."""


class Wanted(NamedTuple):
    """What is to be set up. `program` is how the harness starts Holdfast; `folder` is the project's."""

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
    def stops(self) -> bool:
        """Whether the stop gate is wanted."""
        return self.gate or self.attention == "rail"

    def words(self, harness: str) -> list[str]:
        """The command line of a hook, word by word."""
        attention = [] if self.attention == "quiet" else ["--attention", self.attention]
        return [self.program, "hook", harness, *attention, *(["--gate"] if self.gate else [])]

    def line(self, harness: str) -> str:
        """The command line of a hook, for a shell."""
        words = self.words(harness)
        return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)

    def at(self, own: str, users: str) -> str:
        """A path in the project, or in the user's home."""
        return os.path.join(self.home, users) if self.for_user else os.path.join(self.folder, own)


Settings = list[tuple[str, Setting]]


class Place(NamedTuple):
    """One harness: its settings, and what a person has to know of the server or the hooks that are in them now."""

    settings: Callable[[Wanted], Settings]
    of_server: str = ""
    of_hooks: str = ""
    has_hooks: bool = True
    has_gate: bool = True

    def notes(self, wanted: Wanted) -> list[str]:
        """What to tell after a change."""
        return [
            note
            for note, is_wanted in ((self.of_server, wanted.server), (self.of_hooks, wanted.hooks))
            if note and is_wanted
        ]


def _claude_code(wanted: Wanted) -> Settings:
    own = wanted.environ.get("CLAUDE_CONFIG_DIR", "")
    servers = wanted.at(".mcp.json", os.path.join(own, ".claude.json"))
    settings = wanted.at(".claude/settings.json", os.path.join(own or ".claude", "settings.json"))
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", *_if(wanted.stops, "Stop")]
    return [
        *_if(wanted.server, (servers, JSONSetting(server=_stdio(wanted)))),
        *_if(wanted.hooks, (settings, JSONSetting(hooks=_groups(wanted, "claude-code", events)))),
    ]


def _codex(wanted: Wanted) -> Settings:
    home = wanted.environ.get("CODEX_HOME") or ".codex"
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", *_if(wanted.stops, "Stop")]
    config, hooks = (wanted.at(f".codex/{file}", os.path.join(home, file)) for file in ("config.toml", "hooks.json"))
    server = {"command": wanted.program, "args": ["mcp"], "required": True}  # else its first request may come too early
    return [
        *_if(wanted.server, (config, TOMLSetting(server))),
        *_if(wanted.hooks, (hooks, JSONSetting(hooks=_groups(wanted, "codex", events)))),
    ]


def _gemini(wanted: Wanted) -> Settings:
    events = ["SessionStart", "BeforeAgent", "AfterTool", *_if(wanted.stops, "AfterAgent")]
    hook = {"name": "holdfast", "type": "command", "command": wanted.line("gemini"), "timeout": SECONDS * 1000}
    entry = {"command": wanted.program, "args": ["mcp"]}
    setting = JSONSetting(
        server=entry if wanted.server else None,
        hooks={event: {"hooks": [hook]} for event in events} if wanted.hooks else {},
    )
    return [(wanted.at(".gemini/settings.json", ".gemini/settings.json"), setting)]


def _opencode(wanted: Wanted) -> Settings:
    config = wanted.environ.get("XDG_CONFIG_HOME") or ".config"
    users = os.path.join(config, "opencode")
    file = wanted.at("opencode.json", os.path.join(users, "opencode.json"))
    if not os.path.exists(file) and os.path.exists(f"{file}c"):
        file = f"{file}c"
    waits = 3 * SECONDS * 1000  # its own five seconds are few for a machine at work
    entry = {"type": "local", "command": [wanted.program, "mcp"], "enabled": True, "timeout": waits}
    plugin = wanted.at(".opencode/plugins/holdfast.js", os.path.join(users, "plugins", "holdfast.js"))
    return [
        *_if(wanted.server, (file, JSONSetting("mcp", entry))),
        *_if(wanted.hooks, (plugin, OwnFile(_plugin(wanted)))),
    ]


def _cursor(wanted: Wanted) -> Settings:
    setting = JSONSetting(server={"command": wanted.program, "args": ["mcp"]})
    return [(wanted.at(".cursor/mcp.json", ".cursor/mcp.json"), setting)]


def _vscode(wanted: Wanted) -> Settings:
    return [(wanted.at(".vscode/mcp.json", _vscode_folder(wanted)), JSONSetting("servers", _stdio(wanted)))]


def _vscode_folder(wanted: Wanted) -> str:
    if sys.platform == "darwin":
        return "Library/Application Support/Code/User/mcp.json"
    if sys.platform == "win32":
        return os.path.join(wanted.environ.get("APPDATA", "AppData/Roaming"), "Code", "User", "mcp.json")
    return os.path.join(wanted.environ.get("XDG_CONFIG_HOME") or ".config", "Code", "User", "mcp.json")


def _stdio(wanted: Wanted) -> dict[str, object]:
    return {"type": "stdio", "command": wanted.program, "args": ["mcp"]}


def _groups(wanted: Wanted, harness: str, events: list[str]) -> dict[str, dict[str, object]]:
    hook = {"type": "command", "command": wanted.line(harness), "timeout": SECONDS}
    return {event: {"hooks": [hook]} for event in events}


def _plugin(wanted: Wanted) -> str:
    text = resources.files("holdfast.coding_agents.install").joinpath("opencode_plugin.js").read_text(encoding="utf-8")
    return text.replace('["holdfast", "hook", "opencode"]', json.dumps(wanted.words("opencode")))


def _if(condition: bool, value: T) -> list[T]:
    return [value] if condition else []


_ASKS = "asks once whether to use the MCP server. Plans that it keeps without it are not recorded."

PLACES: Mapping[str, Place] = {
    "claude-code": Place(
        _claude_code,
        "Claude Code asks once whether to use the project's MCP server.",
        "Claude Code reads its hooks when it starts.",
    ),
    "codex": Place(
        _codex,
        "Codex waits for the MCP server, and does not start without it: uninstall before you remove Holdfast.",
        "Codex asks once whether to trust the hooks; /hooks shows them.",
    ),
    "gemini": Place(_gemini, of_hooks="Gemini CLI takes a project's settings only in a trusted folder."),
    "opencode": Place(_opencode, of_hooks="opencode loads the plugin when it starts.", has_gate=False),
    "cursor": Place(_cursor, f"Cursor {_ASKS}", has_hooks=False, has_gate=False),
    "vscode": Place(_vscode, f"VS Code {_ASKS}", has_hooks=False, has_gate=False),
}
