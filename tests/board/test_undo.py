"""Back and forth: undo, redo, restore, and changes that count only at the revision that somebody saw."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from edited import board_of

from holdfast import Board, Reply, UsageError
from holdfast.plan.fault import Fault


def contents(board: Board) -> list[str]:
    """The texts of a plan."""
    return [todo.content for todo in board.plan.todos]


def test_redo_takes_undos_back_one_by_one() -> None:
    """Each redo brings back what the newest undo took, as long as nothing else was changed."""
    board = board_of("A")
    board.add("B")
    board.add("C")
    for expected in (["A", "B"], ["A"]):
        assert board.undo().ok
        assert contents(board) == expected
    for expected in (["A", "B"], ["A", "B", "C"]):
        assert board.redo().ok
        assert contents(board) == expected
    assert [fault.code for fault in board.redo().faults] == ["nothing_to_redo"]
    assert board.undo().ok
    assert contents(board) == ["A", "B"]


def test_there_is_nothing_to_redo_after_another_change() -> None:
    """A change after an undo is a new way: the old one is not gone back to by redo."""
    board = board_of("A")
    board.add("B")
    board.undo()
    board.add("C")
    assert [fault.code for fault in board.redo().faults] == ["nothing_to_redo"]
    board.undo()
    board.redo()
    assert contents(board) == ["A", "C"]


def test_on_a_new_board_there_is_nothing_to_take_back() -> None:
    """The fault is of no todo, and says so in words and by its code."""
    board = Board()
    assert board.undo().faults == (Fault("", "there is nothing to undo", "nothing_to_undo"),)
    assert board.redo().faults == (Fault("", "there is nothing to redo", "nothing_to_redo"),)


def test_a_plan_is_restored_as_it_was_at_a_revision() -> None:
    """Restoring is a change like any other, and can be undone."""
    board = board_of("A")
    seen = board.plan
    board.add("B")
    board.clear()
    reply = board.restore(seen.revision)
    assert reply.ok and reply.change is not None and reply.change.action == "restore"
    assert contents(board) == ["A"] and board.plan.revision == seen.revision + 3
    assert board.undo().ok
    assert contents(board) == []
    with pytest.raises(UsageError, match="no revision 99: the history goes up to"):
        board.restore(99)


def test_a_plan_that_comes_back_leaves_its_ids_to_no_other_todo() -> None:
    """Its todos come back under new ids, and what is added later has another id again."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "completed"}]})
    board.write({"todos": [{"content": "B"}]})
    board.undo()
    board.add("C")
    assert [(todo.id, todo.content) for todo in board.plan.todos] == [("2", "A"), ("3", "C")]


@pytest.mark.parametrize("has_todo", [True, False])
def test_a_cleared_plan_has_no_goal(has_todo: bool) -> None:
    """What it was for goes with its todos, or alone if it has none left. That is one change, at its time."""
    now = [5.0]
    board = Board(clock=lambda: now[0])
    board.update([{"content": "A"}, {"content": "B"}], "Ship it")
    for id in ("1",) if has_todo else ("1", "2"):
        board.remove(id)
    before, now[0] = board.plan.revision, 7.0
    assert board.clear().ok
    after = board.plan
    assert (after.todos, after.summary, after.revision, after.updated_at) == ((), "", before + 1, 7.0)


@pytest.mark.parametrize(
    "act",
    [
        lambda board, seen: board.edit("1", content="X", expected_revision=seen),
        lambda board, seen: board.add("X", expected_revision=seen),
        lambda board, seen: board.remove("1", expected_revision=seen),
        lambda board, seen: board.move("2", 0, expected_revision=seen),
        lambda board, seen: board.undo(expected_revision=seen),
        lambda board, seen: board.redo(expected_revision=seen),
        lambda board, seen: board.restore(1, expected_revision=seen),
        lambda board, seen: board.clear(expected_revision=seen),
    ],
    ids=["edit", "add", "remove", "move", "undo", "redo", "restore", "clear"],
)
def test_a_change_counts_only_at_the_revision_that_was_expected(act: Callable[[Board, int], Reply]) -> None:
    """A plan that has moved on since somebody looked is left as it is, and the fault says where it is now."""
    board = board_of("A", "B")
    board.add("C")
    board.undo()
    seen = board.plan.revision
    board.edit("2", content="B, meanwhile")
    before = board.plan
    reply = act(board, seen)
    message = f"somebody changed the plan: it is at revision {seen + 1}, not at {seen}"
    assert reply.faults == (Fault("", message, "conflict", None, "", seen, str(seen + 1)),)
    assert board.plan == before and reply.change is None
    board.undo()
    board.undo()
    assert act(board, board.plan.revision).faults == ()


def test_undos_at_the_same_time_take_back_only_what_they_saw(tmp_path: Path) -> None:
    """Each undo is decided on the plan that it changes: no write in between is lost."""
    board = Board(store=tmp_path / "plans.db")
    board.write({"todos": [{"content": "first"}]})

    def add_and_undo(number: int) -> tuple[bool, bool]:
        other = Board(store=tmp_path / "plans.db")
        done = other.add(f"todo {number}").ok, other.undo().ok
        other.store.close()
        return done

    with ThreadPoolExecutor(4) as pool:
        assert all(all(done) for done in pool.map(add_and_undo, range(20)))
    for record in board.history():
        change = record.change
        if change.action == "undo":
            taken_back = next(other.change for other in board.history() if other.change.after.revision == change.undoes)
            gone = {todo.id for todo in change.before.todos} - {todo.id for todo in change.after.todos}
            added = {todo.id for todo in taken_back.after.todos} - {todo.id for todo in taken_back.before.todos}
            assert gone == added
    assert contents(board) == ["first"]
    board.store.close()
