"""What makes sense as a model's next action, where a host can hold it to that."""

import json

import pytest
from attended import planned, text_of, work
from moments import BLOCKED, FINISHED, OPEN

from holdfast import Board, Plan
from holdfast.attention.offers import Offer, next_offer
from holdfast.attention.policies import MINI, OFF, QUIET, RAIL
from holdfast.attention.reminders import next_reminder
from holdfast.attention.state import Turn
from holdfast.plan.work import ToolUse, Work, tool_use


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
    offer = next_offer(plan, Turn(work=work(*["make"] * worked)), RAIL)
    assert tuple(name for name in ("write", "work", "stop") if getattr(offer, name)) == offered


def test_a_narrowed_write_can_only_speak_of_the_current_item() -> None:
    """The narrowed schema takes the current item and what became of it, and the board takes what the schema takes."""
    jsonschema = pytest.importorskip("jsonschema")
    board = Board(rules=RAIL.rules)
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.record_tool_use("bash")
    schema = next_offer(board.plan, Turn(work=work("make")), RAIL).schema
    valid = {"todos": [{"id": "1", "status": "completed"}]}
    jsonschema.validate(valid, schema)
    for other in ({"id": "2", "status": "completed"}, {"id": "1", "status": "pending"}, {"content": "C"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"todos": [other]}, schema)
    assert board.write(valid).ok


def test_an_offer_says_yes_or_no_to_each_action() -> None:
    """A host may compare an offer as a whole; the narrowed schema is the smallest that says what became of the item."""
    assert next_offer(Plan(), Turn(), RAIL)[:3] == (True, False, False)
    assert next_offer(OPEN, Turn(), RAIL) == Offer(write=False, work=True, stop=False)
    assert next_offer(OPEN, Turn(work=work("?ls")), RAIL) == Offer(write=False, work=True, stop=False, look=False)
    assert next_offer(OPEN, Turn(heard=True, work=work("make")), RAIL) == Offer(write=True, work=False, stop=False)
    assert next_offer(FINISHED, Turn(), RAIL) == Offer(write=False, work=False, stop=True)
    assert next_offer(FINISHED, Turn(heard=True), RAIL) == Offer(write=True, work=True, stop=True)
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
    assert next_offer(OPEN, Turn(work=work("make")), RAIL) == Offer(True, True, False, schema)


def test_other_policies_offer_everything() -> None:
    """Only `rail` narrows the work that a model may do."""
    assert all(next_offer(OPEN, Turn(), policy)[:3] == (True, True, True) for policy in (OFF, QUIET, MINI))


@pytest.mark.parametrize(
    ("gives_up_after", "failed", "gives_up"), [(1, 1, True), (2, 1, False), (0, 0, False), (0, 9, False)]
)
def test_giving_up_waits_for_as_many_failures_as_the_policy_says(
    gives_up_after: int, failed: int, gives_up: bool
) -> None:
    """One failure may be enough; 0 means never. The reminder and the offer agree."""
    turn, policy = Turn(work=work(*[f"!try {n}" for n in range(failed)])), RAIL.replace(gives_up_after=gives_up_after)
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
    again = next_offer(OPEN, Turn(work=work("mkdir x", "mkdir x")), RAIL)
    once = next_offer(OPEN, Turn(work=work("touch y", "mkdir x")), RAIL)
    assert again[:3] == (True, False, False) and once[:3] == (True, True, False)
    assert again.schema == once.schema is not None


def test_what_succeeded_once_may_be_marked_whatever_failed_since() -> None:
    """Only an item for which nothing ever succeeded must be given up."""
    given_up, before = (
        next_offer(OPEN, Turn(work=work(*calls)), RAIL) for calls in (("!a", "!b", "!c"), ("mv a b", "!a", "!b", "!c"))
    )
    assert given_up[:3] == before[:3] == (True, False, False)
    assert '["blocked", "cancelled"]' in json.dumps(given_up.schema)
    assert '["completed", "cancelled", "blocked"]' in json.dumps(before.schema)


def test_after_a_failure_a_look_and_then_another_tool_is_offered() -> None:
    """Where the host has tools that only read, one of them comes first. The tool that failed is left out."""
    failed = Work().after(tool_use("edit_file", {"path": "a"}, failed=True))
    look = next_offer(OPEN, Turn(work=failed, can_look=True), RAIL)
    assert look.only_look and look.allows("read_file", read_only=True) and not look.allows("bash")
    looked = failed.after(tool_use("read_file", {"path": "a"}, read_only=True))
    act = next_offer(OPEN, Turn(work=looked, can_look=True), RAIL)
    assert not act.look and act.without == {"edit_file"}
    assert act.allows("bash") and not act.allows("edit_file") and not act.allows("read_file", read_only=True)
    bare = next_offer(OPEN, Turn(work=failed), RAIL)
    assert not bare.only_look and bare.without == {"edit_file"}


def test_a_host_with_one_tool_is_left_with_it() -> None:
    """No way is left out if it is the only one."""
    attention = planned("rail", "A", "B")
    attention.equip([{"name": "bash", "parameters": {"type": "object"}}])
    attention.after_tool("bash", {"command": "a"}, failed=True)
    assert attention.offer().allows("bash")


def test_names_are_not_waited_for_where_nobody_asks_for_them() -> None:
    """Without the current todo at the end of a request, the model is not told what is missing: it may mark it."""
    attention = planned(RAIL.replace(names_current=False), "create maple.txt with the word river", "B")
    for at in range(5):
        attention.before_request()
        attention.after_tool("bash", {"command": f"touch maple{at}.txt"})
    assert attention.offer().write


