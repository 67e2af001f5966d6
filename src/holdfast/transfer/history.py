"""A board with its whole history: read from one store, written to another, and checked there."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import StoreError, UsageError
from ..plan import Change, Plan
from ..stores import Key, Store, codec
from ..stores.store import CommitsMany

IMPORT = "import"
"""The action of a change that leads from a board's own plan to the start of an imported history."""


class History(NamedTuple):
    """One board with all its changes, the oldest first, and the plan before the first of them."""

    key: Key
    start: Plan
    changes: Sequence[Change]

    @property
    def checksum(self) -> str:
        """A digest of every change: the plan it led to, who made it, and how."""
        digest = hashlib.sha256(codec.plan_to_json(self.start).encode())
        for change in self.changes:
            how = f"\n{change.by} {change.action} {change.undoes} "
            digest.update((how + codec.plan_to_json(change.after)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def read_history(store: Store, key: Key, plan: Plan) -> History:
    """A board's history in a store. `plan` is its current plan, for a board without any changes left."""
    changes = [record.change for record in store.history(key)][::-1]
    return History(key, changes[0].before if changes else plan, changes)


def write_history(store: Store, history: History, overwrite: bool = False) -> int:
    """Write those changes of a history to a store that it does not have yet. Returns how many.

    Raises UsageError if the board is there with another history, unless with `overwrite`; StoreError if a change cannot
    be stored, or if somebody else wrote at the same time.
    """
    new = missing_changes(store, history, overwrite)
    if isinstance(store, CommitsMany):
        store.commit_many(history.key, new)
    else:
        for change in new:
            store.commit(history.key, change)
    if new and not _has_arrived(store, history, overwrite):
        raise StoreError(f"{board_label(history.key)} did not arrive as it was sent: somebody else wrote; run it again")
    return len(new)


def missing_changes(store: Store, history: History, overwrite: bool = False) -> Sequence[Change]:
    """The changes of a history that a store does not have yet. Raises UsageError if it has another history."""
    there = [record.change for record in store.history(history.key)][::-1]
    imports = [at for at, change in enumerate(there) if change.action == IMPORT]
    for at in {0, *imports[-1:]}:
        wanted = _rebased(there[at].before if there else Plan(), history)
        mine = there[at:]
        agree = mine[: len(wanted)] == wanted[: len(mine)]
        if agree and (len(mine) <= len(wanted) or not overwrite):
            return wanted[len(mine) :]
    if not overwrite:
        raise UsageError(
            f"{board_label(history.key)} is already there, with another history; overwrite it, or leave it"
        )
    return _rebased(there[-1].after, history)


def _has_arrived(store: Store, history: History, overwrite: bool) -> bool:
    try:
        return not missing_changes(store, history, overwrite)
    except UsageError:
        return False


def board_label(key: Key) -> str:
    """A board's name, for people."""
    return f"session {key.session!r}, agent {key.agent!r}"


def _rebased(plan: Plan, history: History) -> Sequence[Change]:
    """A board's changes, starting from a plan: unchanged if they start there, else renumbered."""
    if plan == history.start:
        return history.changes
    later = max(0, plan.revision + 1 - history.start.revision)
    further = max(0, plan.number + 1 - history.start.number) if plan.revision else 0

    def raised(other: Plan) -> Plan:
        return other._replace(revision=other.revision + later, number=other.number + further)

    opening = Change(plan, raised(history.start), "host", IMPORT)
    return [opening] + [
        change._replace(
            before=raised(change.before), after=raised(change.after), undoes=change.undoes and change.undoes + later
        )
        for change in history.changes
    ]
