"""The command `approve`: the work may begin on a plan that waits for a person."""

from pathlib import Path

from driving import board, run

from holdfast import Board


def test_a_plan_that_waits_is_approved_once(tmp_path: Path) -> None:
    """It may be corrected first; after that nothing of this session waits again."""
    one = board(tmp_path)
    one.write({"todos": [{"content": "Read"}, {"content": "Fix"}]})
    assert one.request_review().plan.awaits_approval
    run(tmp_path, "reword", "2", "Fix it all")
    assert run(tmp_path, "show", "--json").data["about"]["review"] == "waiting"
    said = run(tmp_path, "approve").stdout
    assert "Fix it all" in said and "Approved." in said
    assert run(tmp_path, "show", "--json").data["about"]["review"] == "approved"
    assert [edit.id for edit in one.plan.edits] == ["2"], "the model is still to be told of the edit"
    assert "does not wait for approval" in run(tmp_path, "approve").stdout
    assert not one.request_review().plan.awaits_approval
    log = run(tmp_path, "log", "-n", "0").stdout
    assert "    waits for approval" in log and "    approved" in log
    run(tmp_path, "undo")
    assert one.plan.todos[1].content == "Fix" and one.plan.about.review == "approved"
    one.store.close()


def test_an_empty_plan_does_not_wait() -> None:
    """There is nothing that a person could look at."""
    one = Board()
    assert not one.request_review().plan.awaits_approval and one.plan.revision == 0
    assert one.approve().plan.revision == 0
