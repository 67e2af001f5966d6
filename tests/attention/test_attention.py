"""The driver of attention: what it says when, what it lets through, and when it lets a model go."""

import json
from collections.abc import Callable

import pytest
from attended import planned, text_of

from holdfast import Board, Change, Offer, Plan, Session, Status, Todo, dialects
from holdfast.attention.driver import Attention
from holdfast.attention.policies import MINI, QUIET, RAIL, PolicyName
from holdfast.dialects import Call, DialectName
from holdfast.errors import StoreError, UsageError
from holdfast.stores import Key, MemoryStore


def test_an_unknown_policy_is_named() -> None:
    """An unknown policy is refused with the names of the known ones."""
    with pytest.raises(UsageError) as told:
        Board(policy="loud")  # type: ignore[arg-type] # what an unchecked host sends
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
    attention.before_request()
    assert attention.board.write({"todos": [{"content": "Other"}]}).ok


def test_a_new_driver_takes_the_place_of_the_last() -> None:
    """What the last one has seen and asked for holds the new one's model back no more."""
    board = Board(policy="rail")
    for content in ("A", "B"):
        attention = Attention(board)
        attention.before_request()
        assert board.write({"todos": [{"content": content}]}).ok
    attention.detach()
    assert all(board.write({"todos": [{"content": "A"}, {"content": content}]}).ok for content in "BC")


@pytest.mark.parametrize("name", dialects.names())
@pytest.mark.parametrize("policy", ["off", "quiet", "rail", "mini"])
def test_a_definition_never_changes_once_it_was_handed_out(name: DialectName, policy: PolicyName) -> None:
    """What a policy needs of the tool is there from the start: neither a driver nor a write changes it."""
    board = Board(dialect=name, policy=policy)
    before = json.dumps([board.tools("anthropic"), board.prompt])
    attention = Attention(board)
    attention.before_request()
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    board.record_tool_use("bash", failed=True)
    attention.before_request()
    attention.detach()
    assert json.dumps([board.tools("anthropic"), board.prompt]) == before


def test_a_refused_write_does_not_use_up_the_turn() -> None:
    """A write with faults changed nothing, so the turn may still write."""
    attention = Attention(Board())
    attention.before_request()
    assert not attention.board.write({}).ok
    assert attention.board.write({"todos": [{"content": "A"}]}).ok


def test_a_plan_from_before_is_restated_in_a_new_process() -> None:
    """A driver that starts on a board with open work restates it at once: this conversation has not seen it."""
    first = planned()
    again = Attention(Board(store=first.board.store))
    assert text_of(again.before_request()).startswith("<plan>")
    assert text_of(again.before_request()) == ""


def test_a_persons_edit_is_told_once() -> None:
    """The next request says what a person changed; the one after it does not."""
    attention = planned()
    attention.board.edit("2", content="B, carefully")
    reminder = attention.before_request()
    assert reminder is not None and reminder.keep
    assert 'now reads "B, carefully"' in reminder.text
    assert attention.before_request() is None
    assert attention.board.plan.edits == ()


def count_reminders(attention: Attention[Board], requests: int) -> int:
    """How many of the next requests end with a reminder."""
    return len([tail for tail in (text_of(attention.before_request()) for _ in range(requests)) if tail])


@pytest.mark.parametrize(
    ("news", "times"),
    [
        (lambda attention: attention.board.write({"todos": [{"id": "1", "status": "completed"}]}), 3),
        (lambda attention: attention.on_user_message(), 3),
        (lambda attention: attention.after_compaction(), 1 + 3),
    ],
    ids=["a write", "the user speaks", "out of sight"],
)
def test_a_model_is_left_in_peace_after_three_reminders_until_something_happens(
    news: Callable[[Attention[Board]], object], times: int
) -> None:
    """Each of three things arms the reminders again; the last one also brings the plan back, once."""
    attention = planned()
    assert count_reminders(attention, 100) == 3
    news(attention)
    assert count_reminders(attention, 100) == times


