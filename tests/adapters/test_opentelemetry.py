"""Spans of OpenTelemetry, recorded by the real SDK: one for each plan, one for each stretch of work on a todo."""

import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from patience import wait_until

from holdfast import Board
from holdfast.adapters.opentelemetry import trace_board, trace_store
from holdfast.stores.sqlite import SQLiteStore

SECRET = "Call the bank"


class Recorder:
    """A provider of the SDK, and the spans that were ended."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def spans(self) -> list[tuple[str, object, StatusCode]]:
        """Each span that was ended: its name, the status of its todo or how its plan ended, and its own status."""
        return [
            (span.name, _attribute(span, "holdfast.todo.status") or _attribute(span, "holdfast.plan.outcome"), code)
            for span in self.exporter.get_finished_spans()
            for code in (span.status.status_code,)
        ]

    @property
    def text(self) -> str:
        """All that would be sent."""
        return "\n".join(span.to_json() for span in self.exporter.get_finished_spans())


@pytest.fixture
def recorder() -> Recorder:
    """A recorder of its own."""
    return Recorder()


@pytest.fixture
def board() -> Board:
    """A board whose clock goes on by a second with every change."""
    ticks = count(1000)
    return Board(session="s", clock=lambda: float(next(ticks)))


def _attribute(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {}).get(name)


def work_through(board: Board) -> None:
    """A plan of two todos, worked to its end."""
    board.write({"todos": [{"content": SECRET, "status": "in_progress"}, {"content": "b"}], "summary": SECRET})
    board.record_tool_use("bash", {"command": f"echo {SECRET}"})
    board.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}]})
    board.write({"todos": [{"id": "2", "status": "cancelled"}]})


def test_a_plan_and_its_todos_are_spans(board: Board, recorder: Recorder) -> None:
    """Todos lie in their plan, by its own times, and the plan lies in what was current at its first write."""
    trace_board(board, provider=recorder.provider)
    with recorder.provider.get_tracer("host").start_as_current_span("agent"):
        work_through(board)
    assert recorder.spans == [
        ("todo", "completed", StatusCode.OK),
        ("todo", "cancelled", StatusCode.UNSET),
        ("plan", "finished", StatusCode.OK),
        ("agent", None, StatusCode.UNSET),
    ]
    first, second, plan, agent = recorder.exporter.get_finished_spans()
    assert first.parent == second.parent == plan.context and plan.parent == agent.context
    todos = board.plan.todos
    assert [(span.start_time, span.end_time) for span in (first, second)] == [
        (int((todo.started_at or 0) * 1e9), int((todo.finished_at or 0) * 1e9)) for todo in todos
    ]
    assert plan.start_time == first.start_time and plan.end_time == second.end_time
    assert dict(plan.attributes or {}) == {
        "holdfast.session": "s",
        "holdfast.agent": "main",
        "holdfast.plan.number": 1,
        "holdfast.plan.todos": 2,
        "holdfast.plan.done": 2,
        "holdfast.plan.outcome": "finished",
    }


def test_calls_are_events(board: Board, recorder: Recorder) -> None:
    """Each call of the work journal once, on the todo that it was made for."""
    trace_board(board, provider=recorder.provider)
    work_through(board)
    first, second, _ = recorder.exporter.get_finished_spans()
    (event,) = first.events
    assert event.name == "tool" and (event.attributes or {})["holdfast.tool.name"] == "bash"
    assert not second.events


def test_texts_are_left_out_unless_asked_for(board: Board, recorder: Recorder) -> None:
    """What people and models wrote is not sent to whoever keeps the spans."""
    end = trace_board(board, provider=recorder.provider)
    work_through(board)
    end()
    assert SECRET not in recorder.text
    trace_board(board, texts=True, provider=recorder.provider)
    work_through(board)
    assert recorder.text.count(SECRET) >= 3


def test_a_todo_that_stops_and_goes_on_has_two_spans(board: Board, recorder: Recorder) -> None:
    """What is blocked is an error; the next stretch begins when it does, and not when the first one did."""
    trace_board(board, provider=recorder.provider)
    board.write({"todos": [{"content": "a", "status": "in_progress"}, {"content": "b"}]})
    board.edit("1", status="blocked")
    board.edit("1", status="in_progress")
    again = board.plan.updated_at
    board.edit("1", status="completed")
    board.remove("2")
    assert recorder.spans == [
        ("todo", "blocked", StatusCode.ERROR),
        ("todo", "completed", StatusCode.OK),
        ("plan", "finished", StatusCode.OK),
    ]
    assert recorder.exporter.get_finished_spans()[1].start_time == int(again * 1e9)


@pytest.mark.parametrize(
    ("act", "ends"),
    [
        (lambda board: board.clear(), ["cleared", "cleared"]),
        (lambda board: board.remove("1"), ["removed"]),
        (lambda board: board.delete(), ["cleared", "cleared"]),
    ],
)
def test_a_span_never_stays_open(
    board: Board, recorder: Recorder, act: Callable[[Board], object], ends: list[str]
) -> None:
    """Whatever becomes of its plan; and whoever ends the recording ends what is open."""
    end = trace_board(board, provider=recorder.provider)
    board.write({"todos": [{"content": "a", "status": "in_progress"}, {"content": "b"}]})
    act(board)
    assert [outcome for _, outcome, _ in recorder.spans] == ends
    end()
    assert len(recorder.spans) == 2
    board.add("c")
    assert len(recorder.spans) == 2


def test_a_plan_that_is_open_already_has_its_spans(board: Board, recorder: Recorder) -> None:
    """From when it was begun, with the todo in progress."""
    board.write({"todos": [{"content": "a", "status": "in_progress"}]})
    begun = board.plan.updated_at
    trace_board(board, provider=recorder.provider)
    board.edit("1", status="completed")
    assert [name for name, _, _ in recorder.spans] == ["todo", "plan"]
    assert [span.start_time for span in recorder.exporter.get_finished_spans()] == [int(begun * 1e9)] * 2


def test_a_store_is_traced_whoever_writes_to_it(tmp_path: Path, recorder: Recorder) -> None:
    """Two sessions written through another connection have a trace each."""
    path = tmp_path / "plans.db"
    mine = SQLiteStore(path)
    Board(store=mine).add("so that the file is there")
    end = trace_store(mine, provider=recorder.provider)
    for session in ("one", "two"):
        work_through(Board(store=path, session=session))
    wait_until(lambda: len(recorder.spans) == 6)
    end()
    mine.close()
    sessions = [_attribute(span, "holdfast.session") for span in recorder.exporter.get_finished_spans()]
    assert sorted(map(str, sessions)) == ["one"] * 3 + ["two"] * 3
    assert len({span.context.trace_id for span in recorder.exporter.get_finished_spans() if span.context}) == 2


def test_who_does_not_use_it_does_not_load_it() -> None:
    """Neither the front door nor the commands import anything of OpenTelemetry."""
    code = (
        "import sys, holdfast, holdfast.cli.main; print(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
