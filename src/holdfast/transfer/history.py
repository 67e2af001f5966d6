"""A board with its whole history: taken out of one store, put into another, and seen to have arrived."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import StoreError, UsageError
from ..plan import Change, Plan
from ..stores import Key, Store, codec
from ..stores.store import KeepsMany

IMPORT = "import"
"""The action of a change that leads from what a board had to where an imported history starts."""


class History(NamedTuple):
    """One board with all that is known of it, the oldest change first, and the plan before that one."""

    key: Key
    start: Plan
    changes: Sequence[Change]

    @property
    def checksum(self) -> str:
        """A digest of every change: the plan it led to, who made it, and how."""
        digest = hashlib.sha256(codec.plan_to_json(self.start).encode())
        for _, after, by, action, undoes in self.changes:
            digest.update(f"\n{by} {action} {undoes} {codec.plan_to_json(after)}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def taken(store: Store, key: Key, plan: Plan) -> History:
    """A board's history as a store has it. `plan` is the board's own, for one whose history is gone."""
    changes = [record.change for record in store.history(key)][::-1]
    return History(key, changes[0].before if changes else plan, changes)


def put(store: Store, history: History, overwrite: bool = False) -> int:
    """Put a history into a store, as far as it is not there yet; how many changes that were.

    Raises UsageError if the board is there with another history, unless that is to be built upon; StoreError if it
    cannot be kept, or if somebody else wrote meanwhile.
    """
    new = missing(store, history, overwrite)
    if isinstance(store, KeepsMany):
        store.commit_all(history.key, new)
    else:
        for change in new:
            store.commit(history.key, change)
    if new and not _is_there(store, history, overwrite):
        raise StoreError(f"{named(history.key)} did not arrive as it was sent: somebody else wrote; do it again")
    return len(new)


def missing(store: Store, history: History, overwrite: bool = False) -> Sequence[Change]:
    """The changes that a store still needs to have all of a history. Raises UsageError if it has another one."""
    there = [record.change for record in store.history(history.key)][::-1]
    imports = [at for at, change in enumerate(there) if change.action == IMPORT]
    for at in {0, *imports[-1:]}:
        wanted = _following(there[at].before if there else Plan(), history)
        mine = there[at:]
        agree = mine[: len(wanted)] == wanted[: len(mine)]
        if agree and (len(mine) <= len(wanted) or not overwrite):
            return wanted[len(mine) :]
    if not overwrite:
        raise UsageError(f"{named(history.key)} is already there, with another history; overwrite it, or leave it")
    return _following(there[-1].after, history)


def _is_there(store: Store, history: History, overwrite: bool) -> bool:
    try:
        return not missing(store, history, overwrite)
    except UsageError:
        return False


def named(key: Key) -> str:
    """A board, for people."""
    return f"session {key.session!r}, agent {key.agent!r}"


def _following(plan: Plan, history: History) -> Sequence[Change]:
    """A board's changes as they follow upon a plan: the very same ones if they start there."""
    if plan == history.start:
        return history.changes
    later = max(0, plan.revision + 1 - history.start.revision)
    further = max(0, plan.number + 1 - history.start.number) if plan.revision else 0

    def moved(other: Plan) -> Plan:
        return other._replace(revision=other.revision + later, number=other.number + further)

    opening = Change(plan, moved(history.start), "host", IMPORT)
    return [opening] + [
        change._replace(
            before=moved(change.before),
            after=moved(change.after),
            undoes=change.undoes and change.undoes + later,
        )
        for change in history.changes
    ]