def test_progress_arms_the_gate_again_and_rewording_does_not() -> None:
    """Only a todo that is finished or blocked counts as progress."""
    attention = planned(RAIL.replace(holds=1))
    assert text_of(attention.before_stop())
    assert not text_of(attention.before_stop())
    assert attention.stop_reason == "no progress after 1 reminders"
    attention.before_request()
    attention.board.write({"todos": [{"id": "1", "content": "A, reworded"}]})
    assert not text_of(attention.before_stop())
    attention.before_request()
    attention.board.record_tool_use("bash")
    attention.board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert "2 of 3 todos are still open" in text_of(attention.before_stop())
    assert attention.stop_reason == "held: 2 open"


def test_every_decision_of_the_gate_is_told() -> None:
    """A host learns why a model was held, and why it could stop."""
    decisions: list[str] = []
    board = Board(policy="rail")
    attention = Attention(board, on_stop=decisions.append)
    attention.before_request()
    board.write({"todos": [{"content": "A"}]})
    attention.before_stop()
    attention.asked_user()
    attention.before_stop()
    assert decisions == ["held: 1 open", "it waits for the user's answer"]


def test_the_gate_is_armed_again_when_the_user_speaks() -> None:
    """An interruption lets the model go until the user speaks again."""
    attention = planned("rail")
    attention.interrupted()
    assert not text_of(attention.before_stop())
    attention.on_user_message()
    assert text_of(attention.before_stop())


def test_a_status_that_goes_back_and_forth_is_no_progress() -> None:
    """A model that is held does not buy the next time by starting what it has put back: it is let go."""
    attention = planned(RAIL.replace(holds=3, one_write=False))
    for status in ("in_progress", "pending") * 2:
        attention.before_stop()
        assert attention.board.write({"todos": [{"id": "1", "status": status}]}).ok
    assert not text_of(attention.before_stop())
    for status in ("blocked", "pending"):
        assert attention.board.write({"todos": [{"id": "1", "status": status}]}).ok
    assert text_of(attention.before_stop())


def test_new_words_of_the_user_come_before_the_old_plan_under_rail() -> None:
    """A model on the rails does not run past a change of mind: it is told, once, to write a new plan first."""
    attention = planned("rail")
    attention.on_user_message()
    assert text_of(attention.before_request()).startswith(
        "The user has spoken. First write the plan anew with TodoWrite"
    )
    assert attention.offer()[:3] == (True, False, False)
    assert text_of(attention.before_request()) == "Now do item 1 with the tool that fits best: A"
    attention.on_user_message()
    assert "First write the plan anew" in text_of(attention.before_request())
    assert attention.board.write({"todos": [{"id": "1", "content": "A2"}, {"id": "4", "content": "D"}]}).ok
    assert text_of(attention.before_request()) == "Now do item 1 with the tool that fits best: A2"
    assert [todo.content for todo in attention.board.plan.todos] == ["A2", "B", "C", "D"]


def test_new_words_of_the_user_without_open_work_are_not_talked_into() -> None:
    """After a finished plan, and under `quiet`, a user's words need no plan."""
    for policy, status in ((QUIET, "pending"), (RAIL, "cancelled")):
        attention = planned(policy)
        attention.before_request()
        attention.board.record_tool_use("bash")
        assert attention.board.write({"todos": [{"id": id, "status": status} for id in "123"]}).ok
        attention.on_user_message()
        assert text_of(attention.before_request()) == ""


def test_mini_opens_with_its_first_reminder_once() -> None:
    """Its first reminder opens the first message, and comes at no later point."""
    attention = Attention(Board(dialect="mini", policy=MINI))
    opening = text_of(attention.on_user_message("Go"))
    assert opening == "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
    assert attention.on_user_message("Go on") is None
    assert text_of(attention.before_request()) == ""


