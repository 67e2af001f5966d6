"""The small driver that keeps a model on its plan: it counts turns for a host and asks `reminders` what to say.

attention = Attention(board, "quiet")
while True:
    tail = attention.tail()              # ends the next request; kept in the history only if attention.is_news
    answer = ask_the_model(messages, tail)
    ...                                  # run its tools; tell `board.worked(name)` of each but the plan
    if answer.calls_no_tool and not (tail := attention.hold()):
        break
"""

from collections.abc import Callable

from .. import dialects
from ..board import Board
from ..dialects import Dialect
from ..errors import UsageError
from ..plan import Change, Plan, Status
from ..plan.rules import Fault
from .offers import Offer, next_offer
from .policies import POLICIES, Policy, Turn
from .reminders import Kind, Reminder, next_reminder, stop_verdict

ONE_WRITE = "one plan write a turn: the first was saved, this one was not. Do some work before the next"


def policy_of(policy: str | Policy) -> Policy:
    """The policy of this name, or the one given. Raises UsageError for a name that is none."""
    if not isinstance(policy, str):
        return policy
    if policy not in POLICIES:
        raise UsageError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
    return POLICIES[policy]


def _in_words_of(dialect: Dialect, policy: Policy) -> Policy:
    """A policy that names a dialect's tools, and asks for nothing that the dialect cannot say.

    A todo that cannot be done is to be marked blocked: a dialect that has no word for it is lent one.
    """
    tool = dialect.mark_tool or dialect.tool_name
    mark = policy.mark or (f"{tool} {dialect.mark}" if dialect.mark else "")
    policy = policy._replace(tool=dialect.tool_name, mark=mark)
    statuses = dialect.rules.statuses
    if not policy.gives_up_after or Status.BLOCKED in statuses:
        return policy
    if dialect.form.parse is not None:  # its list is a text, with no mark to lend
        return policy._replace(gives_up_after=0)
    return policy._replace(rules=policy.rules._replace(statuses=(*statuses, Status.BLOCKED)))


def _settled(plan: Plan) -> set[tuple[int, str]]:
    """What needs no more work, or waits for somebody: the more of it, the more progress; it is not made twice."""
    return {(plan.number, todo.id) for todo in plan.todos if todo.status not in (Status.PENDING, Status.IN_PROGRESS)}


