"""Where each harness keeps its settings, and what goes into them."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import resources
from typing import NamedTuple, TypeVar

from .settings import NAME, JSONSetting, OwnFile, Setting, TOMLSetting

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
    review: bool = False
    is_local: bool = False
    allow: bool = False
    status_line: bool = False

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
        flags = [*_when(self.gate, "--gate"), *_when(self.review, "--review")]
        return [self.program, "hook", harness, *attention, *flags]

    def hook_command(self, harness: str) -> str:
        """The command line of a hook, for a shell. One that others get with the project is quiet without Holdfast."""
        return self.shell_line(self.hook_words(harness))

    def shell_line(self, words: list[str]) -> str:
        """One of our command lines, for a shell."""
        if os.name == "nt":
            return subprocess.list2cmdline(words)
        if self.for_user or self.is_local:
            return shlex.join(words)
        return f"if command -v {shlex.quote(self.program)} >/dev/null 2>&1; then {shlex.join(words)}; fi"

    def path(self, own: str, users: str) -> str:
        """A path in the project, or in the user's home."""
        return os.path.join(self.home, users) if self.for_user else os.path.join(self.folder, own)


Settings = list[tuple[str, Setting]]


class InstallTarget(NamedTuple):
    """One harness: its settings, and notes for the user about the server and the hooks.

    `project_note` is only for settings of a project. `has_plan` says whether its model has a plan tool of its own: then
    the server is installed only if it is asked for, since two plan tools would confuse the model.
    """

    settings: Callable[[InstallOptions], Settings]
    server_note: str = ""
    hooks_note: str = ""
    project_note: str = ""
    has_hooks: bool = True
    has_gate: bool = True
    has_plan: bool = True
    has_local: bool = False
    has_allow: bool = False
    has_status_line: bool = False

    def notes(self, options: InstallOptions) -> list[str]:
        """What to tell the user after a change."""
        notes = (
            (self.server_note, options.server),
            (self.hooks_note, options.hooks),
            (self.project_note, not options.for_user),
        )
        return [note for note, applies in notes if note and applies]


def _claude_code(options: InstallOptions) -> Settings:
    own = options.environ.get("CLAUDE_CONFIG_DIR", "")
    servers = options.path(".mcp.json", os.path.join(own, ".claude.json"))
    file = "settings.local.json" if options.is_local else "settings.json"
    settings = options.path(f".claude/{file}", os.path.join(own or ".claude", "settings.json"))
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SessionEnd"]
    events += _when(options.wants_gate, "Stop")
    # Before a call of the server's tool, a hook says whose call it is: the server cannot know.
    hooks = _groups(options, "claude-code", ["PreToolUse"], "" if options.review else f"mcp__{NAME}__.*")
    hooks |= _groups(options, "claude-code", events) if options.hooks else {}
    line = {"type": "command", "command": options.shell_line([options.program, "hook", "claude-code", "--status-line"])}
    setting = JSONSetting(
        hooks=hooks,
        allow=(f"mcp__{NAME}",) if options.allow else (),
        status_line=line if options.status_line else None,
    )
    # Always loaded, so that the tool does not wait behind a search for tools.
    return [
        *_when(options.server, (servers, JSONSetting(server=_stdio(options) | {"alwaysLoad": True}))),
        (settings, setting),
    ]


def _codex(options: InstallOptions) -> Settings:
    home = options.environ.get("CODEX_HOME") or ".codex"
    events = ["SessionStart", "UserPromptSubmit", *_when(options.review, "PreToolUse"), "PostToolUse"]
    events += ["SessionEnd", *_when(options.wants_gate, "Stop")]
    config, hooks = (options.path(f".codex/{file}", os.path.join(home, file)) for file in ("config.toml", "hooks.json"))
    # Required, so that Codex waits for it: otherwise its first request may come too early.
    server = {"command": options.program, "args": ["mcp"], "required": True}
    return [
        *_when(options.server, (config, TOMLSetting(server))),
        *_when(options.hooks, (hooks, JSONSetting(hooks=_groups(options, "codex", events)))),
    ]


def _gemini(options: InstallOptions) -> Settings:
    events = ["SessionStart", "BeforeAgent", "AfterTool", "SessionEnd", *_when(options.wants_gate, "AfterAgent")]
    hook = {"name": "holdfast", "type": "command", "command": options.hook_command("gemini"), "timeout": SECONDS * 1000}
    entry = {"command": options.program, "args": ["mcp"], **({"trust": True} if options.allow else {})}
    before = {"hooks": [hook]} if options.review else {"matcher": "invoke_agent", "hooks": [hook]}
    setting = JSONSetting(
        server=entry if options.server else None,
        hooks={"BeforeTool": before, **{event: {"hooks": [hook]} for event in events}} if options.hooks else {},
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


def _groups(
    options: InstallOptions, harness: str, events: list[str], matcher: str = ""
) -> dict[str, dict[str, object]]:
    hook = {"type": "command", "command": options.hook_command(harness), "timeout": SECONDS}
    return {event: {**({"matcher": matcher} if matcher else {}), "hooks": [hook]} for event in events}


def _plugin(options: InstallOptions) -> str:
    text = resources.files("holdfast.coding_agents.install").joinpath("opencode_plugin.js").read_text(encoding="utf-8")
    return text.replace('["holdfast", "hook", "opencode"]', json.dumps(options.hook_words("opencode")))


def _when(condition: bool, value: T) -> list[T]:
    return [value] if condition else []


_ASKS = "asks once whether to use the MCP server. Plans that it keeps without it are not recorded."

TARGETS: Mapping[str, InstallTarget] = {
    "claude-code": InstallTarget(
        _claude_code,
        "Claude Code asks before each call of the tool, unless you install with --allow.",
        "Claude Code reads its hooks when it starts.",
        has_local=True,
        has_allow=True,
        has_status_line=True,
    ),
    "codex": InstallTarget(
        _codex,
        "Codex waits for the MCP server, and does not start without it: uninstall before you remove Holdfast.",
        "Codex asks once whether to trust the hooks; /hooks shows them. Its own plan tool is off by default, so its "
        "models use the MCP tool; `enabled = true` under [tools.update_plan] in config.toml turns update_plan on.",
        "Codex reads a project's .codex only in a project that it trusts.",
        has_plan=False,
    ),
    "gemini": InstallTarget(
        _gemini,
        "Gemini CLI asks before each call of the tool, unless you install with --allow.",
        project_note="Gemini CLI takes a project's settings only in a trusted folder.",
        has_allow=True,
    ),
    "opencode": InstallTarget(_opencode, hooks_note="opencode loads the plugin when it starts.", has_gate=False),
    "cursor": InstallTarget(_cursor, f"Cursor {_ASKS}", has_hooks=False, has_gate=False, has_plan=False),
    "vscode": InstallTarget(
        _vscode,
        f"VS Code {_ASKS} It looks for holdfast where your login shell does.",
        has_hooks=False,
        has_gate=False,
        has_plan=False,
    ),
}
