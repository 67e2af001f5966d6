"""The command `uninstall`: our part comes out of a coding agent's own settings."""

from ...coding_agents.install import files
from ...coding_agents.install.targets import TARGETS
from ..command import Command, Example, Exit, Uses
from ..invocation import Invocation
from ..settings_change import DRY_RUN, HARNESS, SCOPE, apply_changes, wanted


def run(call: Invocation) -> int:
    """Take our part out of a coding agent's settings."""
    target = TARGETS[call.word("harness") or ""]
    parts = wanted(call)
    places = dict(target.settings(parts) + (target.settings(parts._replace(is_local=True)) if target.has_local else []))
    apply_changes(call, lambda: files.uninstall_changes(list(places.items())))
    return Exit.OK


COMMAND = Command(
    "uninstall",
    "Remove what `install` has put into a coding agent's settings, and nothing else.",
    run,
    (HARNESS, SCOPE, DRY_RUN),
    (Example("holdfast uninstall claude-code", "as if it had never been there"),),
    uses=Uses.NOTHING,
)
