"""Where the work on the current todo stands, by its journal."""

import pytest
from attended import work
from moments import FINISHED, OPEN

from holdfast import OFF, QUIET, RAIL, Policy, Status, Todo
from holdfast.attention.state import State, Turn, source_files, state_of, work_on
from holdfast.plan.work import NO_WORK, ToolUse, Work, tool_use

SOURCE = (
    *("c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "jsx", "kt", "lua", "php", "pl", "py"),
    *("rb", "rs", "scala", "sh", "sql", "swift", "ts", "tsx"),
)
LOOKS = ("?cat a", "?cat a", "?cat a")
FAILED_LOOK = (work("?cat a").uses[0]._replace(failed=True),)
UNKNOWN = ToolUse("bash")
"""A call that succeeded, of which a host has not said what it was."""


@pytest.mark.parametrize(
    ("turn", "policy", "state"),
    [
        pytest.param(Turn(), RAIL, State.NEW, id="nothing done"),
        pytest.param(Turn(work=work("?ls")), QUIET, State.LOOKED, id="one look"),
        pytest.param(Turn(work=work("?ls", "?cat a")), QUIET, State.WORKED, id="two looks are work"),
        pytest.param(Turn(work=work("?ls", "?cat a")), RAIL, State.LOOKED, id="two looks complete nothing"),
        pytest.param(Turn(work=work("?ls", "?cat a", "?cat b")), RAIL, State.WORKED, id="more looks are insisted on"),
        pytest.param(Turn(work=work("?ls", "make")), RAIL, State.WORKED, id="a look and work"),
        pytest.param(Turn(work=work("make", "make")), QUIET, State.REPEATED, id="the same again"),
        pytest.param(Turn(work=work("make", "make")), OFF, State.WORKED, id="nobody breaks loops"),
        pytest.param(Turn(work=work(*LOOKS)), RAIL, State.WORKED, id="the same look again may be all or nothing"),
        pytest.param(Turn(work=work(*LOOKS), constrained=True), RAIL, State.REPEATED, id="a host can end looks"),
        pytest.param(Turn(work=work("?ls", *LOOKS[:1]), constrained=True), QUIET, State.WORKED, id="another look"),
        pytest.param(Turn(work=work("make"), unmentioned=("a.txt",)), RAIL, State.UNMENTIONED, id="a name is missing"),
        pytest.param(Turn(work=work("!a")), RAIL, State.FAILED, id="failed"),
        pytest.param(Turn(work=work("!a", "!b", "!c")), RAIL, State.GIVE_UP, id="three ways failed"),
        pytest.param(Turn(work=work("!a", "!b", "!c")), QUIET, State.FAILED, id="nobody gives up"),
        pytest.param(Turn(work=work("mv a b", "!mv a b")), RAIL, State.DONE_BEFORE, id="done, then failed"),
        pytest.param(
            Turn(work=work("!mv a b"), done_elsewhere=frozenset({work("mv a b").uses[0].key})),
            RAIL,
            State.DONE_BEFORE,
            id="done for another todo",
        ),
        pytest.param(
            Turn(work=Work("2", FAILED_LOOK), done_elsewhere=frozenset({FAILED_LOOK[0].key})),
            RAIL,
            State.FAILED,
            id="seen for another todo",
        ),
        pytest.param(
            Turn(work=Work("2", (*work("?ls", "?cat a").uses, *FAILED_LOOK))), RAIL, State.FAILED, id="seen before"
        ),
        pytest.param(
            Turn(work=Work("2", (*work("make").uses, *FAILED_LOOK)), out_of_sight=1),
            RAIL,
            State.DONE_BEFORE,
            id="what a look misses was done out of sight",
        ),
        pytest.param(
            Turn(work=work("mv a b", "!mv a b"), unmentioned=("c.txt",)), RAIL, State.FAILED, id="done in part"
        ),
        pytest.param(Turn(work=work("make", "!test"), out_of_sight=1), RAIL, State.DONE_BEFORE, id="out of sight"),
        pytest.param(Turn(work=work("!a", "!b"), out_of_sight=1), RAIL, State.FAILED, id="nothing done out of sight"),
        pytest.param(Turn(work=work("?ls", "?ls a", "!b"), out_of_sight=2), RAIL, State.FAILED, id="only seen"),
        pytest.param(
            Turn(work=Work("2", (UNKNOWN, UNKNOWN._replace(failed=True)))), RAIL, State.FAILED, id="unknown calls"
        ),
    ],
)
def test_the_journal_says_where_the_work_stands(turn: Turn, policy: Policy, state: State) -> None:
    """What was called, how it ended, what the policy makes of it, and what the model can still see."""
    assert state_of(OPEN, OPEN.todos[1], turn, policy) is state


def test_what_lacks_a_name_was_not_done_out_of_sight() -> None:
    """A small model had written the wrong file before the compaction."""
    todo = Todo("2", "copy moss.txt to finch.txt", Status.IN_PROGRESS)

    def after(*commands: str) -> State:
        uses = [tool_use("bash", {"command": command}, names=("moss.txt", "finch.txt")) for command in commands]
        failed = tool_use("bash", {"command": "cp moss.txt finch.txt"}, failed=True, names=("moss.txt", "finch.txt"))
        return state_of(OPEN, todo, Turn(work=Work("2", (*uses, failed)), out_of_sight=1), RAIL)

    assert after("echo moss.txt > moss.txt") is State.FAILED
    assert after("cat moss.txt > finch.txt") is State.DONE_BEFORE
    again = work("make", "!mv a b")
    turn = Turn(work=Work("2", again.uses), out_of_sight=1, done_elsewhere=frozenset({again.uses[1].key}))
    assert state_of(OPEN, todo, turn, RAIL) is State.DONE_BEFORE, "the call itself has succeeded for another todo"


def test_source_code_is_to_be_read_first() -> None:
    """Under a policy that says so, and only before anything was done."""
    todo = Todo("2", "Fix the bug in parser.py", Status.IN_PROGRESS)
    assert state_of(OPEN, todo, Turn(), RAIL) is State.UNREAD
    assert state_of(OPEN, todo, Turn(), QUIET) is State.NEW


@pytest.mark.parametrize(
    "ending",
    [
        "c",
        "cc",
        "cpp",
        "cs",
        "css",
        "go",
        "h",
        "hpp",
        "html",
        "java",
        "js",
        "jsx",
        "kt",
        "lua",
        "php",
        "pl",
        "py",
        "rb",
        "rs",
        "scala",
        "sh",
        "sql",
        "swift",
        "ts",
        "tsx",
    ],
)
def test_files_of_these_endings_are_source_code(ending: str) -> None:
    """They must be read before they are changed."""
    assert source_files(Todo("1", f"Fix main.{ending}, see notes.txt and data.json")) == (f"main.{ending}",)


def test_work_is_counted_for_the_current_todo() -> None:
    """What its journal has, and what was done since: for it, or before anybody knew for what."""
    done, since = work("make").uses, work("test").uses
    plan = OPEN._replace(todos=(OPEN.todos[0], OPEN.todos[1]._replace(work=done), OPEN.todos[2]))
    assert work_on(plan, Work("2", since)) == work_on(plan, Work("", since)) == Work("2", (*done, *since))
    assert work_on(plan, Work("3", since)) == Work("2", done)


def test_without_a_current_todo_only_what_was_done_for_none_counts() -> None:
    """Or what was done for the blocked one that is tried again."""
    since = work("make").uses
    assert work_on(FINISHED, Work("", since)) == Work("", since)
    assert work_on(FINISHED, Work("3", since)) == NO_WORK
    assert work_on(FINISHED, Work("3", since), retry="3") == Work("3", since)


def test_a_turn_begins_with_nothing_but_a_plan_in_sight() -> None:
    """Whatever else there is to know of it comes from the host, or from what happens."""
    assert {name for name, value in Turn()._asdict().items() if value and value != NO_WORK} == {"first", "sees_plan"}
