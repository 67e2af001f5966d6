"""The command `delete`: a plan is gone, with its history."""

import time

from ...board import Board
from ...stores import StoredPlan
from ...stores.damage import readable
from ...terminal.durations import age
from ...text import counted
from ..command import Argument, Command, Example, Exit, positive_number
from ..invocation import CommandError, Invocation
from ..person_edit import edited_plan
from ..question import YES, confirm
from .archive import DAY


def run(call: Invocation) -> int:
    """Delete plans, after a question: the one that is named, or all that nobody changed for so many days."""
    chosen, is_dry, now = _chosen(call), call.flag("dry_run"), time.time()
    lines = [
        f"{session} / {agent}, {counted(len(plan.todos), 'todo')}, changed {age(now - plan.updated_at)}"
        for (session, agent), plan in chosen
    ]
    if chosen and not is_dry:
        what = lines[0] if len(lines) == 1 else counted(len(lines), "plan")
        confirm(call, f"this deletes {what}, with all history, for good")
        for (session, agent), plan in chosen:
            edited_plan(Board.for_person(call.store, session, agent).delete(expected_revision=plan.revision))
    if call.wants_json:
        call.screen.print_json([key._asdict() for key, _ in chosen])
        return Exit.OK
    call.screen.print_text(*(f"{'Would delete' if is_dry else 'Deleted'} {line}" for line in lines))
    call.screen.print_text(counted(len(chosen), "plan"))
    return Exit.OK


def _chosen(call: Invocation) -> list[StoredPlan]:
    days, session = call.number("older_than"), call.known_session
    if days is None and session is None:
        raise CommandError("delete: say which plan: --session NAME, or --older-than DAYS for all that are old")
    if days is None:
        key = call.known_key
        return [StoredPlan(key, call.store.load(key))]
    oldest = time.time() - days * DAY
    return [
        board
        for board in readable(call.boards)
        if board.plan.updated_at < oldest and session in (None, board.key.session)
    ]


COMMAND = Command(
    "delete",
    "Delete plans with their whole history, for good. To put them out of sight and keep them, `archive` them.",
    run,
    (
        Argument("--older-than", "all plans that nobody changed for so many days", "DAYS", of=positive_number),
        Argument("--dry-run", "show what would be deleted, and delete nothing"),
        YES,
    ),
    (
        Example("holdfast delete --session 3f2a", "one plan, after a question"),
        Example("holdfast delete --older-than 365 --dry-run", "what a clean-up would delete"),
    ),
    "a list, each with `session`, `agent`",
)
