"""Checks as text, what is kept of an output, and which todos a change must prove."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import obeyed

from holdfast import Plan, Status, Todo, UsageError
from holdfast.plan import Details, DetailsWish, Proof, edits
from holdfast.plan.checks import (
    LEFT_OUT,
    LONGEST_HEAD,
    LONGEST_TAIL,
    Check,
    CheckResult,
    clean_output,
    due_checks,
    parse_check,
    with_proofs,
)
from holdfast.plan.transitions import with_status


def todo(id: str, status: Status, check: str = "make test") -> Todo:
    """A todo with a check."""
    return Todo(id, f"Todo {id}", status, details=Details(check=check))


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("make test", Check("command", "make test")),
        ("file README.md", Check("command", "file README.md")),
        ("file:docs/api.md", Check("file", "docs/api.md")),
        ("file:a b.txt contains one contains two", Check("file", "a b.txt", "one contains two")),
        ("host:deployed", Check("host", "deployed")),
    ],
)
def test_a_check_is_read_from_its_text(text: str, check: Check) -> None:
    """A command, a file that must exist or contain something, or a function of the host."""
    assert parse_check(text) == check


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" ", "must not be blank"),
        ("x" * 1_001, "at most 1000 characters, received 1001"),
        ("make\nrm -rf x", "must be one line of plain characters"),
        ("make \x1b[8m; rm x", "must be one line of plain characters"),
        ("file:", "expected a path inside the project, received ''"),
        ("file:/etc/passwd", "expected a path inside the project, received '/etc/passwd'"),
        ("file:a/../../b", "expected a path inside the project, received 'a/../../b'"),
        ("file:~/x", "expected a path inside the project, received '~/x'"),
    ],
)
def test_what_is_no_check_is_refused(text: str, why: str) -> None:
    """What cannot be shown as one line, or leaves the project, is an error that says so."""
    with pytest.raises(UsageError) as refused:
        parse_check(text)
    assert str(refused.value) == why


def test_a_check_may_have_a_thousand_characters() -> None:
    """Not one more."""
    assert parse_check("x" * 1_000) == Check("command", "x" * 1_000)


def test_an_output_loses_what_a_terminal_obeys() -> None:
    """Colours and titles go, progress lines keep their last state, and lines stay lines."""
    text = "\x1b[31mred\x1b[0m\r\n\x1b]0;title\x07 10%\r 99%\nend\x1b[?25l\u202e\n\n"
    assert clean_output(text) == "red\n 99%\nend\ufffd"


@given(st.text(max_size=60))
def test_no_output_can_be_obeyed(text: str) -> None:
    """Whatever a check prints, what is kept of it holds no control character except line breaks."""
    assert obeyed(clean_output(text).replace("\n", "")) == set()


def test_an_output_keeps_its_letters() -> None:
    """Only line breaks at its ends go."""
    assert clean_output("\nX marks what to FIX\r\n") == "X marks what to FIX"


def test_an_output_that_is_a_little_too_long_loses_its_middle() -> None:
    """500 characters of its beginning and 1,000 of its end stay, and a line says so."""
    kept = "a" * 500 + "c" * 1_000
    assert clean_output(kept) == kept
    assert clean_output("a" * 500 + "b" + "c" * 1_000) == f"{'a' * 500}\n[the middle is left out]\n{'c' * 1_000}"


def test_an_output_of_colours_alone_is_cut_before_it_is_cleaned() -> None:
    """From 30,000 characters on: its cost does not grow with the text."""
    assert clean_output("\x1b[0m" * 7_499 + "done") == "done"
    assert clean_output("\x1b[0m" * 7_500 + "done") == f"{LEFT_OUT}\ndone"


def test_a_long_output_keeps_both_ends() -> None:
    """The beginning and the end stay, also of an output of megabytes."""
    text = clean_output("first " + "x" * 5_000_000 + " last")
    assert text.startswith("first ") and text.endswith(" last")
    assert text.count(LEFT_OUT) == 1
    assert len(text) == LONGEST_HEAD + LONGEST_TAIL + len(LEFT_OUT) + 2


def test_due_is_what_a_change_completes() -> None:
    """Not what was completed before, not what is still open, and not what has no check."""
    before = Plan((todo("1", Status.COMPLETED), todo("2", Status.PENDING), todo("3", Status.PENDING)))
    new = todo("4", Status.COMPLETED)
    after = Plan((*(todo(id, Status.COMPLETED) for id in "12"), todo("3", Status.BLOCKED), new))
    bare = after._replace(todos=tuple(each._replace(details=Details()) for each in after.todos))
    assert [each.id for each in due_checks(before, after)] == ["2", "4"]
    assert [each.id for each in due_checks(before, after._replace(number=2))] == ["1", "2", "4"]
    assert due_checks(before, bare) == []
    assert [each.id for each in due_checks(before, after, [new, bare.todos[1]])] == ["4"]


def test_a_check_that_failed_proves_nothing() -> None:
    """The todo stays as it was."""
    plan = Plan((todo("1", Status.COMPLETED),))
    assert with_proofs(plan, plan.todos, {"make test": CheckResult(False, "2 failed")}, "model", 9.0) == plan


def test_a_proof_is_kept_as_it_was() -> None:
    """Another text and another check do not change what was proved; another status ends it."""
    plan = Plan((todo("1", Status.COMPLETED), todo("2", Status.COMPLETED, "other")))
    proved = with_proofs(plan, plan.todos, {"make test": CheckResult(True, "ok"), "other": None}, "person", 9.0)
    proof = Proof("make test", "Todo 1", "ok", 9.0, "person")
    assert [each.proof for each in proved.todos] == [proof, None]
    assert [each.is_claimed for each in proved.todos] == [False, True]
    later = proved.todos[0]._replace(content="Other words", details=Details(check="true"))
    assert later.proof == proof
    assert with_status(later, Status.PENDING, 10.0).proof is None
    assert with_status(later, Status.PENDING, 10.0).check == "true"


def test_the_model_hears_of_a_check() -> None:
    """What a todo must pass is a person's edit like any other."""
    plan = edits.add(Plan(), "Fix", None, 1.0, DetailsWish(check="make test"))
    assert edits.describe(plan) == 'The user changed the plan: added 1 ("Fix") done when this passes: make test.'
    known = edits.mark_told(plan, 2.0).plan
    bare = edits.edited(known, [known.todos[0]._replace(details=Details())], 3.0)
    assert edits.describe(bare) == 'The user changed the plan: 1 ("Fix") has no check.'


def test_a_todo_is_claimed_while_nothing_has_shown_that_it_passes() -> None:
    """Only a completed one that has a check; one without a check claims nothing. A proof has defaults for a reader."""
    done = Todo("1", "Fix it", Status.COMPLETED, details=Details(check="make test"))
    assert done.is_claimed and done.check == "make test"
    assert not done._replace(details=Details()).is_claimed
    assert not done._replace(status=Status.PENDING).is_claimed
    proof = Proof("make test", "Fix it")
    assert not done._replace(proof=proof).is_claimed
    assert proof[2:] == ("", 0.0, "model")
