"""The command `archive`: plans that nobody works on are put away."""

import time

from ...board import Board
from ...stores import StoredPlan
from ...stores.damage import readable
from ...terminal.durations import age
from ...text import counted
from ..command import Argument, Command, Example, Exit, positive_number
from ..invocation import Invocation
from ..person_edit import edited_plan

DAY = 86_400.0


def run(call: Invocation) -> int:
    """Put plans away: the one that is meant, or all that were not changed for so many days."""
    chosen, is_dry, now = _chosen(call), call.flag("dry_run"), time.time()
    if not is_dry:
        for (session, agent), _ in chosen:
            edited_plan(Board.for_person(call.store, session, agent).archive())
    if call.wants_json:
        call.screen.print_json([key._asdict() for key, _ in chosen])
        return Exit.OK
    what = "Would put away" if is_dry else "Put away"
    for (session, agent), plan in chosen:
        call.screen.print_text(f"{what} {session} / {agent}, changed {age(now - plan.updated_at)}")
    call.screen.print_text(f"{counted(len(chosen), 'plan')}; any change brings one back")
    return Exit.OK


def _chosen(call: Invocation) -> list[StoredPlan]:
    days = call.number("older_than")
    if days is None:
        key = call.known_key
        plan = call.store.load(key)
        return [StoredPlan(key, plan)] if plan.revision and not plan.is_archived else []
    oldest, session = time.time() - days * DAY, call.known_session
    return [
        board
        for board in readable(call.boards)
        if board.plan.updated_at < oldest and not board.plan.is_archived and session in (None, board.key.session)
    ]


COMMAND = Command(
    "archive",
    "Put plans away: `sessions` and `watch` leave them out. Nothing is deleted, and any change brings a plan back.",
    run,
    (
        Argument("--older-than", "all plans that nobody changed for so many days", "DAYS", of=positive_number),
        Argument("--dry-run", "show what would be put away, and change nothing"),
    ),
    (
        Example("holdfast archive --session 3f2a", "one plan"),
        Example("holdfast archive --older-than 30 --dry-run", "what a clean-up would put away"),
    ),
    "a list, each with `session`, `agent`",
)
