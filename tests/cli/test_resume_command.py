"""The command `resume`: an open plan goes on in the next conversation, or is put away."""

from pathlib import Path

from driving import board, run

from holdfast.cli.command import Exit


def test_a_plan_is_wanted_in_the_next_conversation(tmp_path: Path) -> None:
    """It is printed, to paste where there are no hooks, and can be put away instead."""
    assert run(tmp_path, "resume").code == Exit.REFUSED
    for session in ("older", "newer"):
        one = board(tmp_path, session)
        one.write({"todos": [{"content": f"Fix {session}"}, {"content": "Read", "status": "completed"}]})
        one.store.close()
    said = run(tmp_path, "resume").stdout
    assert "- Fix newer\n" in said and "Read" not in said and "The user wants you to go on with them" in said
    assert run(tmp_path, "resume", "--session", "old", "--json").data["session"] == "older"
    assert "Archived" in run(tmp_path, "resume", "--no").stdout
    assert "- Fix older\n" in run(tmp_path, "resume").stdout
