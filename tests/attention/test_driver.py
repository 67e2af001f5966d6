"""What the driver remembers from one moment to the next: names, second tries, calls, what is out of sight."""

from typing import Any

import pytest
from attended import planned, text_of

from holdfast import QUIET, RAIL, Attention, Board, Policy, Session
from holdfast.attention.reminders import SHELL_HINT
from holdfast.plan import DetailsWish

POINTS = ("create maple.txt with the word river", "delete b.old", "make a folder named attic")
LIST = "Do this:\n" + "\n".join(f"- {point}" for point in POINTS)


def tool(name: str, *required: str) -> dict[str, Any]:
    """The definition of a host's tool."""
    return {"name": name, "parameters": {"type": "object", "properties": {}, "required": list(required)}}


SHELL, READ, EDIT = tool("bash", "command"), tool("read_file"), tool("edit_file")
RIDING = RAIL.replace(one_write=False)


def ran(attention: Attention[Board], command: str, failed: bool = False, **rider: str) -> str:
    """What is added to the result of a command."""
    return attention.after_tool("bash", {"command": command, **rider}, failed)


def looked(attention: Attention[Board]) -> None:
    """The model has read a file."""
    attention.after_tool("read_file", {"path": "a.txt"}, read_only=True)


def marked(attention: Attention[Board], *ids: str, status: str = "completed") -> None:
    """The model gives these todos a status."""
    assert attention.board.write({"todos": [{"id": id, "status": status} for id in ids]}).ok


def worked(policy: Policy, marks: int, *contents: str) -> Attention[Board]:
    """Attention whose model has marked so many todos in calls of their own, each after a call, in a host with tools."""
    attention = planned(policy, *contents)
    attention.equip([SHELL, READ])
    for number in range(1, marks + 1):
        ran(attention, f"make {number}")
        marked(attention, str(number))
    return attention


def is_asked(attention: Attention[Board]) -> bool:
    """Whether the next request asks for the missing word."""
    return "river is missing" in text_of(attention.before_request())


# an update that comes with another call


@pytest.mark.parametrize(("marks", "rides"), [(2, False), (3, True), (4, True)])
def test_an_update_may_ride_when_three_todos_were_marked(marks: int, rides: bool) -> None:
    """A model must have shown that it marks with care."""
    assert worked(RIDING, marks, *"ABCDE").offer().ride is rides


@pytest.mark.parametrize(("completes", "rides"), [(True, False), (False, True)])
def test_what_is_completed_by_itself_needs_no_update(completes: bool, rides: bool) -> None:
    """Only the names in a todo can complete it by itself, and only where the policy has that."""
    assert worked(RIDING.replace(completes=completes), 3, *"ABC", "delete b.old").offer().ride is rides


@pytest.mark.parametrize("tools", [[], [SHELL, READ]])
def test_no_update_rides_in_a_host_that_gives_out_its_tools_itself(tools: list[dict[str, Any]]) -> None:
    """Nobody has told the model of the field."""
    attention = planned(RIDING, *"ABCD")
    attention.know_tools(tools)
    for number in "123":
        ran(attention, f"make {number}")
        marked(attention, number)
    assert not attention.offer().ride


@pytest.mark.parametrize("rides", [True, False])
def test_a_policy_may_decide_whether_an_update_rides(rides: bool) -> None:
    """Then nothing has to be shown first, and nothing that was shown counts."""
    assert worked(RIDING.replace(rides=rides), 0, "A").offer().ride is rides
    assert worked(RIDING.replace(rides=rides), 3, *"ABCD").offer().ride is rides


def test_no_update_rides_of_a_model_that_had_to_be_asked() -> None:
    """Once that a name was missing is enough."""
    attention = worked(RIDING, 2, "A", "B", "create maple.txt with the word river", "D")
    ran(attention, "touch maple.txt")
    assert is_asked(attention)
    ran(attention, "touch maple.txt -c")
    marked(attention, "3")
    assert len(attention.board.plan.done) == 3 and not attention.offer().ride


def test_a_new_plan_is_no_fault_of_the_model() -> None:
    """A model that was never asked about a name may let its updates ride on the second plan, too."""
    attention = worked(RIDING, 3, *"ABC")
    attention.on_user_message("Now the rest.")
    attention.before_request()
    assert attention.board.write({"todos": [{"content": content} for content in "EFGH"]}).ok
    for todo in attention.board.plan.open[:3]:
        ran(attention, f"make {todo.id}")
        marked(attention, todo.id)
    assert attention.offer().ride


