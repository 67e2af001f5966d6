"""The lists in what a user says, and what a plan leaves out of them."""

from itertools import product

import pytest

from holdfast import RAIL, Attention, Board
from holdfast.attention.coverage import (
    Message,
    around_points,
    goal_around,
    listed_points,
    points_to_adopt,
    points_to_catch_up,
    read_message,
)
from holdfast.dialects import DialectName


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Do this:\n1. one\n2) two\n(3) three\n4: four", ("one", "two", "three", "four")),
        ("- one\n* two\n+ three\n\u2022 four", ("one", "two", "three", "four")),
        ("  - one\n      - two, deeper\n", ("one", "two, deeper")),
        ("1、甲\n2． 乙\n三、丙\n（4）丁\n⑤戊", ("甲", "乙", "丙", "丁", "戊")),
        ("- [ ] one\n- [x] done\n1. [X] done, too\n* [ ] two\n- [one](two)", ("one", "two", "[one](two)")),
        ("Only:\n- one", ()),
        ("10：30 开会\n2024 年\n三天", ()),
        ("1.5 is a number, -3 too\n2.0", ()),
        ("```\n- code\n- code\n```\nand\n~~~\n1. code\n2. code\n~~~", ()),
        ("- \n-\n1.\n", ()),
        ("", ()),
    ],
)
def test_points_are_counted_and_nothing_else(text: str, points: tuple[str, ...]) -> None:
    """Numbers and bullets at the start of a line make a list; code, figures and a single point do not."""
    assert listed_points(text) == points


def attended(text: str) -> Attention[Board]:
    """Attention to an empty board, after the user said something."""
    attention = Attention(Board(policy=RAIL.replace(adopts=False)))
    attention.on_user_message(text)
    return attention


def test_a_plan_that_leaves_points_out_is_told_so_once() -> None:
    """What is missing is named at the next request, and then never again."""
    attention = attended("Please:\n1. A\n2. B\n3. C")
    first = attention.before_request()
    assert first is not None and "one todo for each of the 3 points" in first.text
    assert attention.board.write({"todos": [{"content": "A"}]}).ok
    told = [attention.before_request() for _ in range(2)]
    assert told[0] is not None and told[1] is not None
    assert told[0].text == "The user listed 3 points, and the plan has 1. Add the 2 that are missing with TodoWrite."
    assert told[1].text.startswith("Now do item 1")


def test_a_plan_that_covers_the_list_is_left_in_peace() -> None:
    """So is one for a text without a list, and one under a policy that counts nothing."""
    for text, policy in (
        ("1. A\n2. B", RAIL),
        ("Do A and B", RAIL),
        ("1. A\n2. B\n3. C", RAIL.replace(covers=False, adopts=False)),
    ):
        attention = Attention(Board(policy=policy))
        attention.on_user_message(text)
        attention.before_request()
        assert attention.board.write({"todos": [{"content": "A"}, {"content": "B"}]}).ok
        told = attention.before_request()
        assert told is not None and told.text.startswith("Now do item 1")


def test_where_the_host_can_constrain_the_plan_has_as_many_todos_as_the_list() -> None:
    """Neither fewer nor more can be written."""
    schema = attended("- A\n- B\n- C").offer().schema
    assert schema is not None
    assert (schema["properties"]["todos"]["minItems"], schema["properties"]["todos"]["maxItems"]) == (3, 3)


def test_a_policy_that_counts_nothing_asks_for_every_step() -> None:
    """Nor is the next plan held against a list that was for the last one."""
    attention = Attention(Board(policy=RAIL.replace(covers=False, adopts=False)))
    attention.on_user_message("1. A\n2. B")
    first = attention.before_request()
    assert first is not None and first.text.endswith("one todo for every step of the task.")
    counting = attended("1. A\n2. B")
    counting.before_request()
    assert counting.board.write({"todos": [{"content": "A"}, {"content": "B"}]}).ok
    assert (counting.turn.points, counting.turn.missing) == (0, 0)
    counting.before_request()
    assert counting.board.update([]).ok
    assert (counting.turn.points, counting.turn.missing) == (0, 0)


