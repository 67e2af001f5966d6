"""What `install` and `uninstall` share: a coding agent's own settings, changed in the open."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence

from ..coding_agents.install import files
from ..coding_agents.install.files import FileChange
from ..coding_agents.install.targets import TARGETS, InstallOptions
from ..errors import StoreError
from ..terminal.lines import Line, text_line
from .command import Argument
from .invocation import CommandError, Invocation

HARNESS = Argument("HARNESS", "the coding agent", choices=tuple(TARGETS))
SCOPE = Argument("--scope", "whose settings, this folder's or yours; default project", choices=("project", "user"))
DRY_RUN = Argument("--dry-run", "show what would change, and change nothing")


def wanted(call: Invocation) -> InstallOptions:
    """What the options ask for."""
    return InstallOptions(
        _program(),
        os.getcwd(),
        call.environ,
        for_user=call.word("scope") == "user",
        attention=call.word("attention") or "quiet",
        gate=call.flag("gate"),
        review=call.flag("review"),
        is_local=call.flag("local"),
        allow=call.flag("allow"),
        status_line=call.flag("status_line"),
    )


def apply_changes(call: Invocation, find: Callable[[], Sequence[FileChange]]) -> bool:
    """Show the changes, and make them unless it is a dry run. Returns whether anything was changed."""
    screen, is_dry = call.screen, call.flag("dry_run")
    try:
        changes = find()
        for change in changes:
            screen.print(_change_lines(change))
        if not is_dry:
            files.apply_changes(changes)
    except OSError as error:
        raise StoreError(
            f"{error.filename}: {error.strerror}; the changes that are shown above may be written already"
        ) from error
    if is_dry:
        screen.print_text("Nothing was written: --dry-run.")
        return False
    kept = [change.backup for change in changes if change.has_effect and os.path.exists(change.backup)]
    screen.print_text(*(f"The old file is kept: {path}" for path in kept))
    return any(change.has_effect for change in changes)


def _program() -> str:
    """How another program starts Holdfast: by its name, if that leads here, else by its path."""
    here = shutil.which("holdfast", path=os.path.dirname(sys.executable))
    if here is None:
        raise CommandError(f"there is no command holdfast beside {sys.executable}: install Holdfast with pip first")
    found = shutil.which("holdfast")
    return "holdfast" if found is not None and os.path.realpath(found) == os.path.realpath(here) else here


def _change_lines(change: FileChange) -> list[Line]:
    if not change.has_effect:
        return [text_line(f"{change.path}: nothing to change")]
    return [text_line(line, _style(line)) for line in change.lines()]


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