@pytest.mark.parametrize(("rides", "has_field"), [(None, True), (True, True), (False, False)])
def test_a_host_gets_its_tools_back_with_the_field_for_an_update(rides: bool | None, has_field: bool) -> None:
    """Unless the policy lets none ride: then they are as they were."""
    tools = Attention(Board(policy=RAIL.replace(rides=rides))).equip([SHELL, EDIT])
    assert [definition["name"] for definition in tools] == ["bash", "edit_file"]
    assert ["done" in definition["parameters"]["properties"] for definition in tools] == [has_field] * 2
    assert has_field or tools == [SHELL, EDIT]


TWO_NAMES = ("create maple.txt with the word river", "B")


@pytest.mark.parametrize(
    ("done", "answer", "marks"),
    [
        ("1", "Item 1 is not marked: maple.txt, river is missing.", ()),
        ("yes", "Item 1 is not marked: maple.txt, river is missing.", ()),
        ("2", "1/2 done. Now 1: create maple.txt with the word river", ("2",)),
    ],
)
def test_an_update_is_about_the_todo_that_it_names(done: str, answer: str, marks: tuple[str, ...]) -> None:
    """What is no id can only mean the current todo. That one is not marked while a name is missing; others may be."""
    attention = planned(RIDING.replace(rides=True), *TWO_NAMES)
    assert ran(attention, "make", done=done) == answer
    assert tuple(todo.id for todo in attention.board.plan.done) == marks


def test_what_is_no_id_marks_the_current_todo() -> None:
    """A model that writes "yes" has said enough."""
    attention = planned(RIDING.replace(rides=True), "A", "B")
    assert ran(attention, "make", done="yes") == "1/2 done. Now 2: B"


def test_an_update_without_a_current_todo_is_refused_with_what_the_model_wrote() -> None:
    """There is nothing else that it could mean."""
    attention = Attention(Board(policy=RAIL.replace(rides=True)))
    answer = ran(attention, "make", done="7")
    assert not attention.board.plan.todos and "7" in answer


# the names in a todo


@pytest.mark.parametrize(
    ("policy", "commands", "unmentioned"),
    [
        (RAIL, (), ()),
        (RAIL, ("cat b.txt",), ("maple.txt", "river")),
        (RAIL, ("cat maple.txt",), ()),
        (RAIL, ("touch maple.txt",), ("river",)),
        (RAIL.replace(asks_names=False), ("touch maple.txt",), ()),
    ],
)
def test_names_are_missed_when_there_was_work_or_a_look_elsewhere(
    policy: Policy, commands: tuple[str, ...], unmentioned: tuple[str, ...]
) -> None:
    """A first look at what the todo is about comes before the work, and misses nothing."""
    attention = planned(policy, *TWO_NAMES)
    for command in commands:
        ran(attention, command)
    assert attention.turn.unmentioned == unmentioned


def test_no_names_are_missed_where_no_todo_is_left() -> None:
    """An empty plan is about nothing."""
    assert Attention(Board(policy="rail")).turn.unmentioned == ()


def test_a_model_is_asked_though_it_was_told_to_go_on_before() -> None:
    """Only a request that named what is missing counts as having asked."""
    attention = planned("rail", *TWO_NAMES)
    ran(attention, "cat maple.txt")
    assert "So far you have only looked" in text_of(attention.before_request())
    ran(attention, "touch maple.txt")
    assert is_asked(attention)


def test_a_model_is_asked_after_it_was_told_of_an_edit() -> None:
    """The edit took the place of the question: it was not asked yet."""
    attention = planned("rail", *TWO_NAMES)
    ran(attention, "touch maple.txt")
    attention.board.edit("2", content="C")
    assert 'now reads "C"' in text_of(attention.before_request())
    ran(attention, "touch maple.txt -c")
    assert is_asked(attention)


def test_a_model_that_was_asked_is_not_asked_again_after_a_write() -> None:
    """The plan is the same: what was asked is remembered."""
    attention = planned("rail", *TWO_NAMES)
    ran(attention, "touch maple.txt")
    assert is_asked(attention)
    ran(attention, "touch maple.txt -c")
    assert attention.board.write({"todos": [{"id": "2", "content": "C"}]}).ok
    assert not is_asked(attention)


# what is blocked


def blocked(*contents: str, policy: Policy = RAIL) -> Attention[Board]:
    """Attention to a plan whose first todo is blocked, in a host with a shell and a tool to edit."""
    attention = planned(policy.replace(one_write=False), *contents)
    attention.equip([SHELL, EDIT])
    ran(attention, "make a", failed=True)
    marked(attention, "1", status="blocked")
    attention.before_request()
    return attention