def test_what_no_call_has_mentioned_is_work_that_is_left() -> None:
    """A mark is not offered while a name in the todo is missing, and offered when it was asked for once."""
    attention = planned("rail", "create maple.txt with the word river", "B")
    attention.after_tool("bash", {"command": "touch maple.txt"})
    assert text_of(attention.before_request()) == (
        "Item 1 is not done: river is missing. Now do it with a call that has river in it: "
        "create maple.txt with the word river"
    )
    assert attention.offer()[:3] == (False, True, False)
    attention.after_tool("bash", {"command": "cat maple.txt"})
    assert text_of(attention.before_request()).startswith("Is item 1")
    assert attention.offer()[:3] == (True, True, False)


def test_a_model_that_works_on_something_else_is_asked_a_few_times() -> None:
    """It is not told for ever: then it may mark what it likes."""
    attention = planned("rail", "delete b.old", "B")
    said = []
    for _ in range(5):
        attention.after_tool("bash", {"command": "echo river > a.txt"})
        said.append("b.old is missing" in text_of(attention.before_request()))
    assert said == [True, True, True, False, False]


def test_the_next_plan_is_asked_about_like_the_first() -> None:
    """Its ids are those of other todos: that a name was asked for, or a second try had failed, is forgotten."""
    attention = planned("rail", "create maple.txt with the word river", "delete b.old")
    board = attention.board
    for _ in range(2):
        attention.before_request()
        attention.after_tool("bash", {"command": "touch maple.txt"})
        assert "river is missing" in text_of(attention.before_request())
        attention.after_tool("bash", {"command": "cat maple.txt"})
        assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
        attention.before_request()
        attention.after_tool("bash", {"command": "rm b.old"}, failed=True)
        assert board.write({"todos": [{"id": "2", "status": "blocked"}]}).ok
        assert attention.turn.retry == "2"
        for _ in range(2):
            attention.after_tool("bash", {"command": "rm b.old"}, failed=True)
        assert attention.turn.retry == ""
        board.clear()
        attention.before_request()
        texts = ("create maple.txt with the word river", "delete b.old")
        assert board.write({"todos": [{"content": text} for text in texts]}).ok


def test_a_job_that_was_done_for_another_todo_is_to_be_marked() -> None:
    """A call that fails now and succeeded for an earlier todo did this one, too."""
    attention = planned(RAIL.replace(one_write=False), "delete b.old", "create the folder fjord")
    for command in ("mkdir fjord", "rm b.old"):
        attention.after_tool("bash", {"command": command})
    assert attention.board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    attention.after_tool("bash", {"command": "mkdir fjord"}, failed=True)
    assert text_of(attention.before_request()).startswith("Item 2 was already done by: mkdir fjord. Now")
    assert attention.offer()[:3] == (True, False, False)
    assert attention.board.write({"todos": [{"id": "2", "status": "completed"}]}).ok, "what is asked for is taken"


def test_quiet_offers_no_second_plan_write_without_work() -> None:
    """A model that only rewrites its plan gets nothing done."""
    attention = planned("quiet")
    assert attention.offer()[:3] == (False, True, True)
    attention.after_tool("bash", {"command": "make"})
    assert attention.offer()[:3] == (True, True, True)


def failed(tool: str, read_only: bool = False) -> ToolUse:
    """A call of a tool that failed."""
    return ToolUse(tool, "x", failed=True, read_only=read_only, key=tool)


def test_after_a_failure_a_look_is_offered_first_and_then_other_tools() -> None:
    """A look only if the host has one and there was none yet; never a tool that failed and never succeeded."""
    first = next_offer(OPEN, Turn(work=Work("2", (failed("bash"),)), can_look=True), RAIL)
    assert first == Offer(write=False, work=True, stop=False, only_look=True)
    without = frozenset({"bash"})
    blind = next_offer(OPEN, Turn(work=Work("2", (failed("bash"),)), can_look=False), RAIL)
    assert blind == Offer(write=False, work=True, stop=False, look=True, without=without)
    looked = Work("2", (ToolUse("read", "y", read_only=True, key="y"), failed("bash")))
    then = next_offer(OPEN, Turn(work=looked, can_look=True), RAIL)
    assert then == Offer(write=False, work=True, stop=False, look=False, without=without)
    lost = next_offer(OPEN, Turn(work=Work("2", (failed("read", read_only=True),)), can_look=True), RAIL)
    assert lost == Offer(write=False, work=True, stop=False, look=False, without=frozenset({"read"}))
    assert not blind.allows("bash") and blind.allows("edit") and not then.allows("read", read_only=True)


def test_what_succeeded_before_may_be_marked_whatever_failed_since() -> None:
    """A tool that once succeeded for the todo stays."""
    done = ToolUse("edit", "y", key="y")
    offer = next_offer(OPEN, Turn(work=Work("2", (done, failed("bash"))), can_look=True), RAIL)
    assert offer[:3] == (True, True, False) and offer.without == {"bash"}
    assert offer.schema is not None and offer.schema["properties"]["todos"]["items"]["properties"]["id"] == {
        "const": "2"
    }
    again = Work("2", (done, failed("edit")._replace(key="z")))
    assert next_offer(OPEN, Turn(work=again), RAIL).without == frozenset()


def test_an_offer_allows_by_default_what_a_host_can_do() -> None:
    """Looks and work, no rides; a plan only to be written allows no other tool."""
    offer = Offer(write=True, work=True, stop=True)
    assert (offer.look, offer.only_look, offer.ride, offer.without) == (True, False, False, frozenset())
    assert offer.allows("bash") and offer.allows("read", read_only=True)
    assert not offer._replace(work=False).allows("bash")
    assert not offer._replace(only_look=True).allows("bash")
    assert offer._replace(only_look=True).allows("read", read_only=True)
