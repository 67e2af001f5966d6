"""The command `install`: our part goes into a coding agent's own settings."""

import importlib.util

from ...coding_agents.install import files
from ...coding_agents.install.targets import TARGETS
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import CommandError, Invocation
from ..settings_change import DRY_RUN, HARNESS, SCOPE, apply_changes, wanted
from .hook import ATTENTION, GATE

NO_SERVER = "The MCP server is left out, its library is not here: pip install 'holdfast[mcp]', then install again."


def run(call: Invocation) -> int:
    """Put our part into a coding agent's settings."""
    name, only = call.word("harness") or "", call.word("only")
    target = TARGETS[name]
    has_library = importlib.util.find_spec("mcp") is not None
    _check(call, name, has_library)
    parts = wanted(call)._replace(server=only != "hooks" and has_library, hooks=only != "mcp")
    is_changed = apply_changes(call, lambda: files.install_changes(target.settings(parts)))
    if not has_library and only != "hooks":
        call.screen.print_text(NO_SERVER)
    if is_changed:
        call.screen.print_text(*target.notes(parts), "`holdfast watch` shows the plans as they come.")
    return Exit.OK


def _check(call: Invocation, name: str, has_library: bool) -> None:
    """Raises CommandError for what cannot be installed."""
    target, only = TARGETS[name], call.word("only")
    if not target.has_hooks and (only == "hooks" or call.word("attention")):
        raise CommandError(f"{name} has no hooks that Holdfast knows: leave --only and --attention out")
    if call.flag("gate") and not target.has_gate:
        raise CommandError(f"{name} has no hook that could hold a model: leave --gate out")
    if not has_library and (only == "mcp" or not target.has_hooks):
        raise CommandError("the MCP server's library is not here: pip install 'holdfast[mcp]'")


COMMAND = Command(
    "install",
    "Set a coding agent up: our MCP server and hooks, in its own settings. The change is shown, the old file kept.",
    run,
    (
        HARNESS,
        SCOPE,
        Argument("--only", "only the MCP server, or only the hooks", choices=("mcp", "hooks")),
        ATTENTION,
        GATE,
        DRY_RUN,
    ),
    (
        Example("holdfast install claude-code", "for this project"),
        Example("holdfast install codex --scope user --gate", "for all your projects, with the stop gate"),
        Example("holdfast install gemini --dry-run", "only look"),
    ),
    uses=Uses.NOTHING,
)
