"""Spans of OpenTelemetry: one for each plan, and in it one for each time that somebody works on a todo.

    end = trace_board(board)

It uses the API alone: the host sets up a provider with the SDK, otherwise nothing is recorded. Names of spans and
attributes are fixed. What people and models wrote is left out unless `texts` asks for it.
"""

from ..extras import require

require("otel")

from collections.abc import Callable
from threading import Event, Thread

from opentelemetry import trace
from opentelemetry.trace import Span, StatusCode, Tracer, TracerProvider

from .. import __version__
from ..board import Board
from ..plan import Change, Plan, Status, Todo
from ..plan.pace import began
from ..stores import Key, Record, Store
from ..stores.follow import StoreFollower, newest_sequence

PLAN_SPAN = "plan"
TODO_SPAN = "todo"
TOOL_EVENT = "tool"
LONGEST_WAIT = 1.0
"""After how many seconds `trace_store` looks whether it is over."""


def trace_board(board: Board, *, texts: bool = False, provider: TracerProvider | None = None) -> Callable[[], None]:
    """Record spans of a board's plans, from the one that is open now on. Call what is returned to end that.

    A plan's span has the span that is current at its first write as its parent. With `texts`, spans also have what
    was written: summary, todos, reasons and calls.
    """
    spans = PlanSpans(board.key, _tracer(provider), texts)
    spans.begin(board.plan)
    unsubscribe = board.on_change(spans.take)

    def end() -> None:
        unsubscribe()
        spans.end()

    return end


def trace_store(store: Store, *, texts: bool = False, provider: TracerProvider | None = None) -> Callable[[], None]:
    """The same for every board of a store, whichever process writes to it. Call what is returned to end that.

    Plans that are open now begin their span with the next change.
    """
    tracer, boards, woken, is_over = _tracer(provider), dict[Key, PlanSpans](), Event(), Event()
    follower = StoreFollower(store, newest_sequence(store), woken.set, LONGEST_WAIT)

    def hear() -> None:
        for heard in follower.take():
            if isinstance(heard, Record):
                boards.setdefault(heard.key, PlanSpans(heard.key, tracer, texts)).take(heard.change)

    def run() -> None:
        while not is_over.is_set():
            woken.wait()
            woken.clear()
            hear()
        follower.close()
        for spans in boards.values():
            spans.end()

    thread = Thread(target=run, name="holdfast spans", daemon=True)
    thread.start()

    def end() -> None:
        is_over.set()
        woken.set()
        thread.join()

    return end


def _tracer(provider: TracerProvider | None) -> Tracer:
    return trace.get_tracer("holdfast", __version__, provider)