def test_an_empty_list_is_no_plan_that_leaves_something_out() -> None:
    """Nothing is missing in a plan that is not there."""
    attention = attended("1. A\n2. B")
    attention.before_request()
    assert attention.board.write({"todos": []}).ok
    assert attention.turn.missing == 0


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Do these jobs:\n- one\n- two", ("one", "two")),
        ("1. one\n2. two\n\nThank you!", ("one", "two")),
        ("Go on:\n- [x] one\n- [ ] two\n- [ ] three", ("two", "three")),
        (f"{'Here is how to do it, at length. ' * 4}\n- one\n- two", ()),
        ("Please:\n- one\n  - a part of it\n- two", ()),
        ("- the same\n- the same", ()),
        ("no list at all", ()),
    ],
    ids=["a list", "with thanks", "with boxes", "with instructions", "with parts", "the same twice", "no list"],
)
def test_a_list_that_says_it_all_can_be_the_plan(text: str, points: tuple[str, ...]) -> None:
    """Where more is said around it, or in it, the model must put that into its own words."""
    assert points_to_adopt(text) == points


@pytest.mark.parametrize(
    ("text", "is_plan"),
    [
        ("Which of these is better?\n- SQLite\n- PostgreSQL", False),
        ("- a.txt\n- b.txt\nWhat is in them?", False),
        ("Please do not touch these:\n- a.txt\n- b.txt", False),
        ("Never do this:\n- push\n- publish", False),
        ("Steps to reproduce:\n- open a.py\n- run it\nPlease find the cause.", False),
        ("The options are:\n- SQLite\n- PostgreSQL", False),
        ("Fix these errors:\n- a.py does not start\n- b.py never ends", True),
        ("We need these options:\n- --all\n- --quiet", True),
        ("Here is the output.\n- delete a.txt\n- delete b.txt", True),
        ("Could you do these for me?\n- a.txt\n- b.txt", True),
        ("Do not be slow. Do this:\n- a.txt\n- b.txt", True),
        ("Don't forget:\n- a.txt\n- b.txt", True),
        ("Answer these:\n- what is in a.txt?\n- what is in b.txt?", True),
    ],
)
def test_a_list_that_is_asked_about_or_forbidden_is_no_plan(text: str, is_plan: bool) -> None:
    """What is said around it decides: that it is material, too. A polite question asks for the list to be done."""
    assert bool(points_to_adopt(text)) == is_plan


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a.txt\n- b.txt", Message(2, ("a.txt", "b.txt"), ("a.txt", "b.txt"), "")),
        (
            "The file a.txt is old. The file b.txt is new.",
            Message(0, (), ("The file a.txt is old", "The file b.txt is new"), ""),
        ),
        ("Which one?\n- a.txt\n- b.txt", Message(2, (), (), "")),
        ("", Message(listed=0, plan=(), points=(), goal="")),
    ],
    ids=["a list", "sentences", "a question", "nothing"],
)
def test_what_a_message_asks_for_is_one_value(text: str, message: Message) -> None:
    """A model in trouble is held to the plan that the message is, or else to the sentences that name something."""
    assert read_message(text) == message
    assert Message() == read_message("")


def test_what_stands_around_a_list_is_known() -> None:
    """Everything but the points."""
    assert around_points("Do this:\n- one\n- two\nand be quick") == "Do this:\nand be quick"


def test_a_users_list_becomes_the_plan_at_no_tokens() -> None:
    """Under `rail` the model need not write it: the first request already names the first item."""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message("Please do:\n1. Read the code\n2. Fix the bug")
    board = attention.board
    assert [(todo.id, todo.content) for todo in board.plan.todos] == [("1", "Read the code"), ("2", "Fix the bug")]
    reminder = attention.before_request()
    assert reminder is not None and reminder.text == "Now do item 1 with the tool that fits best: Read the code"
    assert attention.offer()[:3] == (False, True, False)


def test_a_later_list_is_added_to_the_plan() -> None:
    """What is open stays, what is new comes after it, and what is already there is not added twice."""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message("- A\n- B")
    attention.on_user_message("Oh, and:\n- B\n- C\n- D")
    assert [(todo.id, todo.content) for todo in attention.board.plan.todos] == [
        ("1", "A"),
        ("2", "B"),
        ("3", "C"),
        ("4", "D"),
    ]
    assert not attention.turn.heard, "the plan is not asked for again"


@pytest.mark.parametrize(("dialect", "is_adopted"), [("envelope", True), ("sema", False), ("mini", False)])
def test_a_dialect_that_needs_more_than_a_text_plans_by_itself(dialect: DialectName, is_adopted: bool) -> None:
    """Nothing is made up for fields that a contract requires: the model is asked for the plan, as always."""
    attention = Attention(Board(dialect=dialect, policy="rail"))
    attention.on_user_message("- A\n- B")
    reminder = attention.before_request()
    assert reminder is not None
    assert bool(attention.board.plan.todos) == is_adopted
    assert ("First write the plan" in reminder.text) != is_adopted


