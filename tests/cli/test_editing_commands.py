"""The commands by which a person corrects a plan: what they change, what they say, and what the model hears of it."""

from pathlib import Path

import pytest
from driving import Ran, board, run
from pseudo_terminal import PseudoTerminal

from holdfast import Plan, Status
from holdfast.plan import Details
from holdfast.plan.edits import describe

CLEAR = "import sys; from holdfast.cli.main import main; sys.argv[1:] = ['clear', '--db', {db!r}]; sys.exit(main())"


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
    """Whose plan it is, the todo with its new sign, and how far the plan is."""
    assert run(folder, "done", "1").stdout == "default / main\n✓ 1  Read\n███████░░░░░░░░░░░░░ 1/3 done\n"


def test_every_edit_names_the_session_that_it_hit(folder: Path) -> None:
    """With two agents at work, nobody is left to guess whose todo 2 it was."""
    other = board(folder, "nightly")
    other.write({"todos": [{"content": "Sweep"}, {"content": "Report"}]})
    other.store.close()
    lines = [("done", "2"), ("start", "1"), ("reword", "1", "Sweep all"), ("move", "2", "1"), ("reopen", "2")]
    lines += [("block", "2"), ("set", "2", "--priority", "low"), ("cancel", "2"), ("add", "More"), ("remove", "3")]
    for words in (*lines, ("undo",), ("redo",), ("restore", "2"), ("rename", "Night")):
        assert run(folder, *words).stdout.startswith("nightly / main"), words
    assert statuses(folder) == ["in_progress", "pending", "pending"]


def test_a_text_may_be_several_words(folder: Path) -> None:
    """Words need no quotes, at the end or at a place."""
    assert run(folder, "add", "Write", "the", "docs").stdout.splitlines()[1] == "○ 4  Write the docs"
    assert run(folder, "add", "--place", "1", "Think first").code == 0
    assert texts(folder) == ["Think first", "Read", "Fix", "Test", "Write the docs"]


def test_a_reworded_todo_shows_its_new_text(folder: Path) -> None:
    """The old active form would be wrong now, so it goes."""
    assert run(folder, "reword", "1", "Read", "it", "all").stdout.splitlines()[1] == "● 1  Read it all..."
    assert plan(folder).todos[0].active_form == "", "as the API does it"
    assert texts(folder) == ["Read it all", "Fix", "Test"]


def test_a_todo_moves(folder: Path) -> None:
    """Places are counted from 1, as people do."""
    run(folder, "move", "3", "1")
    assert texts(folder) == ["Test", "Read", "Fix"]


def test_a_todo_goes(folder: Path) -> None:
    """It is told what went."""
    assert run(folder, "remove", "2").stdout.splitlines()[1] == "Removed 2"
    assert texts(folder) == ["Read", "Test"]


def test_a_todo_named_twice_is_meant_once(folder: Path) -> None:
    """The second word does not make an error of what the first one has done."""
    assert run(folder, "remove", "2", "2", "3").code == 0
    assert texts(folder) == ["Read"]


def test_clear_and_undo(folder: Path) -> None:
    """A plan that was cleared by mistake comes back."""
    cleared = run(folder, "clear", "--yes").stdout
    assert "No todos.\nThe 3 todos of revision 1 can come back: holdfast restore 1\n" in cleared
    assert "holdfast restore 1" in run(folder, "show").stdout
    assert texts(folder) == []
    assert "○ 2  Fix" in run(folder, "undo").stdout
    assert texts(folder) == ["Read", "Fix", "Test"]


@pytest.mark.parametrize("words", [("clear",), ("undo",), ("restore", "0"), ("remove", "1", "2", "3")])
def test_nothing_empties_a_plan_without_a_question(folder: Path, words: tuple[str, ...]) -> None:
    """Where nobody can be asked, --yes must say it; the plan stays as it was, and is found again afterwards."""
    ran = run(folder, *words)
    assert (ran.stdout, ran.code) == ("", 1)
    message = "holdfast: this removes all 3 todos from the plan of default / main: add --yes if you mean it\n"
    assert ran.stderr == message
    assert len(texts(folder)) == 3
    assert run(folder, *words, "--yes").code == 0
    assert texts(folder) == []
    assert run(folder, "restore", "1").code == 0
    assert texts(folder) == ["Read", "Fix", "Test"]


@pytest.mark.parametrize(("answer", "left"), [("n", 3), ("", 3), ("yes", 0)])
def test_a_person_at_a_terminal_is_asked(folder: Path, answer: str, left: int) -> None:
    """Only a yes empties the plan."""
    with PseudoTerminal(CLEAR.format(db=str(folder / "plans.db")), 80, 24, {}) as terminal:
        terminal.wait_for("This removes all 3 todos from the plan of default / main", "Go on? [y/N]")
        terminal.type(f"{answer}\r")
        terminal.wait_for("No todos." if left == 0 else "nothing was changed")
    assert len(texts(folder)) == left


def test_undo_and_redo_go_back_and_forth(folder: Path) -> None:
    """An undo that was one too many is taken back."""
    run(folder, "done", "1")
    run(folder, "undo")
    assert statuses(folder)[0] == "in_progress"
    assert "✓ 1  Read" in run(folder, "redo").stdout
    assert run(folder, "redo").stderr == "holdfast: there is nothing to redo\n"