@pytest.mark.parametrize("counter", [None, lambda text: len(text)])
def test_tokens_are_counted_for_a_session(counter: Callable[[str], int] | None) -> None:
    """Definition, prompt, calls, replies and reminders are counted, over subagents too, by any counter."""
    session = Session(policy="rail") if counter is None else Session(policy="rail", counter=counter)
    attention = session.attention
    before = session.tokens
    assert before.definition > 0
    assert before.prompt > 0
    assert before[2:] == (0, 0, 0)
    attention.before_request()
    session.board.write({"todos": [{"content": "A"}]})
    session.subagent("helper").write({"todos": [{"content": "A"}]})
    session.dismiss("helper")
    after = session.tokens
    assert min(after) > 0
    assert after.total == sum(after)
    if counter is not None:
        assert after.calls == 2 * len('{"todos":[{"content":"A"}]}')


@pytest.mark.parametrize("name", dialects.names())
def test_what_cannot_be_done_can_be_given_up_in_every_dialect(name: DialectName) -> None:
    """Under `rail` no model is asked for a status that its tool refuses: a dialect without blocked is lent the word."""
    board = Board(dialect=name, policy="rail")
    attention = Attention(board)
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    for way in "abc":
        board.record_tool_use("bash", {"command": way}, failed=True)
    asked = text_of(attention.before_request())
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
def test_a_write_is_narrowed_only_to_what_the_dialect_takes(name: DialectName) -> None:
    """What a host offers under `rail`, the tool takes: a dialect of whole lists is not narrowed to one todo."""
    jsonschema = pytest.importorskip("jsonschema")
    board = Board(dialect=name, policy="rail")
    attention = Attention(board)
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    board.record_tool_use("bash")
    attention.before_request()
    schema = attention.offer().schema
    assert (schema is None) == (name != "holdfast")
    if schema is not None:
        mark = json.loads(board.dialect.mark.format(id="1", status="completed"))
        jsonschema.validate(mark, schema)
        assert board.write(mark).ok


def test_nobody_was_stopped_at_first() -> None:
    """A new driver has held nobody."""
    assert Attention(Board()).stop_reason == ""


def test_what_a_model_is_to_do_now_is_not_kept() -> None:
    """It stands at the end of one request, and not in the history."""
    reminder = planned("rail").before_request()
    assert reminder is not None and not reminder.keep
    assert reminder.text == "Now do item 1 with the tool that fits best: A"


@pytest.mark.parametrize("policy", ["quiet", "rail"])
@pytest.mark.parametrize("name", ["holdfast", "claude-code"])
def test_a_status_is_lent_only_where_it_is_needed(name: DialectName, policy: PolicyName) -> None:
    """A policy that never asks for blocked adds no status, and no status is there twice."""
    lent = (Status.BLOCKED,) if (name, policy) == ("claude-code", "rail") else ()
    assert Board(dialect=name, policy=policy).rules.statuses == (*dialects.get(name).rules.statuses, *lent)


def test_a_driver_that_was_let_go_hears_nothing_more() -> None:
    """What is written on the board after that is no turn of its own."""
    attention = planned()
    attention.before_request()
    attention.detach()
    attention.board.write({"todos": [{"content": "Other"}]})
    assert attention.turn.since_write == 1


def test_a_driver_may_be_let_go_twice() -> None:
    """A host detaches it, and so does the next driver."""
    attention = planned()
    attention.detach()
    attention.detach()
    assert Attention(attention.board).board is attention.board


def test_a_model_whose_subagents_work_may_end_its_turn() -> None:
    """It is let go while there are some, and whatever else is noted does not change their number."""
    attention = planned("rail")
    attention.subagents(2)
    attention.asked_user(False)
    assert (attention.before_stop(), attention.stop_reason) == (None, "a subagent is at work")
    attention.subagents(0)
    assert attention.before_stop() is not None


def test_a_model_may_be_held_again_after_the_user_has_spoken() -> None:
    """What was held before counts no more."""
    attention = planned(RAIL.replace(holds=1))
    assert [attention.before_stop() is not None for _ in range(2)] == [True, False]
    attention.on_user_message()
    assert [attention.before_stop() is not None for _ in range(2)] == [True, False]


