"""What people read of a change and of time."""

import pytest

from holdfast import Board
from holdfast.plan import Change, Plan, Todo
from holdfast.stores import Key
from holdfast.terminal.words import board_label, describe_change


def last(board: Board) -> str:
    """What is said of a board's newest change."""
    return describe_change(next(board.history()).change)


def test_a_plans_life_in_words() -> None:
    """Each kind of change has its words, and they name the todos."""
    board = Board()
    board.write({"todos": [{"content": "Read"}, {"content": "Write"}, {"content": "Test"}]})
    assert last(board) == "planned 3 todos"
    board.update([{"id": "1", "status": "in_progress"}])
    assert last(board) == "started Read"
    board.update([{"id": "2", "status": "in_progress"}, {"id": "1", "status": "completed"}])
    assert last(board) == "completed Read; started Write"
    board.edit("3", status="blocked")
    assert last(board) == "blocked Test"
    board.edit("3", status="pending")
    assert last(board) == "reopened Test"
    board.edit("3", content="Test twice")
    assert last(board) == "reworded Test twice"
    board.edit("3", active_form="Testing")
    assert last(board) == "changed Test twice"
    board.add("Ship")
    assert last(board) == "added Ship"
    board.move("4", 0)
    assert last(board) == "changed the order"
    board.remove("4")
    assert last(board) == "removed Ship"
    board.undo()
    assert last(board) == "undid a change: added Ship"
    board.mark_edits_told()
    assert last(board) == ""
    board.clear()
    assert last(board) == "cleared the plan"
    board.write({"todos": [{"content": "Again"}]})
    assert last(board) == "planned 1 todo"


def test_many_differences_are_counted() -> None:
    """Of many todos the first few are named."""
    board = Board()
    board.write({"todos": [{"content": f"{at}"} for at in range(6)]})
    board.update([{"id": str(at), "status": "completed"} for at in range(1, 7)])
    assert last(board) == "completed 0; completed 1; completed 2; completed 3; 2 more"


def test_long_and_hostile_texts_are_short_and_safe() -> None:
    """A todo is quoted on one line, and not to its end."""
    board = Board()
    board.write({"todos": [{"content": "A"}]})
    board.edit("1", content="a\x1b[2J\n" + "b" * 150)
    assert last(board) == "reworded a␛[2J " + "b" * 53 + "…"
    endless = Change(Plan((Todo("1", "A"),)), Plan((Todo("1", "x" * 200_000),)))
    assert len(describe_change(endless)) < 80


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (Key("fix", "main"), "fix"),
        (Key("fix", "scout"), "fix/scout"),
        (Key("a\nb", "main"), "a b"),
        (Key("x" * 500, "main"), "x" * 99 + "…"),
    ],
)
def test_names_of_boards(key: Key, name: str) -> None:
    """The session, and the agent unless it is the main one."""
    assert board_label(key) == name
