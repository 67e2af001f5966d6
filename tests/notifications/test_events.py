"""What is worth telling a person, and that nothing is told twice."""

import os
import time
from pathlib import Path

import pytest

from holdfast import Board
from holdfast.notifications.events import PlanEvent, events_due, events_of, events_stalled
from holdfast.notifications.ledger import KEPT, Ledger
from holdfast.stores.memory import MemoryStore


@pytest.fixture
def board() -> Board:
    """A plan of two todos."""
    board = Board(store=MemoryStore(), session="fix")
    board.write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]})
    return board


def told_events(board: Board) -> list[PlanEvent]:
    """What the newest change is worth telling of."""
    return list(events_of(next(board.history())))


def test_a_plan_that_is_finished_is_told_when_it_becomes_so(board: Board) -> None:
    """With the last todo, not with the first, and not again when a finished plan is changed."""
    board.edit("1", status="completed")
    assert told_events(board) == []
    board.edit("2", status="cancelled")
    [event] = told_events(board)
    assert (event.kind, event.title, event.text) == ("finished", "fix is finished", "1 of 2 todos completed")
    board.edit("1", content="Read all of the code")
    assert told_events(board) == []
    board.clear()
    assert told_events(board) == [], "a plan that was emptied is not finished"


def test_a_blocked_todo_is_told_with_its_reason(board: Board) -> None:
    """The change and a later look find the same event; blocked again later, it is another one."""
    board.edit("2", status="blocked")
    [event] = told_events(board)
    assert (event.kind, event.text, event.id) == ("blocked", "Fix the bug", "blocked:fix/main:2-2")
    board.add("Something else")
    assert told_events(board) == []
    [due] = events_due(board.store, board.store.sessions())
    assert due.id == event.id
    board.edit("2", status="pending")
    board.edit("2", status="blocked")
    assert told_events(board)[0].id != event.id


def test_a_plan_that_waits_for_approval_is_told(board: Board) -> None:
    """At once, and for whoever looks later; not when it was approved."""
    board.request_review()
    [event] = told_events(board)
    assert event.kind == "waiting" and "approve" in event.text
    assert [due.id for due in events_due(board.store, board.store.sessions())] == [event.id]
    board.approve()
    assert told_events(board) == [] and list(events_due(board.store, board.store.sessions())) == []


def test_an_agent_that_has_stalled(board: Board) -> None:
    """Only one that works on something, and only after its time; a plan that was put away is left alone."""
    later = time.time() + 600
    assert not list(events_stalled(board.store.sessions(), later, 300))
    board.edit("1", status="in_progress")
    assert not list(events_stalled(board.store.sessions(), later, 900))
    [event] = events_stalled(board.store.sessions(), later, 300)
    assert event.kind == "stalled" and event.todo is not None and event.todo.id == "1"
    board.archive()
    assert not list(events_stalled(board.store.sessions(), later, 300))


def test_hostile_text_stays_on_its_line() -> None:
    """A title or a reason with control characters is shown, not obeyed, and cut."""
    board = Board(store=MemoryStore(), session="a\x1b[31m\nb")
    board.write({"todos": [{"content": "x\x07" * 90}]})
    board.edit("1", status="blocked")
    [event] = told_events(board)
    assert event.title.isprintable() and event.text.isprintable() and len(event.text) <= 200


def test_the_ledger_gives_each_entry_to_one(tmp_path: Path) -> None:
    """Two processes share it; what could not be told may be tried again; what is very old is forgotten."""
    first, second = Ledger(str(tmp_path / "told")), Ledger(str(tmp_path / "told"))
    assert first.take("a") and not second.take("a") and second.take("b")
    first.give_back("a")
    assert second.take("a")
    long_ago = time.time() - KEPT - 9
    for file in (tmp_path / "told").iterdir():
        os.utime(file, (long_ago, long_ago))
    assert Ledger(str(tmp_path / "told")).take("a")
