"""Honest progress: what a model's write must show, what it may not lose, and what its reply points out."""

import json

import pytest
from attended import planned, text_of

from holdfast import QUIET, Board, Rules
from holdfast.plan.rules import Evidence
from holdfast.plan.work import Work


def test_completion_needs_work_under_rail() -> None:
    """A completion with no work since the last write is refused with the next thing to do, and taken after work."""
    attention = planned("rail")
    board = attention.board
    attention.before_request()
    refused = board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert refused.faults[0].code == "no_work"
    assert "First do item 1: A" in refused.text
    board.record_tool_use("bash")
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    attention.before_request()
    assert not board.write({"todos": [{"id": "2", "status": "completed"}]}).ok


def test_a_first_look_is_no_work_and_a_second_one_is() -> None:
    """Under `rail`, a model that only read is told to do the item; only then is it asked whether that is done."""
    attention = planned("rail", "Delete the file", "Rename it")
    board = attention.board
    done = {"todos": [{"id": "1", "status": "completed"}]}
    board.record_tool_use("read_file", read_only=True)
    now = "Now do item 1 with the tool that fits best: Delete the file"
    assert text_of(attention.before_request()) == f"So far you have only looked. {now}"
    assert [fault.code for fault in board.write(done).faults] == ["no_work"]
    assert not attention.offer().write
    board.record_tool_use("read_file", read_only=True)
    assert "done now?" in text_of(attention.before_request())
    assert board.write(done).ok
    board.record_tool_use("read_file", read_only=True)
    assert text_of(attention.before_request()).startswith("So far you have only looked"), "each item is looked at anew"


def test_a_look_that_failed_is_a_failure() -> None:
    """A file that is not there has not been looked at."""
    attention = planned("rail")
    attention.board.record_tool_use("read_file", failed=True, read_only=True)
    assert attention.board.work == Work(calls=0, looks=0, failures=1)


def test_open_todos_are_not_lost_by_omission_under_rail() -> None:
    """A shorter list keeps what is open, and the reply says so."""
    attention = planned("rail")
    attention.before_request()
    reply = attention.board.write({"todos": [{"content": "C"}]})
    assert [todo.content for todo in reply.plan.todos] == ["C", "A", "B"]
    assert "Kept what is still open: 1, 2." in reply.text


def test_gaps_are_named_and_not_refused_under_quiet() -> None:
    """Todos that jump to completed together, and open ones left out, are named in one short note each."""
    board = planned(QUIET.replace(one_write=False)).board
    jumped = board.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "completed"}]})
    assert jumped.ok
    assert "1, 2 went from pending to completed at once" in jumped.text
    shorter = board.write({"todos": [{"content": "A", "status": "completed"}, {"content": "B", "status": "completed"}]})
    assert shorter.ok
    assert "Left out while still open: 3 (C)." in shorter.text


def test_the_seeds_dialects_are_left_as_they_are() -> None:
    """No note and no refusal of honest progress changes a seed's dialect unless a host asks for it."""
    board = Board(dialect="two-state")
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    reply = board.write({"todos": [{"content": "A", "status": "completed"}]})
    assert reply.text == "📋 当前任务列表：\n  1. ✅ [completed] A\n\n总计: 1 项 | 待处理: 0 | 已完成: 1"
    asked = Board(dialect="two-state", rules=Rules(work_before_done=True))
    asked.write({"todos": [{"content": "A"}]})
    assert not asked.write({"todos": [{"content": "A", "status": "completed"}]}).ok


@pytest.mark.parametrize(("evidence", "ok"), [("required", False), ("optional", True), ("none", True)])
def test_evidence_is_asked_for_as_the_rules_say(evidence: Evidence, ok: bool) -> None:
    """A completion without evidence is refused only where it is required."""
    board = Board(rules=Rules(evidence=evidence))
    board.write({"todos": [{"content": "A"}]})
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok is ok


def test_evidence_is_kept_and_shown() -> None:
    """The evidence of a completion is in the schema, in the plan and in its rendering."""
    board = Board(rules=Rules(evidence="required"))
    assert "evidence" in json.dumps(board.tool("anthropic"))
    assert "evidence" not in json.dumps(Board().tool("anthropic"))
    board.write({"todos": [{"content": "A"}]})
    assert board.write({"todos": [{"id": "1", "status": "completed", "evidence": "42 tests pass"}]}).ok
    assert board.plan.todos[0].evidence == "42 tests pass"
    assert "42 tests pass" in board.dialect.render(board.plan)


def test_the_same_write_again_is_told_apart_from_progress() -> None:
    """A write that changes nothing is answered with that, and with what is next."""
    board = Board()
    payload = {"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]}
    board.write(payload)
    assert board.write(payload).text == "Nothing changed. 0/2 done. Now 1: A"


def test_what_is_kept_waits_for_what_is_started() -> None:
    """A list that leaves out the todo in progress and starts another loses neither, and one is in progress."""
    board = Board(rules=Rules(keep_open=True))
    board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
    assert board.write({"todos": [{"content": "C", "status": "in_progress"}]}).ok
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("A", "pending"),
        ("B", "pending"),
        ("C", "in_progress"),
    ]


def test_a_list_numbered_from_one_again_is_the_next_plan() -> None:
    """After a finished plan, new todos with its numbers are new: none is done before it began, none of it stays."""
    board = Board()
    board.write({"todos": [{"content": text, "status": "completed"} for text in "ABC"]})
    board.write({"todos": [{"id": "1", "content": "X", "status": "in_progress"}, {"id": "2", "content": "Y"}]})
    assert [(todo.id, todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("1", "X", "in_progress"),
        ("2", "Y", "pending"),
    ]
    assert board.plan.number == 2


@pytest.mark.parametrize(
    "todos",
    [
        pytest.param([{"id": "1", "content": "A, again", "status": "pending"}], id="one alone"),
        pytest.param([{"id": "1", "content": "A, again"}, {"id": "2", "content": "B"}], id="one as it was"),
        pytest.param([{"id": "2", "content": "X"}, {"id": "1", "content": "Y"}], id="in another order"),
        pytest.param([{"id": "1", "content": "X"}, {"id": "2", "status": "pending"}], id="one without words"),
    ],
)
def test_any_other_update_of_a_finished_plan_changes_it(todos: list[dict[str, str]]) -> None:
    """Only a list that plainly is a new one begins the next plan: what names finished todos is about them."""
    board = Board()
    board.write({"todos": [{"content": text, "status": "completed"} for text in "ABC"]})
    assert board.write({"todos": todos}).ok
    assert (len(board.plan.todos), board.plan.number) == (3, 1)
