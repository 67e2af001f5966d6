"""`holdfast convert`: a plan in one dialect's words, in another's, from a file or a pipe."""

import json
from pathlib import Path

from driving import run

from holdfast.cli.command import Exit

PLAN = json.dumps({"plan": [{"step": "Read", "status": "completed"}, {"step": "Fix", "status": "in_progress"}]})


def test_a_file_of_one_harness_becomes_a_payload_of_another(tmp_path: Path) -> None:
    """What Codex wrote is what Claude Code takes."""
    (tmp_path / "plan.json").write_text(PLAN, encoding="utf-8")
    ran = run(tmp_path, "convert", "--from", "codex", "--to", "claude-code", "plan.json")
    assert ran.data == {
        "todos": [
            {"content": "Read", "status": "completed", "activeForm": "Read"},
            {"content": "Fix", "status": "in_progress", "activeForm": "Fix"},
        ]
    }


def test_standard_input_and_a_list_for_people(tmp_path: Path) -> None:
    """A pipe will do, and Markdown is one of the forms, both ways."""
    ran = run(tmp_path, "convert", "--from", "codex", "--to", "markdown", stdin=PLAN)
    assert ran.stdout == "- [x] Read\n- [ ] Fix *(in progress)*\n"
    assert run(tmp_path, "convert", "--from", "markdown", "--to", "codex", stdin=ran.stdout).data == json.loads(PLAN)


def test_what_is_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    """A payload that its dialect refuses, a file that is not there: one line each, code 1."""
    bad = json.dumps({"plan": [{"step": "Read", "status": "done"}]})
    for words, stdin, message in (
        (("--from", "codex", "--to", "roo"), bad, "holdfast: not codex: plan[0].status: expected one of pending,"),
        (("--from", "codex", "--to", "roo", "nowhere"), "", "holdfast: nowhere cannot be read"),
    ):
        ran = run(tmp_path, "convert", *words, stdin=stdin)
        assert (ran.code, ran.stdout, ran.stderr.count("\n")) == (Exit.REFUSED, "", 1)
        assert ran.stderr.startswith(message)


def test_a_dialect_that_is_none_is_a_wrong_command_line(tmp_path: Path) -> None:
    """The dialects that there are are named."""
    ran = run(tmp_path, "convert", "--from", "nobody", "--to", "roo", stdin="")
    assert ran.code == Exit.USAGE
    assert "claude-tasks" in ran.stderr


def test_it_opens_no_store(tmp_path: Path) -> None:
    """Converting leaves nothing behind."""
    run(tmp_path, "convert", "--from", "codex", "--to", "hermes", stdin=PLAN)
    assert list(tmp_path.iterdir()) == []