class Attention:
    """Keeps one board's model on its plan, by a policy: "off", "quiet", "rail", "mini", or one of a host's own.

    What a host knows and a board cannot is told by `note`. `on_stop` hears of every decision of the stop gate. A board
    has one driver at a time: a new one takes the place of the last.
    """

    def __init__(
        self, board: Board, policy: str | Policy = "quiet", on_stop: Callable[[str], object] | None = None
    ) -> None:
        if board.let_driver_go is not None:
            board.let_driver_go()
        self.board = board
        self.policy = _in_words_of(board.dialect, policy_of(policy))
        self.is_news = False
        self.last_stop = ""
        self._on_stop = on_stop
        self._turn = Turn(sees_plan=not board.plan.open)
        self._written = self._told_to_plan = False
        self._settled = _settled(board.plan)
        self._own_dialect, board.dialect = board.dialect, board.dialect.under(self.policy.rules)
        board.gates.append(self._one_write_a_turn)
        self._hear_no_more = board.on_change(self._changed)
        board.let_driver_go = self.close

    def close(self) -> None:
        """Let the board go: it is as it was before, with its own rules."""
        self.board.dialect = self._own_dialect
        self.board.gates.remove(self._one_write_a_turn)
        self._hear_no_more()
        self.board.let_driver_go = None

    @property
    def turn(self) -> Turn:
        """What is known of the moment."""
        return self._turn._replace(worked=self.board.work, looked=self.board.looks, failed=self.board.failures)

    def note(
        self,
        *,
        sees_plan: bool | None = None,
        interrupted: bool | None = None,
        asked_user: bool | None = None,
        subagents: int | None = None,
    ) -> None:
        """Tell what happened: the context was compacted, the user broke in, the model asked something."""
        turn = self._turn
        self._turn = turn._replace(
            sees_plan=turn.sees_plan if sees_plan is None else sees_plan,
            interrupted=turn.interrupted if interrupted is None else interrupted,
            asked_user=turn.asked_user if asked_user is None else asked_user,
            subagents=turn.subagents if subagents is None else subagents,
        )

    def heard_user(self) -> None:
        """The user spoke: what held the gate back is over, the model may be held again, the plan may be out of date."""
        self._turn = self._turn._replace(interrupted=False, asked_user=False, held=0, reminded=0, heard=True)
        self._told_to_plan = False

    def opening(self) -> str:
        """What stands before the user's first text and stays in the history; empty but for policies that say so."""
        plan = self.board.plan
        reminder = next_reminder(plan, self.turn, self.policy)
        if reminder is None or reminder.text != self.policy.first_text:
            return ""
        self._turn = self._turn._replace(first=False)
        return self._said(reminder, plan)

    def tail(self) -> str:
        """What the next request ends with, empty most of the time. A turn begins.

        `is_news` says whether to keep it in the history: it tells what the model must see later, too.
        """
        if self._told_to_plan:  # once is enough
            self._turn = self._turn._replace(heard=False)
        plan = self.board.plan
        reminder = next_reminder(plan, self.turn, self.policy)
        self._told_to_plan = reminder is not None and reminder.kind is Kind.FIRST
        self.is_news = reminder is not None and reminder.is_news
        turn = self._turn
        self._written = False
        self._turn = turn._replace(
            since_write=turn.since_write + 1,
            since_reminder=None if turn.since_reminder is None else turn.since_reminder + 1,
            first=False,
        )
        return self._said(reminder, plan)

    def next(self) -> Reminder | None:
        """What the next request would end with, with no turn begun."""
        return next_reminder(self.board.plan, self.turn, self.policy)

    def hold(self) -> str:
        """What to say to a model that would end its turn with work left; empty to let it go.

        `last_stop` says why it was let go, or that it was held.
        """
        turn = self.turn._replace(stopping=True, sees_plan=True)
        plan = self.board.plan._replace(edits=())
        self.last_stop = stop_verdict(plan, turn, self.policy) or f"held: {len(plan.open)} open"
        if self._on_stop is not None:
            self._on_stop(self.last_stop)
        reminder = next_reminder(plan, turn, self.policy)
        if reminder is None or reminder.kind is not Kind.STOP:
            return ""
        self._turn = self._turn._replace(held=turn.held + 1)
        return self._counted(reminder.text)

    def ride(self, id: str, failed: bool = False) -> str:
        """Take an update that rode on another tool's call, once that has run: the call finished a todo.

        The reply goes with the tool's result. A call that failed finishes nothing.
        """
        if failed:
            return f"Item {id} is not marked: this call failed. Try another way."
        dialect = dialects.get("holdfast").under(self.board.dialect.rules)
        reply = self.board.write({"todos": [{"id": id, "status": "completed"}]}, dialect)
        return f"{reply.text} Tell the user, and end." if reply.plan.is_finished else reply.text

    def offer(self) -> Offer:
        """What makes sense as the next action, for hosts that can constrain it.

        A write is narrowed to the current item where the dialect can speak of one todo alone.
        """
        offer = next_offer(self.board.plan, self.turn, self.policy)
        return offer if self.board.dialect.form.partial else offer._replace(schema=None)

    def _said(self, reminder: Reminder | None, plan: Plan) -> str:
        if reminder is None:
            return ""
        if reminder.kind in (Kind.EDIT, Kind.RESUME, Kind.STALE):  # each of them states the plan
            self._turn = self._turn._replace(since_reminder=1)
        if reminder.kind is Kind.STALE:
            self._turn = self._turn._replace(reminded=self._turn.reminded + 1)
        if reminder.kind is Kind.RESUME:
            self._turn = self._turn._replace(sees_plan=True, reminded=0)
        if reminder.is_news:
            self.board.told(plan)  # what a person does from here on is still to be told
        return self._counted(reminder.text)

    def _counted(self, text: str) -> str:
        if self.board.counter is not None:
            self.board.store.tally(self.board.key, {"tokens.reminders": self.board.counter(text)})
        return text

    def _one_write_a_turn(self) -> Fault | None:
        only_one = self.policy.one_write and self.board.dialect.one_a_turn
        return Fault("", ONE_WRITE, "second_write") if self._written and only_one else None

    def _changed(self, change: Change) -> None:
        settled = _settled(change.after)
        if not settled <= self._settled:
            self._turn = self._turn._replace(held=0)
        self._settled |= settled
        if change.by == "model":
            self._written = True
            self._turn = self._turn._replace(
                since_write=0, since_reminder=None, reminded=0, sees_plan=True, heard=False
            )
