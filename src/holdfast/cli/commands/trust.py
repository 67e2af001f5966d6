"""The command `trust`: allow plans that came from somewhere else, such as a clone or an archive."""

import os
from contextlib import closing

from ...stores import open_store, trust
from ...stores.damage import sessions_with_damage
from ...stores.locate import FOLDER
from ..command import Command, Example, Exit, Uses
from ..invocation import CommandError, Invocation, is_address

KEYS = "`folder`, `plans` (how many there are)"


def run(call: Invocation) -> int:
    """Record that the folder is allowed, and say how many plans that are."""
    path = call.database
    folder = os.path.dirname(trust.resolve(path)) if not is_address(path) else path
    if os.path.basename(folder) != FOLDER:
        raise CommandError(f"{call.database_label} needs no trust: only files in a folder {FOLDER} do")
    trust.trust(folder)
    with closing(open_store(path)) as store:
        plans = len(sessions_with_damage(store))
    if call.wants_json:
        call.screen.print_json({"folder": folder, "plans": plans})
    else:
        call.screen.print_text(f"Trusted {folder}. Plans that agents may now be given from it: {plans}")
    return Exit.OK


COMMAND = Command(
    "trust",
    "Trust the plans in a folder that was not made here. Agents follow them: check first where they come from.",
    run,
    (),
    (Example("holdfast trust", "this project's .holdfast folder came with a copy, and you know whose it is"),),
    KEYS,
    uses=Uses.STORE,
)