class PlanSpans:
    """The open spans of one board: its plan's, and one for each todo in progress."""

    def __init__(self, key: Key, tracer: Tracer, texts: bool) -> None:
        self._key = key
        self._tracer = tracer
        self._texts = texts
        self._plan = Plan()
        self._span: Span | None = None
        self._todos: dict[str, TodoSpan] = {}
        self._ended: set[int | str] = set()  # the number of a plan that had a span before, and the ids of its todos

    def take(self, change: Change) -> None:
        """Take a change in: it may begin and end spans."""
        after = change.after
        if self._span is not None and (after.number != self._plan.number or not after.todos):
            self._end_plan(after.updated_at, "replaced" if after.todos else "cleared")
        self.begin(after)

    def begin(self, plan: Plan) -> None:
        """Bring the spans up to a plan, as it is now."""
        if self._span is None and plan.has_open:
            is_again = plan.number in self._ended
            self._ended = self._ended if is_again else set()
            start = plan.updated_at if is_again else began(plan)
            self._span = self._tracer.start_span(
                PLAN_SPAN, attributes=self._plan_attributes(plan), start_time=_nanoseconds(start)
            )
        self._plan = plan
        if self._span is None:
            return
        for todo in plan.todos:
            self._show(todo, plan.updated_at)
        for id in [id for id in self._todos if plan.get(id) is None]:
            self._todos.pop(id).end("removed", plan.updated_at)
        if plan.is_finished:
            self._end_plan(plan.updated_at, "finished")

    def end(self) -> None:
        """Nobody looks any more: what is open ends as it is."""
        if self._span is not None:
            self._end_plan(None, "open")

    def _show(self, todo: Todo, now: float) -> None:
        span = self._todos.get(todo.id)
        if span is None and todo.status is Status.IN_PROGRESS:
            assert self._span is not None, "a plan with an open todo has a span"
            started = self._tracer.start_span(
                TODO_SPAN,
                trace.set_span_in_context(self._span),
                attributes=self._todo_attributes(todo),
                start_time=_nanoseconds(now if todo.id in self._ended else todo.started_at or now),
            )
            span = self._todos[todo.id] = TodoSpan(started, self._texts)
        if span is not None:
            span.add_calls(todo)
        if span is not None and todo.status is not Status.IN_PROGRESS:
            self._todos.pop(todo.id).finish(todo, now)
            self._ended.add(todo.id)

    def _end_plan(self, at: float | None, outcome: str) -> None:
        assert self._span is not None, "only a plan that has one"
        for span in self._todos.values():
            span.end(outcome, at)
        self._todos.clear()
        counts = {"todos": len(self._plan.todos), "done": len(self._plan.done)}
        self._span.set_attributes({f"holdfast.plan.{name}": count for name, count in counts.items()})
        self._span.set_attribute("holdfast.plan.outcome", outcome)
        if outcome == "finished":
            self._span.set_status(StatusCode.OK)
        self._span.end(None if at is None else _nanoseconds(at))
        self._span = None
        self._ended.add(self._plan.number)

    def _plan_attributes(self, plan: Plan) -> dict[str, str | int]:
        return {
            "holdfast.session": self._key.session,
            "holdfast.agent": self._key.agent,
            "holdfast.plan.number": plan.number,
            **({"holdfast.plan.summary": plan.summary} if self._texts and plan.summary else {}),
        }

    def _todo_attributes(self, todo: Todo) -> dict[str, str | int]:
        attributes: dict[str, str | int] = {"holdfast.session": self._key.session, "holdfast.todo.id": todo.id}
        return {**attributes, "holdfast.todo.content": todo.content} if self._texts else attributes


class TodoSpan:
    """The span of one stretch of work on a todo. The calls that were made for it are its events."""

    def __init__(self, span: Span, texts: bool) -> None:
        self._span = span
        self._texts = texts
        self._added_up_to = 0.0

    def add_calls(self, todo: Todo) -> None:
        """Add the calls of the work journal that were not added yet."""
        for use in todo.work:
            if use.at <= self._added_up_to:
                continue
            attributes: dict[str, str | bool | int | tuple[str, ...]] = {
                "holdfast.tool.name": use.tool,
                "holdfast.tool.failed": use.failed,
                "holdfast.tool.read_only": use.read_only,
                "holdfast.tool.times": use.times,
            }
            if self._texts:
                attributes |= {"holdfast.tool.call": use.call, "holdfast.tool.files": use.files}
            self._span.add_event(TOOL_EVENT, attributes, _nanoseconds(use.at))
        self._added_up_to = max([self._added_up_to, *(use.at for use in todo.work)])

    def finish(self, todo: Todo, now: float) -> None:
        """The work has ended: it is done, blocked, given up or put back."""
        if todo.status is Status.COMPLETED:
            self._span.set_status(StatusCode.OK)
            self._span.set_attribute("holdfast.todo.proved", todo.proof is not None)
        elif todo.status is Status.BLOCKED:
            self._span.set_status(StatusCode.ERROR, (todo.details.reason if self._texts else "") or "blocked")
        self.end(str(todo.status), now if todo.finished_at is None else todo.finished_at)

    def end(self, status: str, at: float | None) -> None:
        """End it, with the status that the todo has then."""
        self._span.set_attribute("holdfast.todo.status", status)
        self._span.end(None if at is None else _nanoseconds(at))


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
