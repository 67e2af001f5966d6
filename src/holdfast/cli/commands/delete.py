"""The command `delete`: a plan is gone, with its history."""

import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ...board import Board
from ...plan import Plan
from ...stores import Key, Store, StoredPlan
from ...terminal.durations import age
from ...text import counted
from ..command import Argument, Command, Example, Exit, positive_number
from ..invocation import DAY, CommandError, Invocation
from ..person_edit import edited_plan
from ..question import YES, confirm
from .archive import in_threads, old_boards


def run(call: Invocation) -> int:
    """Delete plans, after a question: the one that is named, or all plans without a change for some days."""
    now, is_dry = time.time(), call.flag("dry_run")
    chosen = [_Chosen(key, plan.revision, _line(key, plan, now)) for key, plan in _boards(call, now)]
    if chosen and not is_dry:
        what = chosen[0].line if len(chosen) == 1 else counted(len(chosen), "plan")
        confirm(call, f"this deletes {what}, with all history, for good")
        for _ in in_threads(call.store, partial(_delete, call.store), chosen):
            pass
    if call.wants_json:
        call.screen.print_json([each.key._asdict() for each in chosen])
        return Exit.OK
    call.screen.print_text(*(f"{'Would delete' if is_dry else 'Deleted'} {each.line}" for each in chosen))
    call.screen.print_text(counted(len(chosen), "plan"))
    return Exit.OK


class _Chosen(NamedTuple):
    """A plan to delete: as few of it as is needed, since there may be many."""

    key: Key
    revision: int
    line: str


def _delete(store: Store, chosen: _Chosen) -> None:
    edited_plan(Board.for_person(store, *chosen.key).delete(expected_revision=chosen.revision))


def _line(key: Key, plan: Plan, now: float) -> str:
    return f"{key.session} / {key.agent}, {counted(len(plan.todos), 'todo')}, changed {age(now - plan.updated_at)}"


def _boards(call: Invocation, now: float) -> Iterator[StoredPlan]:
    days = call.number("older_than")
    if days is not None:
        return old_boards(call, now - days * DAY, archived=True)
    if call.known_session is None:
        raise CommandError("delete: name a plan with --session NAME, or give --older-than DAYS")
    key = call.known_key
    return iter([StoredPlan(key, call.store.load(key))])


COMMAND = Command(
    "delete",
    "Delete plans with their whole history, for good. To put them out of sight and keep them, `archive` them.",
    run,
    (
        Argument("--older-than", "all plans without a change for this many days", "DAYS", of=positive_number),
        Argument("--dry-run", "show what would be deleted, and delete nothing"),
        YES,
    ),
    (
        Example("holdfast delete --session 3f2a", "one plan, after a question"),
        Example("holdfast delete --older-than 365 --dry-run", "what a clean-up would delete"),
    ),
    "a list, each with `session`, `agent`",
)