def test_only_the_first_text_of_a_policy_opens_a_conversation() -> None:
    """Everything else has its place at the end of a request."""
    attention = Attention(Board(policy="rail"))
    assert attention.on_user_message("Go") is None
    assert text_of(attention.before_request()).startswith("First write the plan with TodoWrite")


def test_a_stale_plan_opens_no_conversation_though_the_words_are_the_same() -> None:
    """Only the user's first message is opened; a stale plan is named at the end of a request."""
    words = "Keep the plan up to date."
    attention = planned(MINI.replace(first_text=words, stale_text=words, stale_after=1))
    assert text_of(attention.before_request()) == ""
    assert attention.on_user_message("Go on") is None
    assert text_of(attention.before_request()) == words


def test_what_presses_more_than_the_first_text_does_not_open_a_conversation() -> None:
    """It has its place at the end of the request, and the first text is not said."""
    attention = Attention(Board(policy=RAIL.replace(first_text="Use your tools.")))
    assert attention.on_user_message("Go") is None
    assert text_of(attention.before_request()).startswith("First write the plan with TodoWrite")


def test_a_first_text_that_opened_nothing_ends_the_first_request_alone() -> None:
    """A host that has no place for it before the user's text sends it once, all the same."""
    attention = Attention(Board(dialect="mini", policy=MINI))
    assert [text_of(attention.before_request()) for _ in range(3)] == [MINI.first_text, "", ""]


def test_an_edit_that_is_told_first_does_not_swallow_the_users_words() -> None:
    """Both are told, one request after the other."""
    attention = planned("rail")
    attention.on_user_message()
    attention.board.edit("2", content="B2")
    told = [text_of(attention.before_request()) for _ in range(3)]
    assert 'now reads "B2"' in told[0]
    assert told[1].startswith("The user has spoken. First write the plan anew")
    assert told[2] == "Now do item 1 with the tool that fits best: A"


def places(attention: Attention[Board], requests: int) -> list[int]:
    """Which of so many requests end with something, counted from 1."""
    return [place for place in range(1, requests + 1) if attention.before_request() is not None]


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


@pytest.mark.parametrize("name", ["holdfast", "claude-code"])
def test_an_update_rides_on_another_call(name: DialectName) -> None:
    """A call that ran finishes its todo, in any dialect; the last one ends the work; a failed one finishes nothing."""
    board = Board(dialect=name, policy=RAIL.replace(one_write=False, rides=True))
    attention = Attention(board)
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    failed = "Item 1 is not marked: this call failed. Try another way."
    assert attention.after_tool("bash", {"command": "ls", "done": "1"}, failed=True) == failed
    assert board.plan.done == ()
    assert attention.after_tool("bash", {"command": "ls"}) == ""
    first = attention.after_tool("bash", {"command": "ls", "done": "1"})
    assert first == f"1/2 done. {'Now' if name == 'holdfast' else 'Next'} 2: B"
    assert attention.after_tool("bash", {"done": "2"}) == "All 2 done. End now with a short answer to the user."
    assert board.plan.is_finished


@pytest.mark.parametrize(("rides", "arguments"), [(False, {"done": "1"}), (False, None), (True, None)])
def test_without_a_rider_nothing_is_added_to_a_result(rides: bool, arguments: dict[str, object] | None) -> None:
    """Where no update may come with a call, `done` is an argument like any other."""
    attention = planned(RAIL.replace(rides=rides))
    assert attention.after_tool("bash", arguments) == ""
    assert attention.board.plan.done == ()
    assert attention.turn.work.calls == 1


def test_what_holds_a_model_is_counted() -> None:
    """The tokens of a session include the reminders of the stop gate."""
    session = Session(policy="rail", counter=len)
    session.board.write({"todos": [{"content": "A"}]})
    before = session.tokens.reminders
    held = text_of(session.attention.before_stop())
    assert held and session.tokens.reminders == before + len(held)


