"""A user's list as the plan: from the start, or when a model cannot go on by itself."""

import pytest
from attended import text_of
from edited import shown

from holdfast import Attention, Board
from holdfast.attention.adoption import adopt, catch_up, planned
from holdfast.plan.work import NO_WORK

PENDING, RUNNING, DONE = "pending", "in_progress", "completed"
FILES = ("create a.txt", "create b.txt")


def board_of(*items: tuple[str, str]) -> Board:
    """A board with todos of these texts and statuses."""
    board = Board()
    assert board.update([{"content": text, "status": status} for text, status in items]).ok
    return board


def rows(board: Board) -> list[tuple[str, str]]:
    """The texts and statuses of a plan."""
    return [(content, status) for _, content, status in shown(board.plan)]


def test_a_list_is_the_plan_with_the_words_around_it_as_its_goal() -> None:
    """Where no plan is open, also after one that is finished."""
    board = board_of(("Old", DONE))
    assert adopt(board, ["A", "B"], "Be quick")
    assert (rows(board), board.plan.summary) == ([("A", PENDING), ("B", PENDING)], "Be quick")
    board.update([{"id": id, "status": DONE} for id in "12"])
    assert adopt(board, ["C"], "")
    assert (rows(board), board.plan.summary) == ([("C", PENDING)], "")


def test_what_is_added_to_an_open_plan_is_in_its_history() -> None:
    """As a step of the host, by its own name."""
    board = board_of(("A", RUNNING))
    assert adopt(board, ["B"], "")
    newest = next(iter(board.history())).change
    assert (newest.by, newest.action) == ("host", "adopt")
    assert rows(board) == [("A", RUNNING), ("B", PENDING)]


@pytest.mark.parametrize(
    ("point", "kept"),
    [
        ("do not delete b.txt: it must stay, with the text: kept", True),
        ("Please don't delete b.txt, I need it", True),
        ("do not delete b.txt", False),
        ("But never delete the file b.txt.", False),
    ],
)
def test_what_the_user_takes_back_is_cancelled(point: str, kept: bool) -> None:
    """A model must not be told to do it. What else the point says is a todo."""
    board = board_of(("create a.txt", RUNNING), ("delete b.txt", PENDING), ("copy b.txt to c.txt", PENDING))
    assert adopt(board, [point, "create d.txt"], "")
    new = [(point, PENDING)] if kept else []
    assert rows(board) == [
        ("create a.txt", RUNNING),
        ("delete b.txt", "cancelled"),
        ("copy b.txt to c.txt", PENDING),
        *new,
        ("create d.txt", PENDING),
    ]


@pytest.mark.parametrize("point", ["do not delete c.txt", "do not create b.txt!", "Don't touch the tests."])
def test_what_a_list_only_forbids_is_no_todo(point: str) -> None:
    """A model on the rails would be told to do it."""
    board = board_of(("delete b.txt", RUNNING))
    assert adopt(board, [point, "create d.txt"], "")
    assert rows(board) == [("delete b.txt", RUNNING), ("create d.txt", PENDING)]
    assert not adopt(Board(), [point], "")
    for goal, whole in (("", point), ("Be quick", f"Be quick\n{point}")):
        board = Board()
        assert adopt(board, ["create d.txt", point], goal)
        assert (rows(board), board.plan.summary) == ([("create d.txt", PENDING)], whole)


@pytest.mark.parametrize(
    "point",
    [
        "do not create b.txt: it is there",
        "do not forget to delete b.txt",
        "don't hesitate to ask",
        "do not fail to delete b.txt",
        "delete b.txt, not a.txt",
        "don't",
    ],
)
def test_what_forbids_nothing_that_is_planned_takes_nothing_back(point: str) -> None:
    """Another file, another verb, or no such word at the beginning. What is done stays done."""
    board = board_of(("delete b.txt", RUNNING), ("delete c.txt", DONE))
    assert adopt(board, [point], "")
    assert rows(board) == [("delete b.txt", RUNNING), ("delete c.txt", DONE), (point, PENDING)]


def test_a_todo_without_a_name_is_taken_back_in_its_own_words() -> None:
    """Other words may mean another one."""
    board = board_of(("paint the fence", PENDING), ("paint the wall", PENDING))
    assert adopt(board, ["Do not paint the fence"], "")
    assert rows(board) == [("paint the fence", "cancelled"), ("paint the wall", PENDING)]


def test_what_is_taken_back_in_a_dialect_without_a_word_for_it_is_cancelled_too() -> None:
    """The truth stays in the plan."""
    board = Board(dialect="codex", policy="rail")
    assert board.write({"plan": [{"step": "delete b.txt", "status": "pending"}]}).ok
    assert adopt(board, ["do not delete b.txt", "create d.txt"], "")
    assert rows(board) == [("delete b.txt", "cancelled"), ("create d.txt", PENDING)]


def test_a_plan_may_be_filled_up_to_its_limit() -> None:
    """A point that is there already takes no place; one more than fits is refused."""
    board = board_of(*((f"job {number}", PENDING) for number in range(49)))
    assert not adopt(board, ["B", "C"], "")
    assert adopt(board, ["job 1", "B"], "")
    assert len(board.plan.todos) == 50


