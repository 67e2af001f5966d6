"""A plan and a Markdown file kept alike: the merge by values; and its laws."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hostile_texts, statuses

from holdfast import Board, Plan, Status, Todo
from holdfast.plan import Details
from holdfast.plan.step import Written
from holdfast.text import one_line
from holdfast.transfer.sync import SyncBase, apply_merge, base_of, merge, to_file

RULES = Board().rules.replace(max_in_progress=50, max_content=10_000, statuses=tuple(Status))
PLAN = Plan(
    (
        Todo("1", "Read the code"),
        Todo("2", "Fix the bug", details=Details(section="Build", owner="ann")),
        Todo("3", "Ship it", details=Details(section="Ship")),
    ),
    summary="Release",
    revision=1,
    next_id=4,
)
FILE = """\
# Release

- [ ] Read the code <!-- 1 -->

## Build

- [ ] Fix the bug <!-- 2 -->

## Ship

- [ ] Ship it <!-- 3 -->
"""


def synced(text: str, plan: Plan, base: SyncBase | None) -> tuple[Plan, str, tuple[str, ...]]:
    """The plan and the file after a sync, and what was noted."""
    merged = merge(base, text, plan)
    result = apply_merge(merged, plan, RULES, 100.0)
    assert isinstance(result, Written), result
    return result.plan, to_file(text, result.plan), merged.notes


def contents(plan: Plan) -> list[str]:
    """The texts of the todos in their order."""
    return [todo.content for todo in plan.todos]


def test_a_file_that_is_not_there_is_written() -> None:
    """Summary, sections and todos, each with its id in a comment."""
    plan, text, notes = synced("", PLAN, None)
    assert (plan, text, notes) == (PLAN, FILE, ())


def test_a_plan_that_is_not_there_is_read() -> None:
    """In a fresh clone there is only the file: the plan begins with it."""
    plan, text, _ = synced(FILE, Plan(), None)
    assert contents(plan) == contents(PLAN)
    assert [todo.details.section for todo in plan.todos] == ["", "Build", "Ship"]
    assert (plan.summary, text) == ("Release", FILE)


def test_what_one_side_changed_is_taken_from_it() -> None:
    """The file rewords, adds, ticks; the plan starts, adds, removes: both have all of it, and nobody is overruled."""
    text = FILE.replace("Read the code", "Read all of it").replace("- [ ] Fix", "- [x] Fix")
    text = text.replace("<!-- 2 -->\n", "<!-- 2 -->\n- [ ] By hand\n")
    started = PLAN.todos[0]._replace(status=Status.IN_PROGRESS)
    new = Todo("4", "Found by the model", details=Details(section="Build"))
    ours = PLAN._replace(todos=(started, PLAN.todos[1], new), next_id=5)
    plan, after, notes = synced(text, ours, base_of(PLAN))
    assert contents(plan) == ["Read all of it", "Fix the bug", "By hand", "Found by the model"]
    assert [todo.status for todo in plan.todos][:2] == ["in_progress", "completed"]
    assert plan.todos[1].details.owner == "ann", "what a file cannot say stays"
    assert notes == ()
    assert after == (
        "# Release\n\n- [ ] Read all of it *(in progress)* <!-- 1 -->\n\n## Build\n\n- [x] Fix the bug <!-- 2 -->\n"
        "- [ ] By hand <!-- 5 -->\n- [ ] Found by the model <!-- 4 -->\n"
    )


def test_where_both_changed_the_same_the_file_holds_and_it_is_said() -> None:
    """A person wrote the file; the other text is not lost without a word."""
    reworded = PLAN._replace(todos=(PLAN.todos[0]._replace(content="Skim the code"), *PLAN.todos[1:]))
    plan, _, notes = synced(FILE.replace("Read the code", "Study the code"), reworded, base_of(PLAN))
    assert contents(plan)[0] == "Study the code"
    assert notes == ("both changed 1: the file's content holds, not 'Skim the code'",)


@pytest.mark.parametrize("side", ["file", "plan"])
def test_what_one_side_removed_goes_unless_the_other_changed_it(side: str) -> None:
    """A removal counts like any change, and a change against a removal keeps the todo."""
    without = PLAN._replace(todos=PLAN.todos[1:])
    line = "- [ ] Read the code <!-- 1 -->\n"
    removed = (
        synced(FILE.replace(line, ""), PLAN, base_of(PLAN)) if side == "file" else synced(FILE, without, base_of(PLAN))
    )
    assert "Read the code" not in contents(removed[0]) and "Read the code" not in removed[1]
    changed = PLAN._replace(todos=(PLAN.todos[0]._replace(status=Status.COMPLETED), *PLAN.todos[1:]))
    if side == "file":
        kept, text, notes = synced(FILE.replace(line, ""), changed, base_of(PLAN))
    else:
        kept, text, notes = synced(FILE.replace(line, line.replace("[ ]", "[x]")), without, base_of(PLAN))
    assert kept.done and "[x] Read the code" in text
    assert len(notes) == 1 and notes[0].startswith("1 stays")


def test_the_order_of_the_side_that_changed_it() -> None:
    """A plan that was sorted sorts the file; a file that was sorted by hand sorts the plan."""
    flat = Plan(tuple(Todo(str(id), f"Job {id}") for id in (1, 2, 3)), revision=1, next_id=4)
    text = to_file("", flat)
    turned = flat._replace(todos=flat.todos[::-1])
    assert synced(text, turned, base_of(flat))[:2] == (turned, to_file("", turned))
    by_hand, after, _ = synced(to_file("", turned), flat, base_of(flat))
    assert contents(by_hand) == ["Job 3", "Job 2", "Job 1"] and after == to_file("", turned)


def test_notes_code_and_plain_lists_stay_as_they_are() -> None:
    """Only lines with a box are todos. Everything else in the file survives, also below an item that goes."""
    text = (
        "Intro.\n\n- [ ] One <!-- 1 -->\n  Its note.\n\n  - a plain bullet\n\n```sh\n- [ ] code\n```\n\n"
        "- [ ] Two <!-- 2 -->\n\n  Why two is hard.\n\n---\n\nThe end.\n"
    )
    plan = Plan((Todo("1", "One Its note."), Todo("2", "Two")), revision=1, next_id=3)
    assert synced(text, plan, base_of(plan)) == (plan, text, ())
    _, without, _ = synced(text, plan._replace(todos=plan.todos[:1]), base_of(plan))
    assert "Two <!--" not in without
    kept = {line for line in text.splitlines() if line.strip() and "Two <!--" not in line}
    assert kept <= set(without.splitlines())


def test_a_copied_line_is_a_new_todo() -> None:
    """Whoever copies a line copies its comment, too: the first one is the todo, the second one is new."""
    text = FILE.replace(
        "- [ ] Fix the bug <!-- 2 -->\n", "- [ ] Fix the bug <!-- 2 -->\n- [ ] Fix another <!-- 2 -->\n"
    )
    plan, after, _ = synced(text, PLAN, base_of(PLAN))
    assert [todo.id for todo in plan.todos] == ["1", "2", "4", "3"]
    assert "- [ ] Fix another <!-- 4 -->" in after


def test_windows_line_ends_stay() -> None:
    """A file with CRLF keeps it, also on the lines that are new."""
    _, text, _ = synced(FILE.replace("\n", "\r\n"), PLAN._replace(todos=PLAN.todos[:2]), base_of(PLAN))
    assert text.count("\r\n") == text.count("\n") and "Ship it" not in text


def test_a_base_that_was_damaged_is_none() -> None:
    """What cannot be read is not trusted: both sides are merged without it."""
    assert SyncBase.from_json(base_of(PLAN).to_json()) == base_of(PLAN)
    for broken in ("", "[]", "{}", '{"todos": [["1"]], "summary": ""}', json.dumps({"todos": [["1", "a", "odd"]]})):
        assert SyncBase.from_json(broken) is None


def todos_of(texts: list[tuple[str, Status]]) -> Plan:
    """A plan of these todos."""
    made = [Todo(str(at), one_line(text).strip() or "x", status) for at, (text, status) in enumerate(texts, 1)]
    return Plan(tuple(made), revision=1, next_id=len(made) + 1)


some_todos = st.lists(st.tuples(hostile_texts, statuses), max_size=6).map(todos_of)


@given(some_todos, some_todos)
def test_after_a_sync_both_sides_say_the_same(one: Plan, other: Plan) -> None:
    """Whatever both sides were, a second sync finds nothing to do."""
    plan, after, _ = synced(to_file("", one), other, None)
    again, same, notes = synced(after, plan, base_of(plan))
    assert (again.todos, same, notes) == (plan.todos, after, ())