def test_a_list_that_is_too_long_is_not_adopted() -> None:
    """The rules of the plan hold for the user's list, too; then the model writes the plan."""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message("\n".join(f"- job {number}" for number in range(51)))
    assert attention.board.plan.todos == ()
    attention.on_user_message(f"- {'x' * 201}\n- short")
    assert attention.board.plan.todos == ()
    attention.on_user_message("- A\n- B")
    attention.on_user_message("\n".join(f"- job {number}" for number in range(49)))
    assert len(attention.board.plan.todos) == 2


def test_a_long_list_is_not_compared_point_by_point() -> None:
    """A plan has not that many todos, and it would take the square of the time."""
    goal = (
        "Look all of these up in the folder of people, and collect them in one file, a line for each of them, please:"
    )
    words = ["".join(pair) for pair in product("abcdefghijklmno", repeat=3)]
    lists = ["\n".join(f"- the desk of {word}" for word in words[:count]) for count in (9, 900)]
    assert [len(points_to_adopt(f"{goal}\n{points}")) for points in lists] == [9, 0]


FILES = ("fix a.txt", "mend b.txt")


def around(length: int, points: tuple[str, ...] = FILES) -> str:
    """A list with so many characters before it."""
    return "\n".join(["x" * length, *(f"- {point}" for point in points)])


@pytest.mark.parametrize(
    ("length", "points", "is_adopted"),
    [
        (100, ("think", "rest"), True),
        (101, ("think", "rest"), False),
        (101, FILES, True),
        (600, FILES, True),
        (601, FILES, False),
    ],
)
def test_the_more_is_said_around_a_list_the_plainer_it_must_be(
    length: int, points: tuple[str, ...], is_adopted: bool
) -> None:
    """Up to 100 characters any list is the plan; up to 600, one whose points name what they are about."""
    assert points_to_adopt(around(length, points)) == (points if is_adopted else ())


@pytest.mark.parametrize(("count", "is_adopted"), [(200, True), (201, False)])
def test_up_to_200_points_are_compared(count: int, is_adopted: bool) -> None:
    """Among that many, a point is told from the others by its own word; among more, only by a name."""
    words = ["".join(letters) for letters in product("abcdefg", repeat=3)][:count]
    points = tuple(f"the desk of {word}" for word in words)
    assert points_to_adopt(around(101, points)) == (points if is_adopted else ())
    named = tuple(f"fix {word}.txt" for word in words)
    assert points_to_adopt(around(101, named)) == named


@pytest.mark.parametrize(
    ("text", "points"),
    [("- one\n  which is long\n- two", ("one", "two")), ("- one\n - a part of it\n- two", ())],
    ids=["a point goes on", "a point has a part"],
)
def test_only_points_under_points_make_a_list_deep(text: str, points: tuple[str, ...]) -> None:
    """A line that goes on with a point is indented as well; a part of a point may be indented by one space."""
    assert points_to_adopt(text) == points


@pytest.mark.parametrize(("length", "is_goal"), [(100, False), (101, True)])
def test_the_goal_is_what_is_said_around_the_points(length: int, is_goal: bool) -> None:
    """Around a list or beside the requests, if it is more than a few words; the points themselves are no goal."""
    words = f"{'x' * (length - 1)}."
    goal = words if is_goal else ""
    assert goal_around(f"{words}\n- fix a.txt\n- mend b.txt") == goal
    assert goal_around(f"{words} Fix a.txt. Delete b.txt.") == goal


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("- think\n- rest", ("think", "rest")),
        ("Fix a.txt. Delete b.txt.", ("Fix a.txt", "Delete b.txt")),
        ("In a.txt there is a fault. Then b.txt is next.", ("In a.txt there is a fault", "b.txt is next")),
        ("See a.txt. Then see b.txt.\n- one\n  - a part of it\n- two", ()),
    ],
    ids=["a list", "requests", "sentences with names", "a list that is no plan"],
)
def test_a_model_in_trouble_is_held_to_what_the_text_names(text: str, points: tuple[str, ...]) -> None:
    """To a plan as it stands, else to each sentence with a name; a list that is no plan is left to the model."""
    assert points_to_catch_up(text) == points
