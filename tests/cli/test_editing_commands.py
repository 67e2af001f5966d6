"""The commands by which a person corrects a plan: what they change, what they say, and what the model hears of it."""

from pathlib import Path

import pytest
from driving import Ran, board, run

from holdfast import Plan, Status
from holdfast.plan.edits import describe


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose plan has three todos, the first in progress."""
    main = board(tmp_path)
    todos = [
        {"content": "Read", "status": "in_progress", "activeForm": "Reading"},
        {"content": "Fix"},
        {"content": "Test"},
    ]
    main.write({"todos": todos})
    main.store.close()
    return tmp_path


def plan(folder: Path) -> Plan:
    """The plan as it is now."""
    main = board(folder)
    try:
        return main.plan
    finally:
        main.store.close()


def statuses(folder: Path) -> list[str]:
    """The statuses of the todos, in order."""
    return [str(todo.status) for todo in plan(folder).todos]


def texts(folder: Path) -> list[str]:
    """The texts of the todos, in order."""
    return [todo.content for todo in plan(folder).todos]


@pytest.mark.parametrize(
    ("words", "after"),
    [
        (("start", "2"), ["pending", "in_progress", "pending"]),
        (("done", "1", "3"), ["completed", "pending", "completed"]),
        (("cancel", "2"), ["in_progress", "cancelled", "pending"]),
        (("block", "3"), ["in_progress", "pending", "blocked"]),
    ],
)
def test_a_todo_gets_a_status(folder: Path, words: tuple[str, ...], after: list[str]) -> None:
    """One command for each status, several todos at once where that makes sense."""
    assert run(folder, *words).code == 0
    assert statuses(folder) == after


def test_what_became_of_it_is_printed(folder: Path) -> None:
    """The todo with its new sign, and how far the plan is."""
    assert run(folder, "done", "1").stdout == "✓ 1  Read\n███████░░░░░░░░░░░░░ 1/3 done\n"


def test_a_text_may_be_several_words(folder: Path) -> None:
    """Words need no quotes, at the end or at a place."""
    assert run(folder, "add", "Write", "the", "docs").stdout.startswith("○ 4  Write the docs\n")
    assert run(folder, "add", "--place", "1", "Think first").code == 0
    assert texts(folder) == ["Think first", "Read", "Fix", "Test", "Write the docs"]


def test_a_reworded_todo_shows_its_new_text(folder: Path) -> None:
    """The old active form would be wrong now, so it goes."""
    assert run(folder, "reword", "1", "Read", "it", "all").stdout.startswith("● 1  Read it all...\n")
    assert texts(folder) == ["Read it all", "Fix", "Test"]


def test_a_todo_moves(folder: Path) -> None:
    """Places are counted from 1, as people do."""
    run(folder, "move", "3", "1")
    assert texts(folder) == ["Test", "Read", "Fix"]


def test_a_todo_goes(folder: Path) -> None:
    """It is told what went."""
    assert run(folder, "remove", "2").stdout.splitlines()[0] == "Removed 2"
    assert texts(folder) == ["Read", "Test"]


def test_a_todo_named_twice_is_meant_once(folder: Path) -> None:
    """The second word does not make an error of what the first one has done."""
    assert run(folder, "remove", "2", "2", "3").code == 0
    assert texts(folder) == ["Read"]


def test_clear_and_undo(folder: Path) -> None:
    """A plan that was cleared by mistake comes back."""
    assert "No todos." in run(folder, "clear").stdout
    assert texts(folder) == []
    assert "○ 2  Fix" in run(folder, "undo").stdout
    assert texts(folder) == ["Read", "Fix", "Test"]


def test_the_model_is_told(folder: Path) -> None:
    """What a person does here is an edit like any other."""
    run(folder, "cancel", "2")
    assert describe(plan(folder)) == 'The user changed the plan: 2 ("Fix") is cancelled.'


def test_json_is_the_plan_after_it(folder: Path) -> None:
    """Programs get the same data as from `show`."""
    assert run(folder, "done", "1", "--json").data == run(folder, "show", "--json").data
    assert run(folder, "undo", "--json").data == run(folder, "show", "--json").data


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("done", "1", "9"), "holdfast: no todo 9; the plan has 1, 2, 3\n"),
        (("remove", "x\x1b[2J"), "holdfast: no todo x␛[2J; the plan has 1, 2, 3\n"),
        (("add", "x" * 201), "holdfast: content: at most 200 characters, received 201\n"),
        (("add", " "), "holdfast: content: "),
        (("reword", "1", ""), "holdfast: content: "),
        (
            ("done", "1", "--session", "nowhere"),
            "holdfast: no plan of session 'nowhere', agent 'main'; there are 'default'\n",
        ),
        (
            ("done", "1", "--agent", "nobody"),
            "holdfast: no plan of session 'default', agent 'nobody'; that session has 'main'\n",
        ),
    ],
)
def test_a_refusal_says_why_and_changes_nothing(folder: Path, words: tuple[str, ...], message: str) -> None:
    """One line on stderr, exit code 1, and not even the todos before the wrong one are touched."""
    before = plan(folder)
    ran = run(folder, *words)
    assert (ran.stdout, ran.code) == ("", 1)
    assert ran.stderr.startswith(message)
    assert ran.stderr.count("\n") == 1
    assert plan(folder) == before


def test_undo_with_nothing_to_undo(tmp_path: Path) -> None:
    """A plan that never was cannot be undone."""
    assert run(tmp_path, "undo") == Ran("", "holdfast: there is nothing to undo\n", 1)


def test_a_first_todo_makes_a_plan(tmp_path: Path) -> None:
    """A person may begin before any agent does."""
    assert run(tmp_path, "add", "Begin").code == 0
    assert run(tmp_path, "add", "Begin elsewhere", "--session", "new").code == 0
    assert texts(tmp_path) == ["Begin"]


def test_a_plan_beyond_the_usual_limits_can_be_corrected(tmp_path: Path) -> None:
    """Sixty todos, two of them in progress: another one may be added."""
    main = board(tmp_path)
    main.dialect = main.dialect.with_rules(main.dialect.rules._replace(max_items=100, max_in_progress=2))
    main.write(
        {"todos": [{"content": str(at), "status": Status.IN_PROGRESS if at < 2 else "pending"} for at in range(60)]}
    )
    main.store.close()
    assert run(tmp_path, "add", "One more").code == 0
    assert len(texts(tmp_path)) == 61
