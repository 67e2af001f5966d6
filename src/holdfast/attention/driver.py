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

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from .. import dialects
from ..errors import StoreError
from ..plan import Change, Plan, Status, Todo
from ..plan.fault import Fault
from ..plan.goals import names_for
from ..plan.todo import succeeded_keys
from ..plan.work import NO_WORK, ToolUse, Work
from . import piggyback
from .adoption import adopt, catch_up, only_claims
from .attended import AttendedBoard
from .completion import complete_shown, mark_instead, to_be_marked
from .coverage import Message, read_message
from .offers import Offer, next_offer
from .reminders import Kind, Reminder, end_now, next_reminder, stop_verdict
from .state import State, Turn, source_files, work_on

MOST_VAIN_WRITES = 3
"""How many plan writes in a row may finish nothing: no strong model makes more of them, in whatever host."""

SECOND_WRITE = Fault(
    "", "one plan write a turn: the first was saved, this one was not. Do some work before the next", "second_write"
)

MOST_ASKED = 3
"""How often a model is asked about the names in a todo, if it has mentioned none of them. Otherwise once."""

MOST_CALLS = 50
"""How many calls since the user spoke are remembered, for a model that is put on the rails later."""

MARKED_FIRST = 3
"""How many todos a model must have marked in calls of their own before its updates may ride."""


B = TypeVar("B", bound=AttendedBoard)


