"""The command `archive`: hide plans that nobody works on."""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from ...board import Board
from ...stores import Key, Store, StoredPlan
from ...stores.newest import boards_unchanged_since
from ...stores.store import HasThreads
from ...terminal.durations import age
from ...text import counted
from ..command import Argument, Command, Example, Exit, positive_number
from ..invocation import DAY, Invocation
from ..person_edit import edited_plan

AT_ONCE = 200
"""How many plans are given to the threads of a store at a time."""

_T = TypeVar("_T")
_R = TypeVar("_R")


def run(call: Invocation) -> int:
    """Archive the plan that is meant, or all plans without a change for some days."""
    is_dry, now, keys = call.flag("dry_run"), time.time(), list[Key]()
    what = "Would archive" if is_dry else "Archived"

    def put_away(board: StoredPlan) -> StoredPlan:
        if not is_dry:
            edited_plan(Board.for_person(call.store, *board.key).archive())
        return board

    for (session, agent), plan in in_threads(call.store, put_away, _chosen(call, now)):
        keys.append(Key(session, agent))
        if not call.wants_json:
            call.screen.print_text(f"{what} {session} / {agent}, changed {age(now - plan.updated_at)}")
    if call.wants_json:
        call.screen.print_json([key._asdict() for key in keys])
    else:
        call.screen.print_text(f"{counted(len(keys), 'plan')}; any change brings one back")
    return Exit.OK


def in_threads(store: Store, act: Callable[[_T], _R], values: Iterable[_T]) -> Iterator[_R]:
    """What `act` returns for each value. Where a store has threads they work at once, so that commits share a sync."""
    remaining = iter(values)
    while batch := list(islice(remaining, AT_ONCE)):
        yield from store.threads.map(act, batch) if isinstance(store, HasThreads) else map(act, batch)


def _chosen(call: Invocation, now: float) -> Iterator[StoredPlan]:
    days = call.number("older_than")
    if days is None:
        key = call.known_key
        plan = call.store.load(key)
        return iter([StoredPlan(key, plan)] if plan.revision and not plan.is_archived else [])
    return old_boards(call, now - days * DAY, archived=False)


def old_boards(call: Invocation, oldest: float, archived: bool) -> Iterator[StoredPlan]:
    """The plans that nobody changed since a time, of the session that is named, if one is."""
    session = call.known_session
    return (
        board
        for board in boards_unchanged_since(call.store, oldest, archived)
        if session in (None, board.key.session) and (archived or not board.plan.is_archived)
    )


COMMAND = Command(
    "archive",
    "Archive plans: `sessions` and `watch` no longer show them. Nothing is deleted, and any change brings a plan back.",
    run,
    (
        Argument("--older-than", "all plans without a change for this many days", "DAYS", of=positive_number),
        Argument("--dry-run", "show what would be archived, and change nothing"),
    ),
    (
        Example("holdfast archive --session 3f2a", "one plan"),
        Example("holdfast archive --older-than 30 --dry-run", "what a clean-up would archive"),
    ),
    "a list, each with `session`, `agent`",
)