def test_the_second_try_is_asked_about_its_names() -> None:
    """Like the first one."""
    attention = blocked(TWO_NAMES[0])
    ran(attention, "touch maple.txt")
    assert is_asked(attention)


def test_a_second_try_may_use_every_tool() -> None:
    """The shell has its turn in the first one."""
    assert blocked("A").offer().allows("edit_file")


def test_a_second_try_is_over_when_it_has_failed_twice() -> None:
    """After the first failure it goes on another way; a policy may want no second try."""
    attention = blocked("A")
    ran(attention, "make b", failed=True)
    assert text_of(attention.before_request()).startswith("That failed. Run another bash command for item 1: A")
    ran(attention, "make c", failed=True)
    assert text_of(attention.before_request()).startswith("The rest is blocked")
    assert text_of(blocked("A", policy=RAIL.replace(retries=False)).before_request()).startswith("The rest is blocked")


def test_what_waits_for_a_blocked_todo_is_not_tried() -> None:
    """It could not be done."""
    attention = blocked("A", "B")
    assert attention.board.edit("2", details=DetailsWish(blocked_by=("1",))).ok
    attention.before_request()
    for command in ("make b", "make c"):
        ran(attention, command, failed=True)
    assert text_of(attention.before_request()).startswith("The rest is blocked")


# the shell


def test_a_shell_hint_follows_a_command_in_a_host_with_other_tools() -> None:
    """Not another tool: whoever has failed with that one is not told of commands."""
    for name, is_told in (("bash", True), ("edit_file", False)):
        attention = planned("rail", "A")
        attention.equip([SHELL, EDIT])
        attention.after_tool(name, {"command": "a"}, failed=True)
        assert text_of(attention.before_request()).endswith(SHELL_HINT) is is_told


def test_a_shell_hint_follows_any_call_where_there_is_nothing_but_a_shell() -> None:
    """Also one of a tool that the host adds by itself."""
    attention = planned("rail", "A")
    attention.equip([SHELL])
    attention.after_tool("task", {"prompt": "a"}, failed=True)
    assert text_of(attention.before_request()).endswith(SHELL_HINT)


def test_where_there_is_no_shell_a_second_look_is_not_offered() -> None:
    """No other tool is left out for a shell that is not there."""
    attention = planned("rail", "A")
    attention.equip([READ, EDIT], read_only=["read_file"])
    looked(attention)
    offer = attention.offer()
    assert offer.allows("edit_file") and not offer.allows("read_file", read_only=True)


def test_a_host_that_can_only_look_may_look_again() -> None:
    """If no other tool is left, looks are allowed."""
    attention = planned("rail", "A")
    attention.equip([READ], read_only=["read_file"])
    looked(attention)
    assert attention.offer().allows("read_file", read_only=True)


# what completes a todo


def test_looks_alone_complete_nothing() -> None:
    """Even two that have mentioned every name."""
    attention = planned("rail", *TWO_NAMES)
    assert [ran(attention, command) for command in ("cat maple.txt", "grep river maple.txt")] == ["", ""]
    assert not attention.board.plan.done


# what is in sight, and what is stale


def test_whether_the_model_sees_its_plan() -> None:
    """Not after a compaction, until the plan came back."""
    attention = planned()
    seen = [attention.sees_plan]
    attention.after_compaction()
    seen.append(attention.sees_plan)
    attention.before_request()
    assert [*seen, attention.sees_plan] == [True, False, True]


def test_the_same_call_in_three_turns_is_a_loop_without_a_plan() -> None:
    """What was done for no todo is not forgotten when a turn begins."""
    attention = Attention(Board(policy="quiet"))
    said = []
    for _ in range(3):
        ran(attention, "make")
        said.append(text_of(attention.before_request()))
    assert said[:2] == ["", ""] and "You have made the same call 3 times: make." in said[2]


def test_quiet_offers_a_write_without_work_when_there_is_something_to_write() -> None:
    """There is no plan yet, or the user has spoken."""
    assert Attention(Board(policy="quiet")).offer().write
    attention = planned("quiet")
    assert not attention.offer().write
    attention.on_user_message("And D.")
    assert attention.offer().write


def test_a_list_that_became_the_plan_is_stale_ten_requests_later() -> None:
    """It counts like a plan that the model wrote."""
    attention = Attention(Board(policy=QUIET.replace(adopts=True)))
    for _ in range(5):
        attention.before_request()
    attention.on_user_message(LIST)
    assert [number for number in range(1, 15) if attention.before_request() is not None] == [11]


