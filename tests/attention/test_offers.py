"""What makes sense as a model's next action, where a host can hold it to that."""

import pytest
from moments import BLOCKED, FINISHED, OPEN

from holdfast import Board, Plan
from holdfast.attention.offers import next_offer
from holdfast.attention.policies import MINI, OFF, QUIET, RAIL, Turn
from holdfast.attention.reminders import next_reminder


@pytest.mark.parametrize(
    ("plan", "worked", "offered"),
    [
        pytest.param(Plan(), 0, ("write",), id="first the plan"),
        pytest.param(OPEN, 0, ("work",), id="then work, before the next write"),
        pytest.param(OPEN, 1, ("write", "work"), id="then word of what became of it"),
        pytest.param(FINISHED, 0, ("stop",), id="the end when the plan is done"),
        pytest.param(BLOCKED, 0, ("stop",), id="the end when all is blocked"),
    ],
)
def test_what_makes_sense_next(plan: Plan, worked: int, offered: tuple[str, ...]) -> None:
    """Under `rail` a host that can constrain the model offers only what makes sense now."""
    offer = next_offer(plan, Turn(worked=worked), RAIL)
    assert tuple(name for name in ("write", "work", "stop") if getattr(offer, name)) == offered


def test_a_narrowed_write_can_only_speak_of_the_current_item() -> None:
    """The narrowed schema takes the current item and what became of it, and the board takes what the schema takes."""
    jsonschema = pytest.importorskip("jsonschema")
    board = Board(rules=RAIL.rules)
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.record_tool_use("bash")
    schema = next_offer(board.plan, Turn(worked=1), RAIL).schema
    valid = {"todos": [{"id": "1", "status": "completed"}]}
    jsonschema.validate(valid, schema)
    for other in ({"id": "2", "status": "completed"}, {"id": "1", "status": "pending"}, {"content": "C"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"todos": [other]}, schema)
    assert board.write(valid).ok


def test_an_offer_says_yes_or_no_to_each_action() -> None:
    """A host may compare an offer as a whole; the narrowed schema is the smallest that says what became of the item."""
    assert next_offer(Plan(), Turn(), RAIL)[:3] == (True, False, False)
    assert next_offer(OPEN, Turn(), RAIL) == (False, True, False, None, True)
    assert next_offer(OPEN, Turn(looked=1), RAIL) == (False, True, False, None, False)
    assert next_offer(OPEN, Turn(heard=True, worked=1), RAIL) == (True, False, False, None, True)
    assert next_offer(FINISHED, Turn(), RAIL) == (False, False, True, None, True)
    assert next_offer(FINISHED, Turn(heard=True), RAIL) == (True, True, True, None, True)
    item = {
        "type": "object",
        "properties": {"id": {"const": "2"}, "status": {"enum": ["completed", "cancelled", "blocked"]}},
        "required": ["id", "status"],
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {"todos": {"type": "array", "items": item, "minItems": 1, "maxItems": 1}},
        "required": ["todos"],
        "additionalProperties": False,
    }
    assert next_offer(OPEN, Turn(worked=1), RAIL) == (True, True, False, schema, True)


def test_other_policies_offer_everything() -> None:
    """Only `rail` narrows what a model may do."""
    assert all(next_offer(OPEN, Turn(), policy)[:3] == (True, True, True) for policy in (OFF, QUIET, MINI))


@pytest.mark.parametrize(
    ("gives_up_after", "failed", "gives_up"), [(1, 1, True), (2, 1, False), (0, 0, False), (0, 9, False)]
)
def test_giving_up_waits_for_as_many_failures_as_the_policy_says(
    gives_up_after: int, failed: int, gives_up: bool
) -> None:
    """One failure may be enough; 0 means never. The reminder and the offer agree."""
    turn, policy = Turn(failed=failed), RAIL.replace(gives_up_after=gives_up_after)
    reminder = next_reminder(OPEN, turn, policy)
    assert reminder is not None and ("mark it blocked" in reminder.text) is gives_up
    assert (next_offer(OPEN, turn, policy).schema is not None) is gives_up


@pytest.mark.parametrize(("points", "least", "most"), [(0, 1, 20), (6, 6, 6)])
def test_a_first_plan_is_offered_as_texts_only(points: int, least: int, most: int) -> None:
    """A small model cannot get a status or an id wrong that it cannot write, nor leave out a point of a list."""
    item = {
        "type": "object",
        "properties": {"content": {"type": "string", "minLength": 3, "maxLength": 120}},
        "required": ["content"],
        "additionalProperties": False,
    }
    assert next_offer(Plan(), Turn(points=points), RAIL).schema == {
        "type": "object",
        "properties": {"todos": {"type": "array", "items": item, "minItems": least, "maxItems": most}},
        "required": ["todos"],
        "additionalProperties": False,
    }


def test_a_call_that_was_made_twice_is_not_offered_again() -> None:
    """The model may only say what became of the item: the same call once more would go on for ever."""
    again = next_offer(OPEN, Turn(worked=2, done_by="mkdir x", times=2), RAIL)
    once = next_offer(OPEN, Turn(worked=2, done_by="mkdir x", times=1), RAIL)
    assert again[:3] == (True, False, False) and once[:3] == (True, True, False)
    assert again.schema == once.schema is not None


def test_what_succeeded_once_may_be_marked_whatever_failed_since() -> None:
    """Only an item for which nothing ever succeeded must be given up."""
    given_up = next_offer(OPEN, Turn(failed=2), RAIL)
    assert given_up[:3] == (True, False, False)
    assert next_offer(OPEN, Turn(failed=2, worked=1, done_by="mv a b", times=1), RAIL)[:3] == (True, True, False)
