"""The command `migrate`: all plans of a store, copied to another one, most often from a file into a database."""

from contextlib import closing

from ...stores import open_store
from ...stores.address import without_password
from ...stores.locate import VARIABLE, locate
from ...transfer.migration import MigratedBoard, checksum_of, migrate
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import CommandError, Invocation, is_address


def run(call: Invocation) -> int:
    """Copy everything, and print what was copied."""
    named = call.word("to") or ""
    address = named if is_address(named) else locate({VARIABLE: named})
    if address == call.database:
        raise CommandError("both stores are the same: name another one with --to")
    if not call.has_plans:
        raise CommandError(f"there is nothing to copy: no plans at {call.database_label}")
    with closing(open_store(address)) as target:
        copied = list(migrate(call.store, target))
    figures = _figures(address, copied)
    if call.wants_json:
        call.screen.print_json(figures)
    else:
        call.screen.print_text(*_report(figures))
    return Exit.OK


def _figures(address: str, copied: list[MigratedBoard]) -> dict[str, object]:
    return {
        "to": without_password(address),
        "plans": len(copied),
        "changes": sum(board.changes for board in copied),
        "new": sum(board.new for board in copied),
        "checksum": checksum_of(copied),
    }


def _report(figures: dict[str, object]) -> list[str]:
    return [
        f"Copied to {figures['to']}",
        f"plans: {figures['plans']}, changes: {figures['changes']}, of them new: {figures['new']}",
        f"checksum {figures['checksum']}, the same on both sides",
    ]


COMMAND = Command(
    "migrate",
    "Copy all plans with their history to another store, and verify the copy. The old store stays as it is.",
    run,
    (
        Argument(
            "--to", "where to: a postgresql:// address, or the path of another plan file", "DATABASE", is_required=True
        ),
    ),
    (
        Example(
            "holdfast migrate --to 'postgresql://db.example/plans?namespace=team-a'",
            "from this project's file into a database; if it was stopped, the same command goes on",
        ),
    ),
    "`to`, `plans`, `changes`, `new` (how many of them were copied just now), `checksum`",
    uses=Uses.STORE,
)
