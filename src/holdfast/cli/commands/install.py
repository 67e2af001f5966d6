"""The commands `install` and `uninstall`: a coding agent's own settings, changed in the open."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence

from ...coding_agents.install import files
from ...coding_agents.install.files import FileChange
from ...coding_agents.install.targets import TARGETS, InstallOptions
from ...errors import StoreError
from ...terminal.screen import BOLD, DIM, GREEN, Screen
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation, Refusal
from .hook import ATTENTION, GATE

RED = "31"
SCOPES = ("project", "user")
PARTS = ("mcp", "hooks")
NO_SERVER = "The MCP server is left out, its library is not here: pip install 'holdfast[mcp]', then install again."


def install(call: Invocation) -> int:
    """Put our part into a harness's settings."""
    name, only = call.word("harness") or "", call.word("only")
    target = TARGETS[name]
    has_library = importlib.util.find_spec("mcp") is not None
    _check(call, name, has_library)
    wanted = _wanted(call)._replace(server=only != "hooks" and has_library, hooks=only != "mcp")
    is_done = _carry_out(call, lambda: files.install_changes(target.settings(wanted)))
    if not has_library and only != "hooks":
        call.screen.print([NO_SERVER])
    if is_done:
        call.screen.print([*target.notes(wanted), "`holdfast watch` shows the plans as they come."])
    return Exit.OK


def uninstall(call: Invocation) -> int:
    """Take our part out of a harness's settings."""
    target = TARGETS[call.word("harness") or ""]
    _carry_out(call, lambda: files.uninstall_changes(target.settings(_wanted(call))))
    return Exit.OK


def _check(call: Invocation, name: str, has_library: bool) -> None:
    """Raises Refusal for what cannot be had."""
    target, only = TARGETS[name], call.word("only")
    if not target.has_hooks and (only == "hooks" or call.word("attention")):
        raise Refusal(f"{name} has no hooks that Holdfast knows: leave --only and --attention out")
    if call.flag("gate") and not target.has_gate:
        raise Refusal(f"{name} has no hook that could hold a model: leave --gate out")
    if not has_library and (only == "mcp" or not target.has_hooks):
        raise Refusal("the MCP server's library is not here: pip install 'holdfast[mcp]'")


def _wanted(call: Invocation) -> InstallOptions:
    return InstallOptions(
        _program(),
        os.getcwd(),
        call.environ,
        for_user=call.word("scope") == "user",
        attention=call.word("attention") or "quiet",
        gate=call.flag("gate"),
    )


def _program() -> str:
    """How another program starts Holdfast: by its name, if that leads here, else by its path."""
    here = shutil.which("holdfast", path=os.path.dirname(sys.executable))
    if here is None:
        raise Refusal(f"there is no command holdfast beside {sys.executable}: install Holdfast with pip first")
    found = shutil.which("holdfast")
    return "holdfast" if found is not None and os.path.realpath(found) == os.path.realpath(here) else here


def _carry_out(call: Invocation, find: Callable[[], Sequence[FileChange]]) -> bool:
    """Show the changes, and make them unless that was all that was asked for. Whether anything was changed."""
    screen, is_dry = call.screen, call.flag("dry_run")
    try:
        changes = find()
        for change in changes:
            screen.print(_shown(screen, change))
        if not is_dry:
            files.apply_changes(changes)
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}; what is shown before it may be written") from error
    if is_dry:
        screen.print(["Nothing was written: --dry-run."])
        return False
    kept = [change.backup for change in changes if change.has_effect and os.path.exists(change.backup)]
    screen.print(f"The old file is kept: {screen.text(path)}" for path in kept)
    return any(change.has_effect for change in changes)


def _shown(screen: Screen, change: FileChange) -> list[str]:
    if not change.has_effect:
        return [f"{screen.text(change.path)}: nothing to change"]
    return [screen.styled(screen.text(line), _style(line)) for line in change.lines()]


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return BOLD
    return {"+": GREEN, "-": RED, "@": DIM}.get(line[:1], "")


_HARNESS = Argument("HARNESS", "the coding agent", choices=tuple(TARGETS))
_SCOPE = Argument("--scope", "whose settings, this folder's or yours; else project", choices=SCOPES)
_DRY_RUN = Argument("--dry-run", "show what would change, and change nothing")

COMMANDS = (
    Command(
        "install",
        "Set a coding agent up: our MCP server and hooks, in its own settings. The change is shown, the old file kept.",
        install,
        (
            _HARNESS,
            _SCOPE,
            Argument("--only", "only the MCP server, or only the hooks", choices=PARTS),
            ATTENTION,
            GATE,
            _DRY_RUN,
        ),
        (
            Example("holdfast install claude-code", "for this project"),
            Example("holdfast install codex --scope user --gate", "for all your projects, with the stop gate"),
            Example("holdfast install gemini --dry-run", "only look"),
        ),
        uses=Uses.NOTHING,
    ),
    Command(
        "uninstall",
        "Take out of a coding agent's settings what `install` has put there, and nothing else.",
        uninstall,
        (_HARNESS, _SCOPE, _DRY_RUN),
        (Example("holdfast uninstall claude-code", "as if it had never been there"),),
        uses=Uses.NOTHING,
    ),
)
