"""The command `install`: our part goes into a coding agent's own settings."""

import importlib.util

from ...coding_agents.install import files
from ...coding_agents.install.targets import TARGETS, InstallOptions
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import CommandError, Invocation
from ..settings_change import DRY_RUN, HARNESS, SCOPE, apply_changes, wanted
from .hook import ATTENTION, GATE, REVIEW

NO_SERVER = "The MCP server is left out, since its library is missing: pip install 'holdfast[mcp]', then install again."
SERVER_ALONE = "its model has the tool TodoWrite"
"""What an agent gets without hooks: nothing records its own plan, and nothing brings one back."""


def run(call: Invocation) -> int:
    """Put our part into a coding agent's settings."""
    name, only = call.word("harness") or "", call.word("only")
    target = TARGETS[name]
    has_library = importlib.util.find_spec("mcp") is not None
    _check(call, name, has_library)
    wants_server = only == "mcp" or (only is None and (call.flag("mcp") or not target.has_plan))
    parts = wanted(call)._replace(server=wants_server and has_library, hooks=target.has_hooks and only != "mcp")
    is_changed = apply_changes(call, lambda: files.install_changes(target.settings(parts)))
    if not has_library and wants_server:
        call.screen.print_text(NO_SERVER)
    if is_changed:
        call.screen.print_text(*target.notes(parts), *_what_now(call, name, parts))
    return Exit.OK


def _what_now(call: Invocation, name: str, parts: InstallOptions) -> list[str]:
    """What happens from now on, and how to undo it."""
    what = "its own plan is recorded, and comes back when it has faded" if parts.hooks else SERVER_ALONE
    review = " Its first plan waits for `holdfast approve`." if parts.review else ""
    scope = " --scope user" if parts.for_user else ""
    return [
        f"From its next start on, {what}.{review} `holdfast watch` shows every plan.",
        f"`holdfast doctor` checks it; `holdfast uninstall {name}{scope}` removes all of it.",
    ]


def _check(call: Invocation, name: str, has_library: bool) -> None:
    """Raises CommandError for what cannot be installed."""
    target, only = TARGETS[name], call.word("only")
    if not target.has_hooks and (only == "hooks" or call.word("attention") or call.flag("review")):
        raise CommandError(f"{name} has no hooks that Holdfast knows: leave out --only, --attention and --review")
    if call.flag("gate") and not target.has_gate:
        raise CommandError(f"{name} has no hook that could hold a model: leave out --gate")
    if call.flag("local") and not target.has_local:
        raise CommandError(f"{name} has no project settings that stay on this machine: use --scope user")
    if call.flag("local") and (call.flag("mcp") or only == "mcp" or call.word("scope") == "user"):
        raise CommandError("--local is for hooks in this project: leave out --mcp, --only mcp and --scope user")
    if call.flag("allow") and not target.has_allow:
        raise CommandError(f"{name} has no setting that allows a tool: leave out --allow")
    if call.flag("status_line") and not target.has_status_line:
        raise CommandError(f"{name} has no status line that Holdfast knows: leave out --status-line")
    if not has_library and (only == "mcp" or not target.has_hooks):
        raise CommandError("the MCP server's library is missing: pip install 'holdfast[mcp]'")


COMMAND = Command(
    "install",
    "Set up a coding agent: our hooks, and the MCP server where it helps. Shows the change, and keeps the old file.",
    run,
    (
        HARNESS,
        SCOPE,
        Argument("--mcp", "the MCP server, too, for an agent that has its own plan tool"),
        Argument("--only", "only the MCP server, or only the hooks", choices=("mcp", "hooks")),
        Argument("--local", "use the settings of this project that are not committed; only claude-code has them"),
        Argument("--allow", "let the agent use the MCP tool without asking you"),
        Argument("--status-line", "the current todo below the prompt; only claude-code has such a line"),
        ATTENTION,
        GATE,
        REVIEW,
        DRY_RUN,
    ),
    (
        Example("holdfast install claude-code", "for this project"),
        Example("holdfast install codex --scope user --gate", "for all your projects, with the stop gate"),
        Example("holdfast install gemini --dry-run", "only look"),
    ),
    uses=Uses.NOTHING,
)