def test_who_takes_a_step_back_sees_what_it_changed(folder: Path) -> None:
    """The whole plan is shown, and below it only what came, went or became another."""
    run(folder, "remove", "2")
    undone, redone = run(folder, "undo").stdout, run(folder, "redo").stdout
    assert undone.endswith("Changed:\n    + 2  Fix\n") and redone.endswith("Changed:\n    - 2  Fix\n")
    assert run(folder, "restore", "1").stdout.endswith("Changed:\n    + 2  Fix\n")
    assert "Changed:" not in run(folder, "clear", "--yes").stdout + run(folder, "undo", "--json").stdout


def test_a_name_is_nothing_to_undo(folder: Path) -> None:
    """A rename is not a change of the plan: an undo takes back the change before it, and the name stays."""
    run(folder, "done", "1")
    run(folder, "rename", "Parser")
    run(folder, "undo")
    assert statuses(folder)[0] == "in_progress"
    assert plan(folder).about.name == "Parser"


def test_what_a_model_can_say_a_person_can_too(folder: Path) -> None:
    """Dependencies, priority, a note, an owner, a section, and why something is blocked."""
    run(folder, "set", "3", "--after", "1,2", "--priority", "high", "--owner", "w7", "--note", "On Windows, too")
    run(folder, "set", "2", "3", "--section", "Ship")
    details = plan(folder).todos[2].details
    assert details == Details("On Windows, too", "high", ("1", "2"), "w7", section="Ship")
    run(folder, "block", "2", "--reason", "no key yet")
    shown = run(folder, "show").stdout
    assert "Ship\n  ! 2  Fix  blocked: no key yet\n" in shown
    assert "  ○ 3  Test  for w7 · waits for 1, 2 · high priority\n       On Windows, too\n" in shown
    assert "because: no key yet" in describe(plan(folder))
    run(folder, "set", "3", "--after", "", "--priority", "none", "--note", "", "--owner", "", "--section", "")
    assert plan(folder).todos[2].details == Details()
    assert run(folder, "add", "Last", "--after", "3", "--section", "Ship").code == 0
    assert plan(folder).todos[3].details == Details(blocked_by=("3",), section="Ship")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("set", "1", "--after", "9"), "blockedBy: no todo '9' to wait for"),
        (("set", "2", "--after", "2"), "blockedBy: todos wait for each other: 2 → 2"),
        (("add", "x", "--after", "9"), "blockedBy: no todo '9' to wait for"),
    ],
)
def test_a_person_cannot_ask_for_what_no_work_could_follow(folder: Path, words: tuple[str, ...], message: str) -> None:
    """A dependency on nothing, or in a ring, is refused; the plan stays as it was."""
    before = plan(folder)
    assert run(folder, *words) == Ran("", f"holdfast: {message}\n", 1)
    assert plan(folder) == before


def test_set_with_nothing_to_set(folder: Path) -> None:
    """It says what there is to set."""
    ran = run(folder, "set", "1")
    assert ran.code == 2 and "--after, --priority, --note, --owner, --section" in ran.stderr


def test_what_is_ready(folder: Path) -> None:
    """What can be started now, the most urgent first, and by whom; what waits, is blocked or held is left out."""
    run(folder, "add", "Tell", "--priority", "high", "--owner", "w7")
    run(folder, "set", "3", "--after", "2")
    run(folder, "add", "Wait")
    run(folder, "block", "5")
    lines = ["default / main", "○ 4  Tell  for w7", "○ 2  Fix  for anyone", "2 todos of 5 open can be started now"]
    assert run(folder, "ready").stdout.splitlines() == lines
    run(folder, "claim", "2", "--as", "w8")
    assert [todo["id"] for todo in run(folder, "ready", "--json").data] == ["4"]


def test_a_claim_says_who_and_for_how_long(folder: Path) -> None:
    """In `show`, in what `claim` prints, and in the log when another agent takes it over."""
    run(folder, "done", "1")
    assert "● 2  Fix...  held by w7 for 4m 5" in run(folder, "claim", "2", "--as", "w7").stdout
    assert "● 2  Fix...  held by w7 for 4m 5" in run(folder, "show").stdout
    taken = board(folder)
    taken.leases.release_lease(taken.key, "1/2", "w7")
    assert taken.claim("w8", "2").reply.ok
    taken.store.close()
    assert "    ~ 2  Fix: held by w8, before: w7\n" in run(folder, "log").stdout


def test_no_entry_of_the_log_is_empty(folder: Path) -> None:
    """Each change says what it did, also one that changed no todo."""
    run(folder, "done", "1")
    main = board(folder)
    main.mark_edits_told()
    main.archive()
    main.store.close()
    run(folder, "rename", "Parser")
    run(folder, "remove", "1", "2", "3", "--yes")
    log = run(folder, "log", "-n", "0").stdout.splitlines()
    heads = [at for at, line in enumerate(log) if line.startswith("#")]
    assert len(heads) == 8 and all(at + 1 not in heads and at + 1 < len(log) for at in heads)
    assert "    the model knows of the edits" in log and "    called: Parser" in log
    assert "    cleared, with 1 todo on it" in log


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
            ("add", "Lost", "--session", "nowhere"),
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
    assert run(tmp_path, "add", "Begin elsewhere", "--session", "new", "--new").code == 0
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
