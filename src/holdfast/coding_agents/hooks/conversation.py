"""What a hook does at an event: the plan is recorded, work is counted, and the model is told what it cannot see."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...attention.policies import Policy, Turn
from ...attention.reminders import next_reminder, stop_verdict
from ...plan import Plan
from ...stores.store import Key, Store
from . import counts as totals
from .counts import Counts
from .event import JSON, Event, Kind
from .harnesses import Harness

if TYPE_CHECKING:
    from ...board import Board

MOST_HOLDS = 10
"""How often the stop gate may hold a model between two words of the user, whatever progress it makes."""


class Conversation:
    """One agent's side of a conversation, for one event of it: a plan, its counts, and what to say by a policy.

    `report` is told what could not be done.
    """

    def __init__(self, harness: Harness, store: Store, key: Key, policy: Policy, report: Callable[[str], None]) -> None:
        self._harness = harness
        self._store = store
        self._key = key
        self._policy = policy
        self._report = report
        self._counts = Counts()

    def answer(self, event: Event) -> JSON | None:
        """The answer to an event, if there is anything to say. Raises StoreError if the store cannot be used."""
        if event.kind is Kind.TOOL and event.tool in (*self._harness.lists, *self._harness.tasks):
            return self._recorded(event)
        plan = self._store.load(self._key)
        if event.is_ours or (plan.revision == 0 and not self._policy.plan_first):
            return None  # where there was never a plan there is nothing to count for or to say, and no file is made
        self._counts = self._load()
        match event.kind:
            case Kind.STOP:
                return self._stopping(event, plan)
            case Kind.COMPACTED:
                self._keep(self._counts._replace(unseen=1))
                return None
            case Kind.START:
                return self._said(event, plan, self._counts._replace(unseen=1))
            case Kind.PROMPT:
                return self._said(event, plan, self._counts._replace(held=0, held_at=0, holds=0))
            case Kind.FAILURE:
                return self._said(event, plan, self._counts._replace(failed=self._counts.failed + 1))
        if self._harness.is_own(event.tool) or event.tool in self._harness.reads:
            return None
        return self._said(event, plan, self._counts._replace(work=self._counts.work + 1, failed=0))

    def _recorded(self, event: Event) -> JSON | None:
        from .recorder import record

        self._counts = self._load()
        made = record(self._board(), event, self._harness, self._policy.rules, self._counts.work)
        if made.trouble:
            self._report(f"{event.tool} was not recorded: {made.trouble}")
            return None
        if made.refusal:
            return self._harness.context(event.name, self._counted(f"<reminder>{made.refusal}</reminder>"))
        if made.after.revision != made.before.revision:
            self._keep(self._counts._replace(work=0, failed=0, unseen=0))
        if not (made.before.edits and self._policy.tells_edits):
            return None
        news = next_reminder(made.after._replace(edits=made.before.edits), Turn(), self._policy)
        return None if news is None else self._harness.context(event.name, self._counted(news.text))

    def _said(self, event: Event, plan: Plan, counts: Counts) -> JSON | None:
        """What the model should read now. News is told once."""
        turn = Turn(worked=counts.work, failed=counts.failed, sees_plan=not counts.unseen)
        reminder = next_reminder(plan, turn, self._policy)
        if event.kind is Kind.START or (reminder is not None and reminder.keep):
            counts = counts._replace(unseen=0)
        self._keep(counts)
        if reminder is None:
            return None
        if reminder.keep:
            self._board().mark_edits_told(plan)
        return self._harness.context(event.name, self._counted(reminder.text))

    def _stopping(self, event: Event, plan: Plan) -> JSON | None:
        """The gate: held is who has work left, made progress since it was last held, and waits for nobody."""
        counts = self._counts
        has_moved = counts.held_at > 0 and self._has_moved(counts.held_at)
        if (event.goes_on and not has_moved) or counts.holds >= MOST_HOLDS:
            return None
        held = 0 if has_moved else counts.held
        plan = plan._replace(edits=())
        turn = Turn(stopping=True, held=held, asked_user=event.asks_user, subagents=event.subagents)
        if stop_verdict(plan, turn, self._policy) is not None:
            return None
        reminder = next_reminder(plan, turn, self._policy)
        if reminder is None:
            return None
        self._keep(counts._replace(held=held + 1, held_at=plan.revision, holds=counts.holds + 1))
        return self._harness.refused(self._counted(reminder.text))

    def _has_moved(self, since: int) -> bool:
        """Whether a todo came, went or changed its status after a revision."""
        for record in self._store.history(self._key):
            if record.change.after.revision <= since:
                return False
            if record.change.is_progress:
                return True
        return False

    def _board(self) -> "Board":
        from ...board import Board  # most events do without

        return Board(store=self._store, session=self._key.session, agent=self._key.agent)

    def _load(self) -> Counts:
        return totals.load(self._store, self._key)

    def _keep(self, counts: Counts) -> None:
        totals.keep(self._store, self._key, self._counts, counts)

    def _counted(self, text: str) -> str:
        from ...board.tokens import estimate

        self._store.tally(self._key, {"tokens.reminders": estimate(text)})
        return text