def test_a_list_that_became_the_plan_is_not_asked_for_again() -> None:
    """When a person has cleared it, any plan will do."""
    attention = Attention(Board(policy="rail"))
    attention.on_user_message(LIST)
    assert attention.board.clear().ok
    said = [text_of(attention.before_request()) for _ in range(2)]
    assert said[-1] == "First write the plan with TodoWrite: one todo for every step of the task."


# the rails


def constrained(text: str = LIST) -> Attention[Board]:
    """Attention to a strong model in a host that constrains it, after the user's text."""
    attention = Session(policy=QUIET).attention
    attention.on_user_message(text)
    attention.before_request()
    attention.offer()
    return attention


def loop(attention: Attention[Board]) -> list[str]:
    """What is added to the results of the same look, made three times."""
    return [ran(attention, "ls") for _ in range(3)]


def statuses(attention: Attention[Board]) -> list[str]:
    """The status of each todo."""
    return [str(todo.status) for todo in attention.board.plan.todos]


def constrained_to(*contents: str) -> Attention[Board]:
    """The same, with a plan of these todos by the model."""
    attention = constrained()
    assert attention.board.write({"todos": [{"content": content} for content in contents]}).ok
    return attention


@pytest.mark.parametrize(("others", "status"), [(49, "completed"), (50, "pending")])
def test_fifty_calls_are_remembered_for_a_model_in_trouble(others: int, status: str) -> None:
    """What an older one has done must be done again."""
    attention = constrained()
    ran(attention, "rm b.old")
    for number in range(others):
        ran(attention, f"touch {number}")
    loop(attention)
    assert statuses(attention)[1] == status


def test_looks_do_not_show_a_model_in_trouble_to_be_done() -> None:
    """Only calls that did something count."""
    attention = constrained()
    ran(attention, "cat b.old")
    ran(attention, "rm a.old", failed=True)
    loop(attention)
    assert "completed" not in statuses(attention)


def test_a_model_in_trouble_without_a_list_writes_a_plan_of_its_own() -> None:
    """The user has listed nothing that it could be held to."""
    attention = constrained("Mend it.")
    loop(attention)
    assert text_of(attention.before_request()) == (
        "First write the plan with TodoWrite: one todo for every step of the task."
    )


def test_a_call_that_led_to_the_rails_completes_nothing() -> None:
    """What was done before counts for no todo of the plan as it is then."""
    assert loop(constrained_to(*POINTS)) == ["", "", ""]


def test_a_list_that_is_given_again_is_open_again_when_the_model_loops() -> None:
    """What was done for it before the user spoke does not count."""
    attention = constrained_to(*POINTS)
    for number, command in enumerate(("echo river > maple.txt", "rm b.old", "mkdir attic"), 1):
        attention.before_request()
        ran(attention, command)
        marked(attention, str(number))
    attention.on_user_message(LIST)
    attention.before_request()
    assert loop(attention) == ["", "", ""]
    assert statuses(attention) == ["pending"] * 3


def test_a_host_that_asks_for_an_offer_first_puts_nobody_on_the_rails() -> None:
    """A model that has done nothing yet is not in trouble."""
    attention = Attention(Board(policy="quiet"))
    attention.offer()
    assert attention.before_request() is None


def test_a_short_plan_is_looked_at_once() -> None:
    """A host that begins to constrain later has a model that is not in trouble."""
    attention = Session(policy=QUIET).attention
    attention.on_user_message(LIST)
    attention.before_request()
    assert attention.board.write({"todos": [{"content": POINTS[1]}]}).ok
    attention.before_request()
    attention.offer()
    attention.before_request()
    assert attention.board.plan.contents == (POINTS[1],)


def test_a_plan_with_as_many_todos_as_the_list_is_not_short() -> None:
    """Whatever their words are."""
    attention = constrained_to("A", "B", "C")
    attention.before_request()
    assert attention.board.plan.contents == ("A", "B", "C")


def test_a_plan_that_the_model_has_cleared_is_not_short() -> None:
    """It has said that there is nothing to do."""
    attention = constrained_to("A", "B", "C")
    attention.before_request()
    assert attention.board.write({"todos": []}).ok
    attention.before_request()
    assert not attention.board.plan.todos


@pytest.mark.parametrize(("marks", "after"), [(1, "completed"), (2, "pending")])
def test_one_mark_without_a_call_is_believed_and_two_at_once_are_not(marks: int, after: str) -> None:
    """A todo may need no call; several that were marked without any are open again."""
    attention = constrained_to(*POINTS)
    attention.before_request()
    marked(attention, *[str(number) for number in range(1, marks + 1)])
    attention.before_request()
    assert statuses(attention)[0] == after
