"""What `holdfast show` says of the work that was done."""

from pathlib import Path

from driving import run

from holdfast import Board


def test_what_was_done_for_a_todo_is_shown(tmp_path: Path) -> None:
    """Each call with its end, how often it was made and what it touched; hostile text stays on its line."""
    board = Board(store=tmp_path / "plans.db", session="a")
    board.write({"todos": [{"content": "Rename it"}, {"content": "Test it"}]})
    board.record_tool_use("bash", {"command": "mv a b\x1b[31m"}, files=["b"])
    for _ in range(2):
        board.record_tool_use("bash", {"command": "make test"}, failed=True)
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    shown = run(tmp_path, "show", "--db", "plans.db", "--work").stdout
    assert "ran: mv a b" in shown and "(b)" in shown and "\x1b[31m" not in shown
    assert "failed 2 times: make test" in shown
    assert "mv a b" not in run(tmp_path, "show", "--db", "plans.db").stdout
