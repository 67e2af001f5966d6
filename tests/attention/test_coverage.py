"""The lists in what a user says, and what a plan leaves out of them."""

import pytest

from holdfast import RAIL, Attention, Board
from holdfast.attention.coverage import listed_points


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Do this:\n1. one\n2) two\n(3) three\n4: four", ("one", "two", "three", "four")),
        ("- one\n* two\n+ three\n\u2022 four", ("one", "two", "three", "four")),
        ("  - one\n      - two, deeper\n", ("one", "two, deeper")),
        ("Only:\n- one", ()),
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
    attention = Attention(Board(policy="rail"))
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
    for text, policy in (("1. A\n2. B", RAIL), ("Do A and B", RAIL), ("1. A\n2. B\n3. C", RAIL.replace(covers=False))):
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
    attention = Attention(Board(policy=RAIL.replace(covers=False)))
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
