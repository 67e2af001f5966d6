"""The driver that keeps a model on its plan. Its methods are the moments of a host's loop.

attention = session.attention
while True:
    reminder = attention.before_request()            # ends the next request; kept in the history if it says so
    answer = ask_the_model(messages, reminder)
    for call in answer.calls:                        # the plan's own tool goes to board.write
        result = run(call)
        result += attention.after_tool(call.name, call.arguments, failed=result.failed)
    if not answer.calls and (reminder := attention.before_stop()) is None:
        break
"""

from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

from .. import dialects
from ..dialects import Dialect, Reply
from ..plan import Change, Plan, Status
from ..plan.fault import Fault
from ..plan.work import Work
from . import piggyback
from .coverage import listed_points
from .offers import Offer, next_offer
from .policies import Policy, Turn
from .reminders import Kind, Reminder, next_reminder, stop_verdict

SECOND_WRITE = Fault(
    "", "one plan write a turn: the first was saved, this one was not. Do some work before the next", "second_write"
)


class AttendedBoard(Protocol):
    """What the driver needs of a board."""

    policy: Policy
    dialect: Dialect

    @property
    def plan(self) -> Plan:
        """The plan as it is now."""
        ...

    @property
    def work(self) -> Work:
        """What was done since the last write."""
        ...

    def write_in(self, dialect: Dialect, payload: object, tool: str | None = None) -> Reply:
        """Take the model's call in a dialect."""
        ...

    def record_tool_use(
        self, tool: str, arguments: object = None, failed: bool = False, read_only: bool = False
    ) -> None:
        """Another tool was used."""
        ...

    def mark_edits_told(self, seen: Plan | None = None) -> None:
        """The model knows every edit by a person."""
        ...

    def count_reminder(self, text: str) -> None:
        """A text was given to the model."""
        ...

    def on_change(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call a listener after every change."""
        ...

    def on_write(self, gate: Callable[[], Fault | None]) -> Callable[[], None]:
        """Ask a gate before each write."""
        ...

    def attach(self, detach: Callable[[], None]) -> None:
        """A driver takes over."""
        ...


B = TypeVar("B", bound=AttendedBoard)


class Attention(Generic[B]):
    """Keeps one board's model on its plan, by the board's policy.

    `on_stop` is called with every decision of the stop gate. A board has one driver at a time: a new one replaces the
    last.
    """

    def __init__(self, board: B, *, on_stop: Callable[[str], object] | None = None) -> None:
        board.attach(self.detach)
        self.board = board
        self.policy = board.policy
        self.stop_reason = ""
        """Why the stop gate last let the model stop, or that it held the model."""
        self._on_stop = on_stop
        self._turn = Turn(sees_plan=not board.plan.open)
        self._has_written = self._was_told_to_plan = False
        self._settled = _settled(board.plan)
        self._subscriptions = [board.on_change(self._note_change), board.on_write(self._allow_one_write)]

    def detach(self) -> None:
        """Leave the board: nothing is counted or refused any more."""
        for end in self._subscriptions:
            end()
        self._subscriptions = []

    @property
    def turn(self) -> Turn:
        """What is known of the moment."""
        work = self.board.work
        return self._turn._replace(
            worked=work.calls, looked=work.looks, failed=work.failures, done_by=work.done_by, times=work.times
        )

    def on_user_message(self, text: str = "") -> Reminder | None:
        """The user speaks. What is returned belongs before the text, and stays in the history: mostly nothing.

        The stop gate may hold the model again, and the plan may be out of date.
        """
        opening = self._opening()
        points = len(listed_points(text)) if self.policy.covers else 0
        self._turn = self._turn._replace(
            interrupted=False, asked_user=False, held=0, reminded=0, heard=True, points=points, missing=0
        )
        self._was_told_to_plan = False
        return opening

    def before_request(self) -> Reminder | None:
        """What the next request ends with; None most of the time. A turn begins."""
        if self._was_told_to_plan:  # once is enough
            self._turn = self._turn._replace(heard=False)
        plan = self.board.plan
        reminder = next_reminder(plan, self.turn, self.policy)
        self._was_told_to_plan = reminder is not None and reminder.kind is Kind.FIRST
        turn = self._turn
        self._has_written = False
        self._turn = turn._replace(
            since_write=turn.since_write + 1,
            since_reminder=None if turn.since_reminder is None else turn.since_reminder + 1,
            first=False,
        )
        return self._deliver(reminder, plan)

    def after_tool(
        self, name: str, arguments: Mapping[str, object] | None = None, failed: bool = False, read_only: bool = False
    ) -> str:
        """Another tool than the plan's has run. What is returned is added to its result: mostly nothing.

        An update that came with the call is written: `piggyback` says how it gets there.
        """
        done = ""
        if self.policy.rides and arguments is not None:
            arguments, done = piggyback.unload(arguments)
        self.board.record_tool_use(name, arguments, failed, read_only)
        return self._write_piggyback(done, failed) if done else ""

    def after_compaction(self) -> None:
        """The conversation was cut: the model no longer sees its plan. Also when it begins in the middle of one."""
        self._turn = self._turn._replace(sees_plan=False, forgotten=self.board.work.done_by)

    def before_stop(self) -> Reminder | None:
        """What to say to a model that would end its turn with work left; None to let it stop."""
        turn = self.turn._replace(stopping=True, sees_plan=True)
        plan = self.board.plan._replace(edits=())
        self.stop_reason = stop_verdict(plan, turn, self.policy) or f"held: {len(plan.open)} open"
        if self._on_stop is not None:
            self._on_stop(self.stop_reason)
        reminder = next_reminder(plan, turn, self.policy)
        if reminder is None or reminder.kind is not Kind.STOP:
            return None
        self._turn = self._turn._replace(held=turn.held + 1)
        self.board.count_reminder(reminder.text)
        return reminder

    def interrupted(self) -> None:
        """The user interrupted, or said stop: the model is not held until the user speaks again."""
        self._turn = self._turn._replace(interrupted=True)

    def asked_user(self, is_waiting: bool = True) -> None:
        """The model asked the user something, and waits for the answer; or, if not `is_waiting`, it does not."""
        self._turn = self._turn._replace(asked_user=is_waiting)

    def subagents(self, count: int) -> None:
        """How many subagents are at work. While there are any, the model is not held."""
        self._turn = self._turn._replace(subagents=count)

    def offer(self) -> Offer:
        """What makes sense as the next action, for hosts that can constrain it.

        A write is narrowed to the current item where the dialect can write one todo alone.
        """
        offer = next_offer(self.board.plan, self.turn, self.policy)
        return offer if self.board.dialect.form.partial else offer._replace(schema=None)

    def _opening(self) -> Reminder | None:
        """What stands before the user's first text; only some policies have such a text."""
        if not (self._turn.first and self.policy.first_text):
            return None
        plan = self.board.plan
        reminder = next_reminder(plan, self.turn, self.policy)
        if reminder is None or reminder.text != self.policy.first_text:
            return None
        self._turn = self._turn._replace(first=False)
        return self._deliver(reminder, plan)

    def _deliver(self, reminder: Reminder | None, plan: Plan) -> Reminder | None:
        """Note and count a reminder that goes to the model, and return it."""
        if reminder is None:
            return None
        if reminder.kind in (Kind.EDIT, Kind.RESUME, Kind.STALE):  # each of them states the plan
            self._turn = self._turn._replace(since_reminder=1)
        if reminder.kind is Kind.FIRST:
            self._turn = self._turn._replace(missing=0)  # once is enough
        if reminder.kind is Kind.STALE:
            self._turn = self._turn._replace(reminded=self._turn.reminded + 1)
        if reminder.kind is Kind.RESUME:
            self._turn = self._turn._replace(sees_plan=True, reminded=0)
        if reminder.keep:
            self.board.mark_edits_told(plan)  # later edits still have to be told
        self.board.count_reminder(reminder.text)
        return reminder

    def _write_piggyback(self, id: str, failed: bool) -> str:
        """Write an update that came with another tool's call, and return the answer. A failed call finishes nothing."""
        if failed:
            return f"Item {id} is not marked: this call failed. Try another way."
        dialect = dialects.get("holdfast").with_rules(self.board.dialect.rules)
        reply = self.board.write_in(dialect, {"todos": [{"id": id, "status": "completed"}]})
        return f"{reply.text} Tell the user, and end." if reply.plan.is_finished else reply.text

    def _allow_one_write(self) -> Fault | None:
        """The one place where "one plan write a turn" is decided."""
        only_one = self.policy.one_write and self.board.dialect.states_whole_plan
        return SECOND_WRITE if self._has_written and only_one else None

    def _note_change(self, change: Change) -> None:
        settled = _settled(change.after)
        if not settled <= self._settled:
            self._turn = self._turn._replace(held=0)
        self._settled |= settled
        if change.by == "model":
            self._has_written = True
            missing = max(self._turn.points - len(change.after.todos), 0) if change.after.todos else 0
            self._turn = self._turn._replace(
                since_write=0,
                since_reminder=None,
                reminded=0,
                sees_plan=True,
                heard=False,
                points=0,
                missing=missing,
                forgotten="",
            )


def _settled(plan: Plan) -> set[tuple[int, str]]:
    """The todos that need no more work, or wait for somebody. A new one among them is progress."""
    return {(plan.number, todo.id) for todo in plan.todos if todo.status not in (Status.PENDING, Status.IN_PROGRESS)}