class Attention(Generic[B]):
    """Keeps one board's model on its plan, by the board's policy.

    `on_stop` is called with every decision of the stop gate. A board has one driver at a time: a new one replaces the
    last. No moment raises because of the store: while it cannot be used, nothing is said.
    """

    def __init__(self, board: B, *, on_stop: Callable[[str], object] | None = None) -> None:
        board.attach(self.detach)
        self.board = board
        self.policy = board.policy
        self.stop_reason = ""
        """Why the stop gate last let the model stop, or that it held the model."""
        self._on_stop = on_stop
        plan = _readable_plan(board)
        self._turn = Turn(sees_plan=plan is not None and not plan.open)  # an unread plan is shown when it can be read
        self._has_written = self._was_told_to_plan = False
        self._completed = ""
        self._told_to_mark: tuple[str, State] | None = None
        self._settled = set() if plan is None else _settled(plan)
        self._tools: dict[str, bool] = {}
        self._shells: set[str] = set()
        self._takes_updates = False
        self._had_to_ask = False
        self._out_of_sight = NO_WORK
        self._message = Message()
        self._calls: list[str] = []
        self._in_trouble = False
        self.constrains = False
        """Whether the host holds the model to `offer`: it may say so before it calls that for the first time.

        A model that writes its plan when no write was offered shows that it is not held: some servers ignore a schema.
        """
        self._offers_write = True
        self._was_ignored = False
        self._asking = ""
        self._asked: Counter[str] = Counter()
        self._retried: set[str] = set()
        self._subscriptions = [board.on_change(self._note_change), board.on_write(self._allow_one_write)]

    def detach(self) -> None:
        """Leave the board: nothing is counted or refused any more."""
        for end in self._subscriptions:
            end()
        self._subscriptions = []

    @property
    def turn(self) -> Turn:
        """What is known of the moment."""
        plan, running = self.board.plan, self.board.work
        retry = self._to_retry(plan)
        work = work_on(plan, running, retry)
        todo = plan.next or plan.get(retry)
        return self._turn._replace(
            work=work,
            out_of_sight=len(self._out_of_sight.uses) if work.todo == self._out_of_sight.todo else 0,
            done_elsewhere=succeeded_keys(plan.todos, work.todo),
            idle=bool(plan.todos) and not running.uses and not self._turn.heard,
            unmentioned=self._unmentioned(plan, todo, work),
            rides=self.rides,
            can_look=any(self._tools.values()),
            in_shell=self._only_shell or (work.last is not None and work.last.tool in self._shells),
            only_shell=self._only_shell,
            tool=self._best_tool(plan.next),
            constrained=self.constrains,
            retry=retry,
        )

    @property
    def _only_shell(self) -> bool:
        return bool(self._shells) and self._shells == self._tools.keys()

    def _best_tool(self, todo: Todo | None) -> str:
        """The shell, where it can do what a todo asks: small models take other tools for everything.

        Source code is better changed by other tools. Where the host constrains, they are also offered when the todo is
        tried once more at the end; elsewhere words that name no tool make a small model repeat itself.
        """
        is_source = todo is not None and bool(source_files(todo))
        may_be_wrong = self.constrains and todo is None
        if not self.policy.shell_first or ((is_source or may_be_wrong) and not self._only_shell):
            return ""
        return min(self._shells, default="")

    @property
    def sees_plan(self) -> bool:
        """Whether the model can still see its last plan write."""
        return self._turn.sees_plan

    @property
    def rides(self) -> bool:
        """Whether an update may come with another tool's call.

        If the policy leaves it open, the host must be able to do it, and the model must have shown that it works with
        care: it has marked some todos in calls of their own, and never had to be asked about one. A todo that will be
        completed by itself needs no update.
        """
        if self.policy.rides is not None:
            return self.policy.rides
        todo = self.board.plan.next
        if self.policy.completes and todo is not None and names_for(self.board.plan, todo):
            return False
        return self._takes_updates and not self._had_to_ask and len(self.board.plan.done) >= MARKED_FIRST

    def equip(self, tools: Sequence[Mapping[str, Any]], read_only: Collection[str] = ()) -> list[dict[str, Any]]:
        """The host's own tools, in any wire form, as the model should get them. They never change.

        `read_only` are the names of those that only read. If the policy lets updates ride, each tool has one field
        more: take it off a call with `piggyback.unload` before you run it.
        """
        self.know_tools(tools, read_only)
        self._takes_updates = True
        return [dict(tool) if self.policy.rides is False else piggyback.rideable(tool) for tool in tools]

    def know_tools(self, tools: Sequence[Mapping[str, Any]], read_only: Collection[str] = ()) -> None:
        """Know the host's own tools, in any wire form, where it gives the model other definitions than `equip` returns.

        They may change between two requests. `read_only` are the names of those that only read.
        """
        self._tools = {name: name in read_only for name in map(piggyback.tool_name, tools)}
        self._shells = {piggyback.tool_name(tool) for tool in tools if piggyback.is_shell(tool)}

    def on_user_message(self, text: str = "") -> Reminder | None:
        """The user speaks. What is returned belongs before the text, and stays in the history: mostly nothing.

        The stop gate may hold the model again, and the plan may be out of date. If the text is a list, it may become
        the plan.
        """
        opening = self._opening()
        self._message = message = read_message(text)
        points = message.listed if self.policy.covers else 0
        self._turn = self._turn._replace(
            interrupted=False,
            asked_user=False,
            held=0,
            reminded=0,
            heard=True,
            vain_writes=0,
            cleared=False,
            points=points,
            missing=0,
        )
        self._was_told_to_plan = False
        self._calls = []
        self._in_trouble = False
        if self.policy.adopts and message.plan:
            with _outage_logged():
                if adopt(self.board, message.plan, message.goal):
                    self._turn = self._turn._replace(heard=False, points=0, since_write=0)
        return opening

    def before_request(self) -> Reminder | None:
        """What the next request ends with; None most of the time. A turn begins."""
        self._has_written = False
        with _outage_logged():
            self._forget_what_is_done()
            return self._reminder_for_request()
        return None

    def _forget_what_is_done(self) -> None:
        """What was done for a todo that is completed counts for no other one, from the next turn on.

        In the same turn it does: one call may have done several todos, and the model then marks the others.
        """
        if self._completed and self.board.work.todo == self._completed:
            self.board.resume_work(NO_WORK)
        self._completed = ""

    def _reminder_for_request(self) -> Reminder | None:
        is_stuck = bool(self._tools) and self._turn.vain_writes > MOST_VAIN_WRITES
        if is_stuck or self._in_trouble:
            self._put_on_rails()
        if self._was_told_to_plan:  # once is enough
            self._turn = self._turn._replace(heard=False)
        plan, turn = self.board.plan, self.turn
        reminder = next_reminder(plan, turn, self.policy)
        self._was_told_to_plan = reminder is not None and reminder.kind is Kind.FIRST
        self._told_to_mark = to_be_marked(plan, turn, self.policy) if reminder is not None else None
        turn = self._turn
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
        said, done = "", ""
        self._offers_write = True  # the offer was for one action
        if self.policy.rides is not False and arguments is not None:
            arguments, done = piggyback.unload(arguments)
        with _outage_logged():
            plan = self.board.plan
            todo = plan.next
            self._note_answer()
            self.board.record_tool_use(name, arguments, failed, read_only, todo=self._to_retry(plan))
            if todo is None:
                self._end_retry()
            last = self.board.work.last
            if last is not None:
                self._note_call(last)
            if done:
                said = self._write_piggyback(done, failed)
            elif todo is not None and self.policy.completes:
                said = self._mark(todo)
        self._turn = self._turn._replace(vain_writes=0)
        return said

    def _note_call(self, call: ToolUse) -> None:
        if call.changes:
            self._calls = [*self._calls, call.label][-MOST_CALLS:]
        if self._is_in_a_loop(call):
            self._put_on_rails()

    def _is_in_a_loop(self, call: ToolUse) -> bool:
        """Whether a model makes the same call again and again.

        Where the host leaves it its tools, it may be a strong model that waits for something: not if the user has
        listed what to do, it has planned none of that, and it was told of the loop.
        """
        if self.constrains:
            return call.times > 2
        has_no_plan = bool(self._message.points) and not self.board.plan.todos
        return call.times > 3 and bool(self._tools) and has_no_plan

    def after_compaction(self) -> None:
        """The conversation was cut: the model no longer sees its plan. Also when it begins in the middle of one."""
        self._turn = self._turn._replace(sees_plan=False)
        with _outage_logged():
            self._out_of_sight = work_on(self.board.plan, self.board.work)

    def before_stop(self) -> Reminder | None:
        """What to say to a model that would end its turn with work left; None to let it stop."""
        with _outage_logged():
            if self.constrains:
                self._put_on_rails()
            return self._verdict(self.board.plan._replace(edits=()))
        return None

    def _verdict(self, plan: Plan) -> Reminder | None:
        turn = self.turn._replace(stopping=True, sees_plan=True)
        self.stop_reason = stop_verdict(plan, turn, self.policy) or f"held: {len(plan.open)} open"
        if self._on_stop is not None:
            self._on_stop(self.stop_reason)
        reminder = next_reminder(plan, turn, self.policy)
        if reminder is None:
            return None
        self._turn = self._turn._replace(held=turn.held + 1)
        with _outage_logged():
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
        self.constrains = self.constrains or not self._was_ignored
        with _outage_logged():
            offer = next_offer(self.board.plan, self.turn, self.policy)._replace(ride=self.rides)
            offer = self._shell_first(offer)
            self._offers_write = offer.write
            if not any(offer.allows(name, read_only) for name, read_only in self._tools.items()):
                offer = offer._replace(look=True, only_look=False, without=frozenset())  # no way is left: any way
            return offer if self.board.dialect.form.partial else offer._replace(schema=None)
        return Offer(write=True, work=True, stop=True)

    def _shell_first(self, offer: Offer) -> Offer:
        """An offer without the tools that a small model takes for everything, if a shell can do what the todo asks."""
        if offer.only_look or not self.turn.tool:
            return offer
        return offer._replace(without=offer.without | (self._tools.keys() - self._shells))

    def _opening(self) -> Reminder | None:
        """What stands before the user's first text; only some policies have such a text."""
        if not (self._turn.first and self.policy.first_text):
            return None
        with _outage_logged():
            plan = self.board.plan
            reminder = next_reminder(plan, self.turn, self.policy)
            if reminder is None or reminder.text != self.policy.first_text:
                return None
            self._turn = self._turn._replace(first=False)
            return self._deliver(reminder, plan)
        return None

    def _deliver(self, reminder: Reminder | None, plan: Plan) -> Reminder | None:
        """Note and count a reminder that goes to the model, and return it."""
        if reminder is None:
            return None
        if reminder.kind in (Kind.EDIT, Kind.RESUME, Kind.STALE):  # each of them states the plan
            self._turn = self._turn._replace(since_reminder=1)
        if reminder.kind is Kind.FIRST:
            self._turn = self._turn._replace(missing=0)  # once is enough
        if reminder.kind is Kind.CURRENT and self.turn.unmentioned:
            self._asking = self.board.work.todo
        if reminder.kind is Kind.STALE:
            self._turn = self._turn._replace(reminded=self._turn.reminded + 1)
        if reminder.kind is Kind.RESUME:
            self._turn = self._turn._replace(sees_plan=True, reminded=0)
        with _outage_logged():
            if reminder.keep:
                self.board.mark_edits_told(plan)  # later edits still have to be told
            self.board.count_reminder(reminder.text)
        return reminder

    def _write_piggyback(self, id: str, failed: bool) -> str:
        """Write an update that came with another tool's call, and return the answer. A failed call finishes nothing."""
        current = self.board.work.todo
        if self.board.plan.get(id) is None and current:
            id = current  # "yes", or a sentence: it can only mean the todo that the call was made for
        if failed:
            return f"Item {id} is not marked: this call failed. Try another way."
        if (names := self.turn.unmentioned) and id == current:
            return f"Item {id} is not marked: {', '.join(names)} is missing."
        dialect = dialects.get("holdfast").with_rules(self.board.dialect.rules)
        reply = self.board.write_in(dialect, {"todos": [{"id": id, "status": "completed"}]})
        return f"{reply.text} {end_now(self.policy)}" if reply.plan.is_finished else reply.text

    def _put_on_rails(self) -> None:
        """From now on, a model that cannot go on by itself gets what small models get.

        What the user has listed is the plan, as far as the model has not written it down. What the calls so far show
        to be done is done.
        """
        if not self.policy.escalates:
            return
        self.policy = self.policy.on_rails(self.board.dialect.rules.statuses)
        catch_up(self.board, self._message.points, self._message.goal, self._calls)
        self._turn = self._turn._replace(heard=False, points=0, missing=0)

    def _unmentioned(self, plan: Plan, todo: Todo | None, work: Work) -> tuple[str, ...]:
        """The names in the current todo that nothing has mentioned, if the model was not asked about them yet.

        It is asked where the current todo is named. Without that it could never answer.
        """
        is_asked = self.policy.asks_names and self.policy.names_current
        if not is_asked or todo is None:
            return ()
        names = names_for(plan, todo)
        missing = work.missing_names(names)
        is_elsewhere = len(missing) == len(names)  # the model works on something else
        if not (work.calls or (is_elsewhere and work.looks)):
            return ()
        return missing if self._asked[todo.id] < (MOST_ASKED if is_elsewhere else 1) else ()

    def _note_answer(self) -> None:
        """The model has answered what it was asked about the names in a todo, whatever it made of that."""
        if self._asking:
            self._asked[self._asking] += 1
            self._had_to_ask = True
            self._asking = ""

    def _mark(self, todo: Todo) -> str:
        """Mark a todo for the model, if its calls decide that. Returns what it should know of it."""
        if said := complete_shown(self.board, todo):
            self._completed = todo.id
            return said
        turn = self.turn
        marked = to_be_marked(self.board.plan, turn, self.policy)
        if marked is None or marked != self._told_to_mark:
            return ""
        return mark_instead(self.board, todo, turn.work, marked[1])

    def _to_retry(self, plan: Plan) -> str:
        """The id of the first blocked todo that was not tried again, if nothing else is left."""
        if not self.policy.retries or plan.next is not None:
            return ""
        return next((todo.id for todo in plan.open if todo.id not in self._retried and plan.is_free(todo)), "")

    def _end_retry(self) -> None:
        """A second try is over when it fails twice."""
        work = self.board.work
        if work.failures > 1:
            self._retried.add(work.todo)

    def _allow_one_write(self) -> Fault | None:
        """The one place where "one plan write a turn" is decided, and where the model's writes are counted."""
        self._turn = self._turn._replace(vain_writes=self._turn.vain_writes + 1)
        if not self._offers_write:
            self.constrains, self._was_ignored = False, True
        only_one = self.policy.one_write and self.board.dialect.states_whole_plan
        return SECOND_WRITE if self._has_written and only_one else None

    def _note_change(self, change: Change) -> None:
        settled = _settled(change.after)
        is_progress = not settled <= self._settled
        if is_progress:
            self._turn = self._turn._replace(held=0)
        self._settled |= settled
        if change.after.number != change.before.number:
            self._forget_todos()
        if change.by == "model":
            self._has_written = True
            missing = max(self._turn.points - len(change.after.todos), 0) if change.after.todos else 0
            self._in_trouble = self._shows_trouble(change)
            is_vain = not is_progress and (change.before.has_open or change.after.todos == change.before.todos)
            self._turn = self._turn._replace(
                vain_writes=self._turn.vain_writes if is_vain else 0,
                cleared=not change.after.todos and (self._turn.cleared or bool(change.before.todos)),
                since_write=0,
                since_reminder=None,
                reminded=0,
                sees_plan=True,
                heard=False,
                points=0,
                missing=missing,
            )

    def _shows_trouble(self, change: Change) -> bool:
        """Whether a model plans less than the user has listed, or marks more than it has worked.

        Where the host leaves it its tools, it may be a strong model, with a call that has done it all.
        """
        before, after = change.before, change.after
        is_hollow = len(after.done) > max(len(self._calls), len(before.done) + 1)
        if self.constrains:
            return is_hollow or 0 < len(after.todos) < len(self._message.plan)
        return is_hollow and bool(self._tools) and only_claims(after, self._message.points, self._calls)

    def _forget_todos(self) -> None:
        """Forget what is remembered by id: in the next plan, the ids are those of other todos."""
        self._asking = ""
        self._asked.clear()
        self._retried.clear()
        self._out_of_sight = NO_WORK


def _readable_plan(board: AttendedBoard) -> Plan | None:
    """The plan as it is now; None while the store cannot be read."""
    with _outage_logged():
        return board.plan
    return None


@contextmanager
def _outage_logged() -> Iterator[None]:
    """An outage of the store is logged, never raised: it must not end the host's loop."""
    try:
        yield
    except StoreError:
        import logging  # only here: it would double the cost of importing Holdfast

        logging.getLogger("holdfast").exception("holdfast: the store cannot be used; nothing is said of the plan")


def _settled(plan: Plan) -> set[tuple[int, str]]:
    """The todos that need no more work, or wait for somebody. A new one among them is progress."""
    return {(plan.number, todo.id) for todo in plan.todos if todo.status not in (Status.PENDING, Status.IN_PROGRESS)}