def test_what_is_blocked_twice_is_progress_once() -> None:
    """A model does not buy the next hold by blocking what it has blocked before."""
    attention = planned(RAIL.replace(holds=1, one_write=False))
    held = []
    for status in ("blocked", "pending", "blocked"):
        assert attention.board.write({"todos": [{"id": "1", "status": status}]}).ok
        held.append(attention.before_stop() is not None)
    assert held == [True, False, False]


def test_what_was_lost_to_a_compaction_is_known_until_the_next_write() -> None:
    """A call that the model can no longer see counts for its own todo only."""
    attention = planned(RAIL.replace(one_write=False))
    attention.after_tool("bash", {"command": "mkdir x"})
    attention.after_compaction()
    assert attention.turn.out_of_sight == 1 and [use.call for use in attention.turn.work.uses] == ["mkdir x"]
    assert attention.board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    assert attention.turn.out_of_sight == 0 and not attention.turn.work.uses


class AwayStore(MemoryStore):
    """A store that can go away, for reading, for writing, or both."""

    is_away = False
    refuses_commits = False

    def load(self, key: Key) -> Plan:
        """As in memory, while it is there."""
        if self.is_away:
            raise StoreError("no connection")
        return super().load(key)

    def commit(self, key: Key, change: Change) -> None:
        """As in memory, while it is there."""
        if self.is_away or self.refuses_commits:
            raise StoreError("no connection")
        super().commit(key, change)


def test_an_outage_of_the_store_ends_no_loop() -> None:
    """No moment raises, nothing is said, everything may be done; once the store is back, so is the plan."""
    store = AwayStore()
    Board(store=store).write({"todos": [{"content": "A"}]})
    store.is_away = True
    attention = Attention(Board(store=store, policy="rail"))
    assert attention.on_user_message("Go on.") is None
    assert attention.before_request() is None
    assert attention.after_tool("bash", {"command": "ls"}) == ""
    assert attention.before_stop() is None
    assert attention.offer() == Offer(write=True, work=True, stop=True)
    store.is_away = False
    assert "1. [pending] A" in text_of(attention.before_request())


def test_a_turn_begins_in_an_outage_too() -> None:
    """The write of the turn before does not count against the next one."""
    store = AwayStore()
    attention = Attention(Board(store=store, policy="quiet"))
    attention.before_request()
    attention.board.write({"todos": [{"content": "A"}]})
    store.is_away = True
    attention.before_request()
    store.is_away = False
    assert attention.board.write({"todos": [{"content": "B"}]}).ok


def test_an_edit_that_cannot_be_noted_as_told_is_told_again() -> None:
    """A store that only reads takes no reminder from the model."""
    store = AwayStore()
    board = Board(store=store, policy="quiet")
    attention = Attention(board)
    board.write({"todos": [{"content": "A"}]})
    board.add("Of a person")
    store.refuses_commits = True
    assert "Of a person" in text_of(attention.before_request())
    assert "Of a person" in text_of(attention.before_request())


def test_an_outage_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever runs the host learns from the log why nothing is said, with the error itself."""
    store = AwayStore()
    attention = Attention(Board(store=store))
    store.is_away = True
    assert attention.before_request() is None
    (record,) = caplog.records
    assert (record.name, record.getMessage()) == (
        "holdfast",
        "holdfast: the store cannot be used; nothing is said of the plan",
    )
    assert record.exc_info is not None and isinstance(record.exc_info[1], StoreError)


def test_a_completion_that_the_store_refuses_is_not_claimed() -> None:
    """The result of the call stays as it is."""
    store = AwayStore()
    attention = Attention(Board(store=store, policy="rail"))
    attention.on_user_message("- create maple.txt with the word river\n- delete b.old")
    store.refuses_commits = True
    assert attention.after_tool("bash", {"command": "echo river > maple.txt"}) == ""
    assert not attention.board.plan.done
