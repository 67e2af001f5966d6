"""The driver of attention: what it says when, what it lets through, and when it lets a model go."""

import json
from collections.abc import Callable

import pytest
from attended import planned

from holdfast import Board, Plan, Session, Status, Todo, dialects
from holdfast.attention import Attention
from holdfast.dialects import Call
from holdfast.errors import UsageError
from holdfast.policies import MINI, RAIL


def test_an_unknown_policy_is_named() -> None:
    """A policy that is none is refused with the names of those that are."""
    with pytest.raises(UsageError) as told:
        Attention(Board(), "loud")
    assert str(told.value) == "no policy 'loud'; there are off, quiet, rail, mini"


def test_the_first_of_two_writes_in_a_turn_counts() -> None:
    """The second write of a turn gets a clear error and changes nothing; the next turn may write again."""
    attention = planned()
    second = attention.board.write({"todos": [{"content": "Other"}]})
    (fault,) = second.faults
    assert (fault.path, fault.code) == ("", "second_write")
    assert fault.message == (
        "one plan write a turn: the first was saved, this one was not. Do some work before the next"
    )
    attention.tail()
    assert attention.board.write({"todos": [{"content": "Other"}]}).ok


def test_a_new_driver_takes_the_place_of_the_last() -> None:
    """What the last one has seen and asked for holds the new one's model back no more."""
    session = Session()
    rules = session.board.dialect.rules
    for content in ("A", "B"):
        attention = session.attend("rail")
        attention.tail()
        assert session.board.write({"todos": [{"content": content}]}).ok
    session.attend("off")
    assert session.board.dialect.rules == rules
    assert [session.board.write({"todos": [{"content": "C", "status": "completed"}]}).ok for _ in range(2)] == [
        True
    ] * 2


def test_a_refused_write_does_not_use_up_the_turn() -> None:
    """A write with faults changed nothing, so the turn may still write."""
    attention = Attention(Board())
    attention.tail()
    assert not attention.board.write({}).ok
    assert attention.board.write({"todos": [{"content": "A"}]}).ok


def test_a_plan_from_before_is_restated_in_a_new_process() -> None:
    """A driver that starts on a board with open work restates it at once: this conversation has not seen it."""
    first = planned()
    again = Attention(Board(store=first.board.store))
    assert again.tail().startswith("<plan>")
    assert again.tail() == ""


def test_a_persons_edit_is_told_once() -> None:
    """The next request says what a person changed; the one after it does not."""
    attention = planned()
    attention.board.edit("2", content="B, carefully")
    assert 'now reads "B, carefully"' in attention.tail()
    assert attention.is_news
    assert attention.tail() == ""
    assert not attention.is_news
    assert attention.board.plan.edits == ()


def said(attention: Attention, requests: int) -> int:
    """How many of so many requests end with something."""
    return len([tail for tail in (attention.tail() for _ in range(requests)) if tail])


@pytest.mark.parametrize(
    ("news", "times"),
    [
        (lambda attention: attention.board.write({"todos": [{"id": "1", "status": "completed"}]}), 3),
        (lambda attention: attention.heard_user(), 3),
        (lambda attention: attention.note(sees_plan=False), 1 + 3),
    ],
    ids=["a write", "the user speaks", "out of sight"],
)
def test_a_model_is_left_in_peace_after_three_reminders_until_something_happens(
    news: Callable[[Attention], object], times: int
) -> None:
    """Each of three things arms the reminders again; the last one also brings the plan back, once."""
    attention = planned()
    assert said(attention, 100) == 3
    news(attention)
    assert said(attention, 100) == times


def test_progress_arms_the_gate_again_and_rewording_does_not() -> None:
    """Only a todo that is finished or blocked counts as progress."""
    attention = planned(RAIL._replace(holds=1))
    assert attention.hold()
    assert not attention.hold()
    assert attention.last_stop == "no progress after 1 reminders"
    attention.tail()
    attention.board.write({"todos": [{"id": "1", "content": "A, reworded"}]})
    assert not attention.hold()
    attention.tail()
    attention.board.worked("bash")
    attention.board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert "2 of 3 todos are still open" in attention.hold()
    assert attention.last_stop == "held: 2 open"


def test_every_decision_of_the_gate_is_told() -> None:
    """A host hears why a model was held, and why it was let go."""
    decisions: list[str] = []
    session = Session()
    attention = session.attend("rail", on_stop=decisions.append)
    attention.tail()
    session.board.write({"todos": [{"content": "A"}]})
    attention.hold()
    attention.note(asked_user=True)
    attention.hold()
    assert decisions == ["held: 1 open", "it waits for the user's answer"]


def test_the_gate_is_armed_again_when_the_user_speaks() -> None:
    """An interruption lets the model go until the user speaks again."""
    attention = planned("rail")
    attention.note(interrupted=True)
    assert not attention.hold()
    attention.heard_user()
    assert attention.hold()


