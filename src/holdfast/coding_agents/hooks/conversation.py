"""What a hook does at an event: it records the plan, counts work, and tells the model what it cannot see."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...attention.policies import Policy, Turn
from ...attention.reminders import next_reminder, stop_verdict
from ...plan import Plan
from ...plan.work import counted_work
from ...stores.store import Key, Store
from . import counts as totals
from .counts import Counts
from .event import JSON, HookEvent, HookMoment
from .harnesses import Harness

if TYPE_CHECKING:
    from ...board import Board

MOST_HOLDS = 10
"""How often the stop gate may hold a model between two messages of the user, whatever progress it makes."""


class HookConversation:
    """One agent's conversation, for one event: its plan, its counts, and what to say under a policy.

    `report` is called with what could not be done.
    """

    def __init__(self, harness: Harness, store: Store, key: Key, policy: Policy, report: Callable[[str], None]) -> None:
        self._harness = harness
        self._store = store
        self._key = key
        self._policy = policy
        self._report = report
        self._counts = Counts()

    def answer(self, event: HookEvent) -> JSON | None:
        """The answer to an event, if there is anything to say. Raises StoreError if the store cannot be used."""
        if event.kind is HookMoment.TOOL and event.tool in (*self._harness.lists, *self._harness.tasks):
            return self._record(event)
        plan = self._store.load(self._key)
        if event.is_ours or (plan.revision == 0 and not self._policy.plan_first):
            return None  # without a plan there is nothing to count or to say, and no file is created
        self._counts = self._load_counts()
        match event.kind:
            case HookMoment.STOP:
                return self._gate(event, plan)
            case HookMoment.COMPACTED:
                self._save_counts(self._counts._replace(unseen=1))
                return None
            case HookMoment.START:
                return self._remind(event, plan, self._counts._replace(unseen=1))
            case HookMoment.PROMPT:
                return self._remind(event, plan, self._counts._replace(held=0, held_at=0, holds=0))
            case HookMoment.FAILURE:
                return self._remind(event, plan, self._counts._replace(failed=self._counts.failed + 1))
        if self._harness.is_own(event.tool) or event.tool in self._harness.reads:
            return None
        return self._remind(event, plan, self._counts._replace(work=self._counts.work + 1, failed=0))

    def _record(self, event: HookEvent) -> JSON | None:
        from .recorder import record

        self._counts = self._load_counts()
        recording = record(self._board(), event, self._harness, self._policy.rules, self._counts.work)
        if recording.trouble:
            self._report(f"{event.tool} was not recorded: {recording.trouble}")
            return None
        if recording.refusal:
            return self._harness.context(event.name, self._count_tokens(f"<reminder>{recording.refusal}</reminder>"))
        if recording.after.revision != recording.before.revision:
            self._save_counts(self._counts._replace(work=0, failed=0, unseen=0))
        if not (recording.before.edits and self._policy.tells_edits):
            return None
        news = next_reminder(recording.after._replace(edits=recording.before.edits), Turn(), self._policy)
        return None if news is None else self._harness.context(event.name, self._count_tokens(news.text))

    def _remind(self, event: HookEvent, plan: Plan, counts: Counts) -> JSON | None:
        """What the model should read now. News is given once."""
        turn = Turn(work=counted_work(counts.work, counts.failed), sees_plan=not counts.unseen)
        reminder = next_reminder(plan, turn, self._policy)
        if event.kind is HookMoment.START or (reminder is not None and reminder.keep):
            counts = counts._replace(unseen=0)
        self._save_counts(counts)
        if reminder is None:
            return None
        if reminder.keep:
            self._board().mark_edits_told(plan)
        return self._harness.context(event.name, self._count_tokens(reminder.text))

    def _gate(self, event: HookEvent, plan: Plan) -> JSON | None:
        """The gate holds a model that has work left, made progress since it was last held, and waits for nobody."""
        counts = self._counts
        has_moved = counts.held_at > 0 and self._has_moved(counts.held_at)
        if (event.continues and not has_moved) or counts.holds >= MOST_HOLDS:
            return None
        held = 0 if has_moved else counts.held
        plan = plan._replace(edits=())
        turn = Turn(stopping=True, held=held, asked_user=event.asks_user, subagents=event.subagents)
        if stop_verdict(plan, turn, self._policy) is not None:
            return None
        reminder = next_reminder(plan, turn, self._policy)
        if reminder is None:
            return None
        self._save_counts(counts._replace(held=held + 1, held_at=plan.revision, holds=counts.holds + 1))
        return self._harness.refused(self._count_tokens(reminder.text))

    def _has_moved(self, since: int) -> bool:
        """Whether a todo came, went or changed its status after a revision."""
        for record in self._store.history(self._key):
            if record.change.after.revision <= since:
                return False
            if record.change.is_progress:
                return True
        return False

    def _board(self) -> "Board":
        from ...board import Board  # most events do not need it

        return Board(store=self._store, session=self._key.session, agent=self._key.agent)

    def _load_counts(self) -> Counts:
        return totals.load(self._store, self._key)

    def _save_counts(self, counts: Counts) -> None:
        totals.save(self._store, self._key, self._counts, counts)

    def _count_tokens(self, text: str) -> str:
        from ...board.tokens import estimate

        self._store.tally(self._key, {"tokens.reminders": estimate(text)})
        return text
