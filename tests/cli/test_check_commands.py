"""Checks on the command line: set, asked for, run, shown, and kept."""

from pathlib import Path

import pytest
from driving import Ran, board, environment, run
from pseudo_terminal import PseudoTerminal

from holdfast import Status, Todo


def todo(folder: Path, id: str = "1") -> Todo:
    """A todo as it is now."""
    main = board(folder)
    found = main.plan.get(id)
    main.store.close()
    assert found is not None
    return found


def test_a_check_is_set_changed_and_removed(tmp_path: Path) -> None:
    """With the todo, or later; what is no check is refused with its reason."""
    assert run(tmp_path, "add", "Fix", "it", "--check", "make test").code == 0
    assert todo(tmp_path).check == "make test"
    run(tmp_path, "check", "1", "file:out.txt contains fjord")
    assert "check: file:out.txt contains fjord" in run(tmp_path, "show").stdout
    refused = run(tmp_path, "check", "1", "file:/etc/passwd")
    assert (refused.code, refused.stderr) == (
        1,
        "holdfast: check: expected a path inside the project, received '/etc/passwd'\n",
    )
    for words in (("check", "1"), ("check", "1", "true", "--remove")):
        assert run(tmp_path, *words).code == 2
    assert run(tmp_path, "check", "1", "--remove").code == 0
    assert todo(tmp_path).check == ""
    assert "no check any more" in run(tmp_path, "log").stdout


def test_a_command_runs_only_if_the_person_says_so(tmp_path: Path) -> None:
    """A model may have written it: with nobody to ask, it does not run, and nothing changes."""
    run(tmp_path, "add", "Fix it", "--check", "touch ran")
    refused = run(tmp_path, "done", "1")
    assert refused.code == 1
    assert "todo 1 must pass a command: touch ran. Give --run-check to run it, or --unchecked" in refused.stderr
    assert not (tmp_path / "ran").exists()
    assert todo(tmp_path).status is Status.PENDING


def test_a_check_that_fails_and_then_passes(tmp_path: Path) -> None:
    """Its output is shown, cleaned; the plan changes only when it passes; `show` and `log` tell proved from claimed."""
    run(tmp_path, "add", "Fix it", "--check", "printf '\\033[31mred\\n'; test -f there")
    failed = run(tmp_path, "done", "1", "--run-check")
    assert failed.code == 1
    assert "| red\n| [exit code 1]\n" in failed.stderr and "\x1b" not in failed.stderr
    assert todo(tmp_path).is_open
    claimed = run(tmp_path, "done", "1", "--unchecked")
    assert "Fix it  claimed" in claimed.stdout
    assert "Fix it  claimed\n       check: printf" in run(tmp_path, "show").stdout
    (tmp_path / "there").touch()
    proved = run(tmp_path, "done", "1", "--run-check")
    assert "Fix it  proved" in proved.stdout
    assert "Fix it  proved" in run(tmp_path, "log", "-n", "1").stdout
    shown = run(tmp_path, "show", "--proofs").stdout
    assert "for the person: printf" in shown and "       | red\n" in shown
    data = run(tmp_path, "show", "--json").data["todos"][0]
    assert (data["proof"]["output"], data["proof"]["by"]) == ("red", "person")
    run(tmp_path, "reword", "1", "Something", "else")
    run(tmp_path, "check", "1", "false")
    assert "as: Fix it" in run(tmp_path, "show", "--proofs").stdout


def test_a_file_is_looked_at_without_a_question(tmp_path: Path) -> None:
    """It is looked for below the folder that has the plans, wherever the person is."""
    (tmp_path / ".holdfast").mkdir()
    inside = tmp_path / "inside"
    inside.mkdir()

    def here(*words: str) -> Ran:
        return run(inside, *words, HOLDFAST_DB=str(tmp_path / ".holdfast" / "plans.db"))

    here("add", "Write it", "--check", "file:out.txt")
    missing = here("done", "1")
    assert missing.code == 1 and "| No such file or directory" in missing.stderr
    (tmp_path / "out.txt").touch()
    assert "Write it  proved" in here("done", "1").stdout


def test_an_agent_finishes_by_the_check(tmp_path: Path) -> None:
    """`finish` is no way around it, and a failed one keeps the claim."""
    run(tmp_path, "add", "Fix it", "--check", "test -f there")
    run(tmp_path, "claim", "--as", "ann")
    assert run(tmp_path, "finish", "1", "--as", "ann").code == 1
    assert run(tmp_path, "finish", "1", "--as", "ann", "--run-check").code == 1
    assert run(tmp_path, "claim", "--as", "bob").code == 1
    (tmp_path / "there").touch()
    assert run(tmp_path, "finish", "1", "--as", "ann", "--run-check").code == 0
    assert todo(tmp_path).proof is not None


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("n", False), ("", False)])
def test_a_person_at_a_terminal_is_asked(tmp_path: Path, answer: str, is_done: bool) -> None:
    """The command is shown whole before it runs; only a yes runs it."""
    run(tmp_path, "add", "Fix it", "--check", "touch ran")
    start = "from holdfast.cli.main import main; main()"
    code = f"import os, sys; os.chdir({str(tmp_path)!r}); sys.argv = ['holdfast', 'done', '1']; {start}"
    with PseudoTerminal(code, 80, 20, environment(tmp_path)) as terminal:
        terminal.wait_for("    touch ran", "Run it? [y/N]")
        terminal.type(f"{answer}\r")
        terminal.ended()
    assert (tmp_path / "ran").exists() is is_done
    assert (todo(tmp_path).proof is not None) is is_done


def test_an_export_keeps_checks_and_proofs(tmp_path: Path) -> None:
    """JSON brings back both. A Markdown list brings back the check; a text that anybody can write proves nothing."""
    run(tmp_path, "add", "Fix *it*", "--check", "echo '*(x)*'")
    run(tmp_path, "add", "Next", "--check", "file:a.md contains *b*")
    run(tmp_path, "done", "1", "--run-check")
    exported, listed = run(tmp_path, "export").stdout, run(tmp_path, "export", "--format", "markdown").stdout
    for name, text in (("json", exported), ("markdown", listed)):
        (tmp_path / name).mkdir()
        assert run(tmp_path / name, "import", stdin=text).code == 0
    assert todo(tmp_path / "json") == todo(tmp_path)
    copy = todo(tmp_path / "markdown")
    assert (copy.content, copy.check, copy.proof, copy.status) == ("Fix *it*", "echo '*(x)*'", None, "completed")
    assert todo(tmp_path / "markdown", "2").check == "file:a.md contains *b*"