def test_a_status_that_goes_back_and_forth_is_no_progress() -> None:
    """A model that is held does not buy the next time by starting what it has put back: it is let go."""
    attention = planned(RAIL._replace(holds=3, one_write=False))
    for status in ("in_progress", "pending") * 2:
        attention.hold()
        assert attention.board.write({"todos": [{"id": "1", "status": status}]}).ok
    assert not attention.hold()
    for status in ("blocked", "pending"):
        assert attention.board.write({"todos": [{"id": "1", "status": status}]}).ok
    assert attention.hold()


def test_new_words_of_the_user_come_before_the_old_plan_under_rail() -> None:
    """A model on the rails does not run past a change of mind: it is told, once, to plan anew before anything else."""
    attention = planned("rail")
    attention.heard_user()
    assert attention.tail().startswith("The user has spoken. First write the plan anew with TodoWrite")
    assert attention.offer()[:3] == (True, False, False)
    assert attention.tail() == "Now do item 1 with the tool that fits best: A"
    attention.heard_user()
    assert "First write the plan anew" in attention.tail()
    assert attention.board.write({"todos": [{"id": "1", "content": "A2"}, {"id": "4", "content": "D"}]}).ok
    assert attention.tail() == "Now do item 1 with the tool that fits best: A2"
    assert [todo.content for todo in attention.board.plan.todos] == ["A2", "B", "C", "D"]


def test_new_words_of_the_user_without_open_work_are_not_talked_into() -> None:
    """After a finished plan, and under `quiet`, a user's words need no plan."""
    for policy, status in (("quiet", "pending"), ("rail", "cancelled")):
        attention = planned(policy)
        attention.tail()
        attention.board.worked("bash")
        assert attention.board.write({"todos": [{"id": id, "status": status} for id in "123"]}).ok
        attention.heard_user()
        assert attention.tail() == ""


def test_mini_opens_with_its_first_reminder_once() -> None:
    """The first reminder of seed 004 opens the first message, and comes at no later point."""
    attention = Attention(Board("mini"), MINI)
    assert attention.opening() == "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
    assert attention.opening() == ""
    assert attention.tail() == ""


@pytest.mark.parametrize("counter", [None, lambda text: len(text)])
def test_tokens_are_counted_for_a_session(counter: Callable[[str], int] | None) -> None:
    """Definition, prompt, calls, replies and reminders are counted, over subagents too, by any counter."""
    session = Session() if counter is None else Session(counter=counter)
    attention = session.attend("rail")
    before = session.tokens
    assert before.definition > 0
    assert before.prompt > 0
    assert before[2:] == (0, 0, 0)
    attention.tail()
    session.board.write({"todos": [{"content": "A"}]})
    session.subagent("helper").write({"todos": [{"content": "A"}]})
    session.dismiss("helper")
    after = session.tokens
    assert min(after) > 0
    assert after.total == sum(after)
    if counter is not None:
        assert after.calls == 2 * len('{"todos":[{"content":"A"}]}')


@pytest.mark.parametrize("name", dialects.names())
def test_what_cannot_be_done_can_be_given_up_in_every_dialect(name: str) -> None:
    """Under `rail` no model is asked for a status that its tool refuses: a dialect without blocked is lent the word."""
    board = Board(name)
    attention = Attention(board, "rail")
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    for _ in range(2):
        board.worked("bash", failed=True)
    asked = attention.tail()
    if name == "roo":  # a text with no mark for it
        assert "blocked" not in asked
        return
    assert "blocked" in asked
    blocked = board.plan._replace(todos=(board.plan.todos[0]._replace(status=Status.BLOCKED), *board.plan.todos[1:]))
    if board.dialect.mark:
        arguments = json.loads(board.dialect.mark.format(id="1", status="blocked"))
        call = Call(board.dialect.mark_tool or board.dialect.tool_name, arguments)
        assert f"{call.tool} " in asked
    else:
        (call,) = board.dialect.calls(blocked)
    reply = board.write(call.payload, tool=call.tool)
    assert reply.ok, reply.text
    assert board.plan.todos[0].status is Status.BLOCKED


@pytest.mark.parametrize("name", dialects.names())
def test_a_write_is_narrowed_only_to_what_the_dialect_takes(name: str) -> None:
    """What a host offers under `rail`, the tool takes: a dialect of whole lists is not narrowed to one todo."""
    jsonschema = pytest.importorskip("jsonschema")
    board = Board(name)
    attention = Attention(board, "rail")
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    board.worked("bash")
    attention.tail()
    schema = attention.offer().schema
    assert (schema is None) == (name != "holdfast")
    if schema is not None:
        mark = json.loads(board.dialect.mark.format(id="1", status="completed"))
        jsonschema.validate(mark, schema)
        assert board.write(mark).ok


def test_nothing_is_news_and_nobody_was_stopped_at_first() -> None:
    """A new driver has said nothing, and has held nobody."""
    attention = Attention(Board())
    assert (attention.is_news, attention.last_stop) == (False, "")


def test_what_a_model_is_to_do_now_is_no_news() -> None:
    """It stands at the end of one request, and is not kept in the history."""
    attention = planned("rail")
    assert attention.tail() == "Now do item 1 with the tool that fits best: A"
    assert not attention.is_news