def test_a_point_that_is_too_long_for_a_todo_is_not_added() -> None:
    """Nor are the others: the model has to put the list into words that fit."""
    board = board_of(("A", PENDING))
    assert not adopt(board, ["B", "x" * 201], "")
    assert rows(board) == [("A", PENDING)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([], [(FILES[0], DONE), (FILES[1], RUNNING)], id="no plan"),
        pytest.param([(FILES[1], RUNNING)], [(FILES[1], RUNNING), (FILES[0], DONE)], id="one is missing"),
        pytest.param(
            [(FILES[0], PENDING), (FILES[1], PENDING)], [(FILES[0], PENDING), (FILES[1], PENDING)], id="none is missing"
        ),
        pytest.param(
            [(FILES[0], DONE), (FILES[1], DONE)], [(FILES[0], DONE), (FILES[1], PENDING)], id="nothing shows that"
        ),
        pytest.param(
            [("create c.txt", DONE), (FILES[0], DONE), (FILES[1], RUNNING)],
            [("create c.txt", DONE), (FILES[0], DONE), (FILES[1], RUNNING)],
            id="its own todo",
        ),
    ],
)
def test_the_plan_catches_up_with_the_list_and_the_calls(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    """What is missing is added, and done if the calls have its names. What they do not show to be done is open."""
    board = board_of(*before)
    catch_up(board, FILES, "In this folder", ["ls", "touch A.txt"])
    assert rows(board) == after


def test_a_point_that_names_nothing_is_left_as_the_model_has_it() -> None:
    """The calls cannot show whether it is done."""
    board = board_of(("Say hello", DONE))
    catch_up(board, ["Say hello", "Thank them"], "", ["echo hello"])
    assert rows(board) == [("Thank them", PENDING)]
    board = board_of(("Say hello", DONE), ("Other", PENDING))
    catch_up(board, ["Say hello", "Thank them"], "", ["echo hello"])
    assert rows(board) == [("Say hello", DONE), ("Other", PENDING), ("Thank them", PENDING)]


def test_work_from_before_counts_for_no_todo() -> None:
    """Nobody knows which of them it was for."""
    board = board_of((FILES[0], RUNNING))
    board.record_tool_use("bash", {"command": "touch z.txt"})
    catch_up(board, FILES[:1], "", [])
    assert board.work == NO_WORK


def test_work_from_the_last_task_counts_for_no_todo_of_an_adopted_plan() -> None:
    """Whether it was done for an old todo or for none."""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message("- think\n- rest")
    for message in ("- sit\n- stand", "- walk\n- run"):
        attention.after_tool("bash", {"command": "make"})
        for todo in attention.board.plan.todos:
            attention.board.edit(todo.id, status=DONE)
        attention.after_tool("bash", {"command": "make install"})
        attention.on_user_message(message)
        assert attention.board.work == NO_WORK
        assert text_of(attention.before_request()).startswith("Now do item 1")


@pytest.mark.parametrize(
    ("todos", "found"),
    [
        ((), {}),
        (("create b.txt",), {"create b.txt": "create b.txt"}),
        (("Make b.txt", "something"), {"create b.txt": "Make b.txt"}),
        (("Make a.txt and b.txt",), {"create a.txt": "Make a.txt and b.txt"}),
        (
            ("Make a.txt and b.txt", "Then b.txt"),
            {"create a.txt": "Make a.txt and b.txt", "create b.txt": "Then b.txt"},
        ),
        (("create b.txt", "also b.txt"), {"create b.txt": "create b.txt"}),
    ],
)
def test_a_todo_stands_for_one_point(todos: tuple[str, ...], found: dict[str, str]) -> None:
    """In the same words, or else with the same names. One todo for everything is no plan."""
    assert planned(FILES, todos) == found


def test_a_todo_in_the_words_of_one_point_stands_for_no_other() -> None:
    """Even if it has all the names of the other one, that is still to be planned."""
    points = ("create a.txt", "copy a.txt to b.txt")
    assert planned(points, points[1:]) == {points[1]: points[1]}


def test_points_without_names_are_found_by_their_words_alone() -> None:
    """Nobody can tell what else would stand for them."""
    assert planned(("think", "rest"), ("think hard", "rest")) == {"rest": "rest"}


def test_a_model_that_planned_in_its_own_words_is_not_given_its_list_twice() -> None:
    """What it has marked as done in these words, and no call has mentioned, is open again."""
    board = board_of(("Make a.txt", DONE), ("tidy up", PENDING))
    catch_up(board, FILES, "", [])
    assert rows(board) == [("Make a.txt", PENDING), ("tidy up", PENDING), ("create b.txt", PENDING)]


def test_a_name_within_another_one_is_not_that_name() -> None:
    """Neither in a todo of the model nor in a call: what the user has asked for is neither lost nor taken for done."""
    points = ("create a.txt", "create data.txt")
    assert planned(points, ("Make data.txt", "Make a.txt")) == {
        "create a.txt": "Make a.txt",
        "create data.txt": "Make data.txt",
    }
    board = board_of()
    catch_up(board, points, "", ["touch data.txt"])
    assert rows(board) == [("create a.txt", RUNNING), ("create data.txt", DONE)]


def test_a_name_is_found_among_characters_of_another_script() -> None:
    """There are no spaces between words in Chinese."""
    assert planned(FILES, ("创建a.txt文件",)) == {"create a.txt": "创建a.txt文件"}
