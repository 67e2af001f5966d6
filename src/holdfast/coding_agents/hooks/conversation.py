"""What a hook does at an event: it records the plan, counts work, and tells the model what it cannot see."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ...attention.policies import Policy
from ...attention.reminders import Kind, next_reminder, recap, stop_verdict
from ...attention.state import Turn
from ...errors import StoreError
from ...plan import About, Plan
from ...plan.work import counted_work
from ...stores.store import Key, Store
from .event import JSON, HookEvent, HookMoment, Locked, is_locked
from .harnesses import MAIN, Harness

if TYPE_CHECKING:
    from ...board import Board

PREFIX = "hook."
"""How the names of our totals begin."""

MOST_HOLDS = 10
"""How often the stop gate may hold a model between two messages of the user, whatever progress it makes."""

WAITS = (
    "The plan waits for the user's approval (`holdfast approve`). Until then only look and correct the plan. Tell the "
    "user, and end your turn."
)
NO_PLAN_YET = "The user wants to see a plan before anything is changed: write it with {} first."


class Counts(NamedTuple):
    """What hooks remember from one process to the next: a few running totals of a board, in its store."""

    work: int = 0
    """Other tools used since the last plan write."""
    failed: int = 0
    """Failed calls of other tools in a row, since the last plan write."""
    unseen: int = 0
    """1 when the model can no longer see its plan."""
    held: int = 0
    """How often the stop gate has held the model in a row, with no todo changing its status."""
    held_at: int = 0
    """The revision of the plan when it was last held."""
    holds: int = 0
    """How often it was held since the last message of the user."""
    waiting: int = 0
    """1 when the model was told that its plan waits for a person, and not yet that it was approved."""
    last_mark: int = 0
    """The mark of the event that was counted last: a process may end after it has counted, and before it answers."""

    @classmethod
    def load(cls, store: Store, key: Key) -> "Counts":
        """The totals as they are now."""
        totals = store.tallies(key)
        return cls(*(totals.get(PREFIX + field, 0) for field in cls._fields))

    def save(self, store: Store, key: Key, before: "Counts") -> None:
        """Change the totals by the difference to those before. What other processes add at the same time stays."""
        changes = {PREFIX + field: self[at] - before[at] for at, field in enumerate(self._fields)}
        changes = {name: change for name, change in changes.items() if change}
        if changes:
            store.tally(key, changes)


class ConversationTerms(NamedTuple):
    """How a conversation is kept on its plan: the policy, and whether a first plan waits for a person."""

    policy: Policy
    review: bool = False
    about: Callable[[], About] = About


class HookConversation:
    """One agent's conversation, for one event: its plan, its counts, and what to say under a policy.

    `report` is called with what could not be done.
    """

    def __init__(
        self, harness: Harness, store: Store, key: Key, terms: ConversationTerms, report: Callable[[str], None]
    ) -> None:
        self._harness = harness
        self._store = store
        self._key = key
        self._policy = terms.policy
        self._terms = terms
        self._report = report
        self._counts = Counts()

    def answer(self, event: HookEvent) -> JSON | None:
        """The answer to an event, if there is anything to say. Raises StoreError if the store cannot be used."""
        if self._writes(event):
            return self._record(event)
        if event.kind is HookMoment.END:
            return None
        if event.kind is HookMoment.BEFORE_TOOL:
            return self._review(event) if self._terms.review else None
        plan = self._store.load(self._key)
        if event.is_ours or (plan.revision == 0 and not self._policy.plan_first):
            return None  # without a plan there is nothing to count or to say, and no file is created
        self._counts = Counts.load(self._store, self._key)
        if event.kind is HookMoment.STOP:
            return self._gate(event, plan)
        counts = self._counts_after(event)
        if event.kind is HookMoment.COMPACTED:
            self._save_counts(counts)
        if event.kind is HookMoment.COMPACTED or counts is self._counts:
            return None
        is_counted = event.is_repeated and event.mark == self._counts.last_mark
        return self._remind(event, plan, self._counts if is_counted else counts)

    def answer_late(self, event: HookEvent) -> None:
        """Record or count an event that was put off. What it leads to is said when the next one is answered."""
        if self._writes(event):
            self._record(event)
        elif not event.is_ours:
            self._counts = Counts.load(self._store, self._key)
            self._save_counts(self._counts_after(event))

    def _writes(self, event: HookEvent) -> bool:
        return event.kind is HookMoment.TOOL and event.tool in (*self._harness.lists, *self._harness.tasks)

    def _counts_after(self, event: HookEvent) -> Counts:
        """The counts with this event; the same ones if it does not count."""
        counts = self._counts
        match event.kind:
            case HookMoment.COMPACTED | HookMoment.START:
                return counts._replace(unseen=1)
            case HookMoment.PROMPT:
                return counts._replace(held=0, held_at=0, holds=0)
            case HookMoment.FAILURE:
                return counts._replace(failed=counts.failed + 1, last_mark=event.mark)
            case HookMoment.TOOL if not (self._harness.is_own(event.tool) or event.tool in self._harness.reads):
                return counts._replace(work=counts.work + 1, failed=0, last_mark=event.mark)
        return counts

    def has_plan(self) -> bool:
        """Whether the conversation ever had a plan."""
        return self._store.load(self._key).revision > 0

    def take_over(self, source: Key) -> None:
        """Take over what the model has just written of a plan that was offered to it."""
        from ...board.handover import take_over

        take_over(self._board(), source)

    def say(self, event: HookEvent, text: str) -> JSON:
        """An answer that adds a text to what the model reads next. It is counted."""
        return self._harness.context(event.name, self._count_tokens(text))

    def _record(self, event: HookEvent) -> JSON | None:
        from .recorder import record

        self._counts = Counts.load(self._store, self._key)
        board = self._board()
        recording = record(board, event, self._harness, self._policy.rules, self._counts.work)
        if recording.is_locked:
            raise Locked(recording.trouble)
        if recording.trouble:
            self._report(f"{event.tool} was not recorded: {recording.trouble}")
            return None
        if recording.refusal:
            return self.say(event, f"<reminder>{recording.refusal}</reminder>")
        counts = self._counts
        if recording.after.revision != recording.before.revision:
            counts = counts._replace(work=0, failed=0, unseen=0)
        learns = event.agent == self._key.agent and not recording.after.edits
        words = [self._edit_news(recording.before, recording.after) if learns else ""]
        words.append(f"<reminder>{recording.news}</reminder>" if recording.news and self._policy.tells_edits else "")
        if self._terms.review and board.request_review().plan.awaits_approval and not counts.waiting:
            counts = counts._replace(waiting=1)
            words.append(f"<reminder>{WAITS}</reminder>")
        try:
            self._save_counts(counts)
        except Locked as error:  # the plan is saved: it must not be recorded again
            self._report(f"{event.tool} is recorded, but not counted: {error}")
        text = "\n".join(filter(None, words))
        return self.say(event, text) if text else None

    def _edit_news(self, before: Plan, after: Plan) -> str:
        """What people had changed in the plan that the model has just written."""
        if not (before.edits and self._policy.tells_edits):
            return ""
        news = next_reminder(after._replace(edits=before.edits), Turn(), self._policy)
        return "" if news is None else self._with_missing(news.text, after)

    def _remind(self, event: HookEvent, plan: Plan, counts: Counts) -> JSON | None:
        """What the model should read now. News is given once."""
        turn = Turn(work=counted_work(counts.work, counts.failed), sees_plan=not counts.unseen)
        reminder = next_reminder(plan, turn, self._policy)
        news = reminder if reminder is not None and reminder.keep else None
        if event.kind is HookMoment.START or news is not None:
            counts = counts._replace(unseen=0)
        words = [] if reminder is None else [reminder.text]
        if news is not None:
            words = [self._with_missing(news.text, plan, is_restated=news.kind is Kind.RESUME)]
        if counts.waiting and plan.about.review == "approved":
            counts = counts._replace(waiting=0)
            words.insert(0, f"<reminder>The user approved the plan: go on. {recap(plan)}</reminder>")
        self._save_counts(counts)
        if news is not None:  # not before: if the counts cannot be saved now, it is said later
            self._board().mark_edits_told(plan)
        return self.say(event, "\n".join(words)) if words else None

    def _with_missing(self, text: str, plan: Plan, is_restated: bool = False) -> str:
        """News of a plan, and what the model must create so that its own tools reach it."""
        if not self._harness.tasks or not plan.about.task_ids:
            return text
        from .tasks import missing_tasks

        create = f"with {self._harness.tasks[0]}, one call each, with exactly this text as the subject"
        if is_restated:
            return f"{text}\n<reminder>What your own task list does not have, create again {create}.</reminder>"
        missing = [todo.id for todo in missing_tasks(plan)]
        if not missing:
            return text
        return f"{text}\n<reminder>Not in your own task list: {', '.join(missing)}. Create it {create}.</reminder>"

    def _review(self, event: HookEvent) -> JSON | None:
        """Refuse a tool that changes something, until a person has approved the first plan."""
        if not self._harness.changes(event.tool, event.arguments):
            return None
        key = self._key._replace(agent=MAIN)
        plan = self._store.load(key)
        if plan.about.review == "approved" or (plan.about.review == "" and plan.is_finished):
            return None
        if plan.open and not plan.awaits_approval:
            plan = self._board().request_review().plan
        reason = WAITS if plan.awaits_approval else NO_PLAN_YET.format(self._harness.tool)
        if plan.awaits_approval:
            self._key = key
            self._counts = Counts.load(self._store, self._key)
            self._save_counts(self._counts._replace(waiting=1))
        return self._harness.denied(event.name, f"<reminder>{reason}</reminder>")

    def _gate(self, event: HookEvent, plan: Plan) -> JSON | None:
        """The gate holds a model that has work left, made progress since it was last held, and waits for nobody."""
        counts = self._counts
        has_moved = counts.held_at > 0 and self._has_moved(counts.held_at)
        if plan.awaits_approval or (event.continues and not has_moved) or counts.holds >= MOST_HOLDS:
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

        board = Board(store=self._store, session=self._key.session, agent=self._key.agent)
        board.introduce(self._about(self._store.load(self._key).about))
        return board

    def _about(self, known: About) -> About:
        """What is known of the conversation. When it began, and its first title, stay as they are."""
        about = self._terms.about()
        return about._replace(
            began_at=known.began_at or about.began_at or time.time(), title=known.title or about.title
        )

    def _save_counts(self, counts: Counts) -> None:
        try:
            counts.save(self._store, self._key, self._counts)
        except StoreError as error:
            if is_locked(str(error)):
                raise Locked(str(error)) from error
            raise

    def _count_tokens(self, text: str) -> str:
        from ...board.tokens import estimate

        self._store.tally(self._key, {"tokens.reminders": estimate(text)})
        return text
