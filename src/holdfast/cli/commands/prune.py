"""The command `prune`: old history is deleted, or plans that were archived long ago."""

from ...errors import UsageError
from ...stores.store import Prunes
from ...text import counted
from ..command import Argument, Command, Example, Exit, Uses, positive_number
from ..invocation import DAY, Invocation


def run(call: Invocation) -> int:
    """Delete old changes, or whole months of them; with `--dry-run` only say which."""
    days, keep, dry_run = call.number("older_than"), call.number("keep"), call.flag("dry_run")
    if days is None and keep is None:
        raise UsageError("prune: say what to delete: --older-than DAYS, --keep NUMBER, or both")
    if call.flag("whole_months"):
        return _drop_months(call, days, keep, dry_run)
    store = call.store
    if not isinstance(store, Prunes):
        raise UsageError(f"prune: {type(store).__name__} keeps no history that can be pruned")
    if call.flag("archived"):
        return _delete_archived(call, store, days, keep, dry_run)
    count = store.prune(None if days is None else days * DAY, keep, dry_run)
    deleted = "Would delete" if dry_run else "Deleted"
    return _report(call, [f"{deleted} {counted(count, 'change')}; every plan stays"], changes=count)


def _delete_archived(call: Invocation, store: Prunes, days: int | None, keep: int | None, dry_run: bool) -> int:
    if days is None or keep is not None:
        raise UsageError("prune: --archived needs --older-than DAYS, and cannot be used with --keep")
    plans = store.delete_archived(days * DAY, dry_run)
    deleted = "Would delete" if dry_run else "Deleted"
    return _report(call, [f"{deleted} {counted(plans, 'plan')} with all history"], plans=plans)


def _drop_months(call: Invocation, days: int | None, keep: int | None, dry_run: bool) -> int:
    drop_months = getattr(call.store, "drop_months", None)  # the driver of PostgreSQL may not be installed
    if days is None or keep is not None or drop_months is None:
        raise UsageError("prune: --whole-months is for PostgreSQL, with --older-than DAYS and without --keep")
    months: list[str] = drop_months(days * DAY, dry_run)
    lines = [f"{'Would drop' if dry_run else 'Dropped'} {name}" for name in months]
    return _report(call, [*lines, f"{counted(len(months), 'month')}; every plan stays"], months=months)


def _report(call: Invocation, lines: list[str], **found: object) -> int:
    if call.wants_json:
        call.screen.print_json({"changes": None, "months": [], "plans": 0, **found, "dry_run": call.flag("dry_run")})
    else:
        call.screen.print_text(*lines)
    return Exit.OK


COMMAND = Command(
    "prune",
    "Delete old history. Every plan stays, with its last change, unless --archived says otherwise.",
    run,
    (
        Argument("--older-than", "changes older than this many days", "DAYS", of=positive_number),
        Argument("--keep", "how many of the newest changes of each plan stay", "NUMBER", of=positive_number),
        Argument("--whole-months", "PostgreSQL: drop whole months, of all namespaces; fast, whatever is in them"),
        Argument("--archived", "delete plans that were archived before that time, with their whole history"),
        Argument("--dry-run", "say what would be deleted, and delete nothing"),
    ),
    (
        Example("holdfast prune --older-than 90 --dry-run", "how many changes a clean-up would delete"),
        Example("holdfast prune --older-than 90 --keep 20", "those that are old and not among the newest 20"),
        Example("holdfast prune --older-than 365 --archived", "plans that were archived a year ago"),
    ),
    "`changes` (how many), `months` (names of what was dropped), `plans` (how many), `dry_run`",
    uses=Uses.STORE,
)