@pytest.mark.parametrize("policy", ["quiet", "rail"])
@pytest.mark.parametrize("name", ["holdfast", "claude-code"])
def test_a_status_is_lent_only_where_it_is_needed(name: str, policy: str) -> None:
    """A policy that never asks for blocked adds no word, and none is there twice."""
    board = Board(name)
    own = board.dialect.rules.statuses
    Attention(board, policy)
    lent = (Status.BLOCKED,) if (name, policy) == ("claude-code", "rail") else ()
    assert board.dialect.rules.statuses == (*own, *lent)


def test_a_driver_that_was_let_go_hears_nothing_more() -> None:
    """What is written on the board after that is no turn of its own."""
    attention = planned()
    attention.tail()
    attention.close()
    attention.board.write({"todos": [{"content": "Other"}]})
    assert attention.turn.since_write == 1


def test_a_model_whose_subagents_work_may_end_its_turn() -> None:
    """It is let go while there are some, and whatever else is noted does not change their number."""
    attention = planned("rail")
    attention.note(subagents=2)
    attention.note(sees_plan=True)
    assert (attention.hold(), attention.last_stop) == ("", "a subagent is at work")
    attention.note(subagents=0)
    assert attention.hold()


def test_a_model_may_be_held_again_after_the_user_has_spoken() -> None:
    """What was held before counts no more."""
    attention = planned(RAIL._replace(holds=1))
    assert [bool(attention.hold()) for _ in range(2)] == [True, False]
    attention.heard_user()
    assert [bool(attention.hold()) for _ in range(2)] == [True, False]


def test_only_the_first_text_of_a_policy_opens_a_conversation() -> None:
    """Everything else has its place at the end of a request."""
    attention = Attention(Board(), "rail")
    assert attention.opening() == ""
    assert attention.tail().startswith("First write the plan with TodoWrite")


def test_a_first_text_that_opened_nothing_ends_the_first_request_alone() -> None:
    """A host that has no place for it before the user's text sends it once, all the same."""
    attention = Attention(Board("mini"), MINI)
    assert [attention.tail() for _ in range(3)] == [MINI.first_text, "", ""]


def test_an_edit_that_is_told_first_does_not_swallow_the_users_words() -> None:
    """Both are told, one request after the other."""
    attention = planned("rail")
    attention.heard_user()
    attention.board.edit("2", content="B2")
    assert 'now reads "B2"' in attention.tail()
    assert attention.tail().startswith("The user has spoken. First write the plan anew")
    assert attention.tail() == "Now do item 1 with the tool that fits best: A"


def places(attention: Attention, requests: int) -> list[int]:
    """Which of so many requests end with something, counted from 1."""
    return [place for place in range(1, requests + 1) if attention.tail()]


def test_a_stale_plan_is_named_after_ten_requests_and_then_every_ten() -> None:
    """The first ten requests after a write are quiet, and so are the nine between two reminders."""
    attention = planned()
    assert places(attention, 50) == [11, 21, 31]
    attention.board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert places(attention, 50) == [11, 21, 31]


def test_an_edit_that_is_told_states_the_plan() -> None:
    """So does the plan that came back: the next reminder waits its ten requests from there."""
    attention = planned()
    assert places(attention, 5) == []
    attention.board.edit("2", content="B2")
    assert places(attention, 20) == [1, 11]


def test_what_comes_next_can_be_asked_for_with_no_turn_begun() -> None:
    """A host may look ahead as often as it likes."""
    attention = planned("rail")
    before = attention.turn
    for _ in range(2):
        reminder = attention.next()
        assert reminder is not None
        assert reminder.text == "Now do item 1 with the tool that fits best: A"
    assert attention.turn == before
    assert Attention(Board(), "off").next() is None


@pytest.mark.parametrize("name", ["holdfast", "claude-code"])
def test_an_update_rides_on_another_call(name: str) -> None:
    """A call that ran finishes its todo, in any dialect; the last one ends the work; one that failed finishes none."""
    board = Board(name)
    attention = Attention(board, RAIL._replace(one_write=False))
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    board.worked("bash", failed=True)
    failed = "Item 1 is not marked: this call failed. Try another way."
    assert attention.ride("1", failed=True) == failed
    assert board.plan.done == ()
    board.worked("bash")
    assert attention.ride("1") == f"1/2 done. {'Now' if name == 'holdfast' else 'Next'} 2: B"
    board.worked("bash")
    assert attention.ride("2") == "All 2 done. Tell the user, and end."
    assert board.plan.is_finished


def test_what_is_blocked_twice_is_progress_once() -> None:
    """A model does not buy the next hold by blocking what it has blocked before."""
    attention = planned(RAIL._replace(holds=1, one_write=False))
    held = []
    for status in ("blocked", "pending", "blocked"):
        assert attention.board.write({"todos": [{"id": "1", "status": status}]}).ok
        held.append(bool(attention.hold()))
    assert held == [True, False, False]
