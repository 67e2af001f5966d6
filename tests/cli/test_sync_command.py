"""`holdfast sync` on real files: both ways, and never at the cost of either side."""

from pathlib import Path

from driving import run

from holdfast import Board


def test_the_command_goes_both_ways(tmp_path: Path) -> None:
    """From the plan to the file and back: a person's edit that the model is told of; a dry run changes nothing."""
    run(tmp_path, "add", "Read the code", "--new")
    assert run(tmp_path, "sync", "PLAN.md").code == 0
    file = tmp_path / "PLAN.md"
    assert file.read_text() == "- [ ] Read the code <!-- 1 -->\n"
    file.write_text("# Soon\n\n- [x] Read the code <!-- 1 -->\n- [ ] Fix the bug\n")
    dry = run(tmp_path, "sync", "PLAN.md", "--dry-run")
    assert dry.code == 1 and "+ 2  Fix the bug" in dry.stdout and "would take" in dry.stdout
    assert not Board(store=tmp_path / "plans.db").plan.done
    ran = run(tmp_path, "sync", "PLAN.md")
    assert (ran.code, ran.stderr) == (0, "")
    board = Board(store=tmp_path / "plans.db")
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("Read the code", "completed"),
        ("Fix the bug", "pending"),
    ]
    assert next(board.history()).change.by == "person" and [edit.id for edit in board.plan.edits] == ["1", "2"]
    assert file.read_text() == "# Soon\n\n- [x] Read the code <!-- 1 -->\n- [ ] Fix the bug <!-- 2 -->\n"
    assert run(tmp_path, "sync", "PLAN.md", "--dry-run").stdout.endswith("Both say the same.\n")


def test_a_file_that_breaks_a_rule_changes_nothing(tmp_path: Path) -> None:
    """The fault is named, and file and plan stay as they are."""
    run(tmp_path, "add", "One", "--new")
    file = tmp_path / "PLAN.md"
    file.write_text(f"- [ ] One\n- [ ] {'x' * 30_000}\n")
    before = file.read_bytes()
    ran = run(tmp_path, "sync", "PLAN.md")
    assert ran.code == 1 and "30000" in ran.stderr.replace(",", "")
    assert file.read_bytes() == before and len(Board(store=tmp_path / "plans.db").plan.todos) == 1


def test_an_emptied_file_does_not_empty_the_plan_without_a_question(tmp_path: Path) -> None:
    """Somebody lost the file's content: the plan is not lost with it, unless `--yes` says so."""
    run(tmp_path, "add", "One", "--new")
    run(tmp_path, "sync", "PLAN.md")
    (tmp_path / "PLAN.md").write_text("")
    ran = run(tmp_path, "sync", "PLAN.md")
    assert ran.code == 1 and "--yes" in ran.stderr
    assert Board(store=tmp_path / "plans.db").plan.todos
    (tmp_path / "PLAN.md").unlink()
    assert run(tmp_path, "sync", "PLAN.md").code == 0
    assert (tmp_path / "PLAN.md").read_text() == "- [ ] One <!-- 1 -->\n", "a file that is gone is written again"


def test_an_import_leaves_the_comments_out(tmp_path: Path) -> None:
    """A synced file is a Markdown list like any other."""
    (tmp_path / "PLAN.md").write_text("- [ ] Read the code <!-- 1 -->\n- [ ] Fix the bug <!-- 2 -->\n")
    assert run(tmp_path, "import", "PLAN.md").code == 0
    todos = Board(store=tmp_path / "plans.db").plan.todos
    assert [todo.content for todo in todos] == ["Read the code", "Fix the bug"]
