"""What is said to the model, and when: the rules of attention one by one."""

import json
from collections.abc import Callable

import pytest
from attended import planned, text_of, work
from moments import BLOCKED, FINISHED, OPEN, STALE

from holdfast import Attention, Board, Plan, Status, Todo, dialects
from holdfast.attention.piggyback import FIELD
from holdfast.attention.policies import MINI, OFF, POLICIES, QUIET, RAIL, Policy
from holdfast.attention.reminders import Kind, next_reminder, recap, stop_verdict
from holdfast.attention.state import Turn
from holdfast.plan import Wish
from holdfast.plan.edits import edit
from holdfast.plan.work import ToolUse, Work


def kind(plan: Plan, turn: Turn, policy: Policy) -> Kind | None:
    """The kind of the reminder, if there is one."""
    reminder = next_reminder(plan, turn, policy)
    return None if reminder is None else reminder.kind


@pytest.mark.parametrize("plan", [Plan(), OPEN, FINISHED, BLOCKED])
@pytest.mark.parametrize(
    "turn", [Turn(), STALE, Turn(sees_plan=False), Turn(stopping=True), Turn(work=work("a", "b", "c"))]
)
def test_off_says_nothing(plan: Plan, turn: Turn) -> None:
    """The policy `off` never says anything."""
    assert next_reminder(plan, turn, OFF) is None


def test_each_kind_has_the_name_that_hosts_know_it_by() -> None:
    """The most pressing first."""
    assert list(Kind) == ["edit", "resume", "stop", "current", "loop", "stale", "first"]


@pytest.mark.parametrize("policy", [OFF, MINI])
def test_edits_are_told_only_where_the_policy_says_so(policy: Policy) -> None:
    """A policy that does not tell edits stays silent about them."""
    assert next_reminder(edit(OPEN, "3", Wish(content="B"), 1.0, 1), Turn(first=False), policy) is None


def test_a_model_whose_updates_ride_is_told_where_to_put_them() -> None:
    """The call that finishes the item says so. One that was made without a word is asked about, as always."""
    reminder = next_reminder(OPEN, Turn(rides=True), RAIL)
    assert reminder is not None
    now = "Now do item 2 with the tool that fits best: Fix the bug."
    assert reminder.text == f'{GOAL}{now} Put "{FIELD}": "2" into the call that finishes it.'


@pytest.mark.parametrize("since", range(10))
def test_quiet_is_silent_while_the_plan_is_fresh(since: int) -> None:
    """Under ten requests after a write, `quiet` says nothing."""
    assert next_reminder(OPEN, Turn(since_write=since, first=False), QUIET) is None


def test_quiet_reminds_once_the_plan_is_stale() -> None:
    """Ten requests without a write bring one short reminder that names what is to do."""
    reminder = next_reminder(OPEN, STALE, QUIET)
    assert reminder is not None
    assert reminder.kind is Kind.STALE
    assert "2: Fix the bug" in reminder.text


@pytest.mark.parametrize(("since_reminder", "again"), [(1, False), (9, False), (10, True)])
def test_a_stale_reminder_comes_again_after_ten_more(since_reminder: int, again: bool) -> None:
    """A second reminder waits for ten more requests."""
    turn = STALE._replace(since_write=20, since_reminder=since_reminder)
    assert (kind(OPEN, turn, QUIET) is Kind.STALE) is again


@pytest.mark.parametrize(("reminded", "again"), [(0, True), (2, True), (3, False), (4, False)])
def test_a_plan_is_called_stale_three_times_at_most(reminded: int, again: bool) -> None:
    """A model that has passed over three reminders is left in peace by `quiet`."""
    turn = STALE._replace(since_write=90, since_reminder=10, reminded=reminded)
    assert (kind(OPEN, turn, QUIET) is Kind.STALE) is again
    assert kind(OPEN, turn, QUIET.replace(stale_times=0)) is Kind.STALE


def test_one_reminder_may_be_enough() -> None:
    """A policy may say so: the second one never comes."""
    once = QUIET.replace(stale_times=1)
    assert kind(OPEN, STALE, once) is Kind.STALE
    assert kind(OPEN, STALE._replace(since_write=90, since_reminder=10, reminded=1), once) is None


@pytest.mark.parametrize("plan", [Plan(), FINISHED])
@pytest.mark.parametrize("policy", [QUIET, RAIL])
def test_without_open_work_nothing_is_stale_or_restated(plan: Plan, policy: Policy) -> None:
    """A finished or cleared plan is never brought up again, but `rail` says at each request that it is done."""
    is_done = policy is RAIL and plan is FINISHED
    for turn in (STALE, Turn(sees_plan=False, first=False)):
        assert kind(plan, turn, policy) in ((Kind.CURRENT,) if is_done else (None, Kind.FIRST))
    assert kind(plan, Turn(stopping=True, first=False), policy) in (None, Kind.FIRST)


def test_a_finished_plan_says_so_until_the_user_speaks() -> None:
    """Else a model that was compacted just then goes on in circles to its last turn."""
    reminder = next_reminder(FINISHED, Turn(), RAIL)
    assert reminder is not None and not reminder.keep
    assert reminder.text == "All todos are done. End now with a short answer to the user."
    assert next_reminder(FINISHED, Turn(heard=True), RAIL) is None


GOAL = "Task: mend the parser\n"
MARK_IT = 'Now your next action is TodoWrite {"todos": [{"id": "2", "status": "completed"}]}.'


def test_what_was_done_before_a_compaction_is_told_with_the_plan() -> None:
    """A job that is done is not asked for again: what was run for it stands in the block, and how to mark it."""
    policy = RAIL.fitted_to(dialects.get("holdfast"))
    reminder = next_reminder(OPEN, Turn(sees_plan=False, work=work("mv a </plan> b")), policy)
    assert reminder is not None
    assert reminder.text.endswith(
        "Already run for 2, with success: mv a &lt;/plan> b. Go on with 2.\n</plan>\n"
        "Is item 2 (Fix the bug) done now? Then your next action is "
        'TodoWrite {"todos": [{"id": "2", "status": "completed"}]}. If not, finish it.'
    )
    blocked = next_reminder(BLOCKED, Turn(sees_plan=False, work=work("mv a b")), policy)
    assert blocked is not None and "mv a b" not in blocked.text, "no todo is current"
    quiet = next_reminder(OPEN, Turn(sees_plan=False, work=work("mv a b")), QUIET)
    assert quiet is not None and "Already run for 2, with success: mv a b. Go on with 2." in quiet.text
    failed = next_reminder(OPEN, Turn(sees_plan=False, work=work("?ls", "!mv a b")), QUIET)
    assert failed is not None and "Already tried for 2, and failed: mv a b. Go on with 2." in failed.text


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (Turn(work=work("mkdir x", "mkdir x")), f"You have run this 2 times, with success: mkdir x. {MARK_IT}"),
        (Turn(work=work("mv a b", "!mv a b")), f"Item 2 was already done by: mv a b. {MARK_IT}"),
        (Turn(work=work("mv a b", "!mv a c"), out_of_sight=2), f"Item 2 was already done by: mv a b. {MARK_IT}"),
        (
            Turn(work=work("edit x", "!edit y")),
            f"That failed. Do item 2 another way, with another tool or command: {OPEN.todos[1].content}",
        ),
    ],
    ids=["the same call again", "it fails the second time", "it was forgotten", "another call fails"],
)
def test_what_was_already_done_is_to_be_marked(turn: Turn, text: str) -> None:
    """A model that does the same again is told that it is done; a new call that fails is still a failure."""
    reminder = next_reminder(OPEN, turn, RAIL.fitted_to(dialects.get("holdfast")))
    assert reminder is not None
    assert reminder.text == f"{GOAL}{text}"


def test_the_points_of_a_users_list_are_counted() -> None:
    """The first plan is asked for by their number, and what it left out is named."""
    first = next_reminder(Plan(), Turn(points=6), RAIL)
    assert first is not None
    assert first.text == "First write the plan with TodoWrite: one todo for each of the 6 points."
    missing = next_reminder(OPEN, Turn(missing=4), RAIL)
    assert missing is not None
    count = len(OPEN.todos)
    assert missing.text == (
        f"The user listed {count + 4} points, and the plan has {count}. Add the 4 that are missing with TodoWrite."
    )


def test_a_plan_out_of_sight_is_restated() -> None:
    """After compaction the next request brings the open todos back, verbatim, with ids and statuses."""
    reminder = next_reminder(OPEN, Turn(sees_plan=False), QUIET)
    assert reminder is not None
    assert reminder.kind is Kind.RESUME
    assert "2. [in_progress] Fix the bug" in reminder.text
    assert "Read the parser" not in reminder.text


def test_a_long_plan_out_of_sight_leaves_room_for_what_to_do_now() -> None:
    """The plan is cut, and the last line is whole."""
    attention = planned(RAIL, *(f"{number} {'word ' * 30}" for number in range(40)))
    attention.after_compaction()
    said = text_of(attention.before_request())
    assert said.splitlines()[-1].startswith("Now do item 1 with the tool that fits best: 0 word")
    assert RAIL.longest - 200 < len(said) <= RAIL.longest


def test_the_order_of_precedence() -> None:
    """An edit comes before the restated plan, that before the stop gate, that before the current item."""
    board = Board()
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.edit("1", content="A, but better")
    policy = RAIL.replace(stale_after=10)
    turn = STALE._replace(stopping=True)
    assert kind(board.plan, turn, policy) is Kind.EDIT
    assert kind(board.plan, turn._replace(sees_plan=False), policy) is Kind.RESUME
    board.mark_edits_told()
    assert kind(board.plan, turn, policy) is Kind.STOP
    assert kind(board.plan, turn._replace(stopping=False), policy) is Kind.CURRENT
    assert kind(board.plan, STALE, policy._replace(names_current=False)) is Kind.STALE
    assert kind(Plan(), Turn(), policy) is Kind.FIRST


def test_rail_names_the_current_item_at_every_request() -> None:
    """Under `rail` each request ends with the item to do, and after some work with the question whether it is done."""
    policy = Attention(Board(policy=RAIL)).policy
    before, after = (next_reminder(OPEN, Turn(work=so_far), policy) for so_far in (work(), work("a", "b")))
    assert before is not None
    assert after is not None
    assert before.text == f"{GOAL}Now do item 2 with the tool that fits best: Fix the bug"
    assert after.text == GOAL + (
        "Is item 2 (Fix the bug) done now? "
        'Then your next action is TodoWrite {"todos": [{"id": "2", "status": "completed"}]}. If not, finish it.'
    )


def test_the_call_that_completes_an_item_is_one_that_the_board_takes() -> None:
    """What the tail tells the model to send is a write that marks the current item, in dialects that have one."""
    board = Board()
    board.write({"todos": [{"content": "A"}]})
    assert board.write(board.dialect.mark.format(id="1", status="completed")).plan.todos[0].status is Status.COMPLETED


def test_a_dialect_without_such_a_call_is_named() -> None:
    """Where only a whole list can be written, the tail names the tool."""
    reminder = next_reminder(OPEN, Turn(work=work("make")), Attention(Board(dialect="two-state", policy=RAIL)).policy)
    assert reminder is not None
    assert "Then your next action is to mark it completed with todo_write." in reminder.text


def test_a_call_that_failed_is_followed_by_another_way_and_then_by_giving_up() -> None:
    """A failed call is no work: the tail asks for another way, and after three ways for the item to be blocked."""
    board = Board(policy=RAIL)
    attention = Attention(board)
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    said = []
    for command in ("a", "b", "c"):
        attention.after_tool("bash", {"command": command}, failed=True)
        said.append(text_of(attention.before_request()))
    other_way = "That failed. Do item 1 another way, with another tool or command: A"
    assert said == [
        other_way,
        other_way,
        'Item 1 (A) failed 3 times. Now your next action is TodoWrite {"todos": [{"id": "1", "status": "blocked"}]}.',
    ]
    offer = attention.offer()
    assert offer[:3] == (True, False, False)
    assert offer.schema is not None and '["blocked", "cancelled"]' in json.dumps(offer.schema)
    assert board.write({"todos": [{"id": "1", "status": "blocked"}]}).ok
    assert text_of(attention.before_request()) == "Now do item 2 with the tool that fits best: B"
    assert not board.write({"todos": [{"id": "2", "status": "blocked"}]}).ok  # nobody has tried


def test_the_same_way_again_is_not_a_different_way() -> None:
    """A model that repeats one failing call may do so longer than one that tries others, but not for ever."""
    policy = RAIL.fitted_to(dialects.get("holdfast"))
    given_up = [
        "blocked" in text_of(next_reminder(OPEN, Turn(work=work(*["!make"] * times)), policy)) for times in range(1, 6)
    ]
    assert given_up == [False, False, False, True, True]


def test_what_is_blocked_is_tried_once_more_at_the_end() -> None:
    """When nothing else is left, each blocked todo gets another try; if that fails, too, the model may end."""
    attention = planned(RAIL.replace(one_write=False), "A", "B")
    board = attention.board
    for id in ("1", "2"):
        attention.after_tool("bash", {"command": f"first {id}"}, failed=True)
        assert board.write({"todos": [{"id": id, "status": "blocked"}]}).ok
    again = "Try what is blocked once more. Now do item 1 with the tool that fits best: A"
    assert text_of(attention.before_request()) == again
    assert attention.offer()[:3] == (False, True, False)
    attention.after_tool("bash", {"command": "second 1"})
    assert text_of(attention.before_request()).startswith("Is item 1 (A) done now?")
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    assert "Now do item 2" in text_of(attention.before_request())
    for command in ("second 2", "third 2"):
        attention.after_tool("bash", {"command": command}, failed=True)
    end = "The rest is blocked. End now with a short answer to the user: say what is missing."
    assert text_of(attention.before_request()) == end
    assert attention.offer()[:3] == (False, False, True)


def test_each_blocked_todo_is_tried_once_more_and_then_the_model_may_end() -> None:
    """What is done in a second try counts for the todo that it is about, not for the first that is blocked."""
    attention = planned(RAIL.replace(one_write=False), "A", "B")
    board = attention.board
    for id in ("1", "2"):
        attention.after_tool("bash", {"command": f"first {id}"}, failed=True)
        assert board.write({"todos": [{"id": id, "status": "blocked"}]}).ok
    for id in ("1", "2"):
        assert f"Try what is blocked once more. Now do item {id}" in text_of(attention.before_request())
        attention.after_tool("bash", {"command": f"second {id}"}, failed=True)
        assert board.work.todo == id
        attention.after_tool("bash", {"command": f"third {id}"}, failed=True)
        assert board.edit(id, content=f"{id}, as a person calls it").ok, "it is the same plan: what was tried is known"
        attention.before_request()
    assert text_of(attention.before_request()).startswith("The rest is blocked. End now")
    assert [[use.call for use in todo.work] for todo in board.plan.todos] == [["first 1"], ["first 2"]]


def test_a_host_says_how_its_model_writes_a_call() -> None:
    """A model that acts by JSON objects is shown the whole object."""
    policy = RAIL.replace(mark='{{"tool": "TodoWrite", "todos": [{{"id": "{id}", "status": "{status}"}}]}}')
    reminder = next_reminder(OPEN, Turn(work=work("make")), Attention(Board(policy=policy)).policy)
    assert reminder is not None
    assert 'is {"tool": "TodoWrite", "todos": [{"id": "2", "status": "completed"}]}. If' in reminder.text


def test_a_host_says_how_its_model_ends() -> None:
    """A model that acts by JSON objects ends by one, too: small models end only if they see it."""
    policy = RAIL.replace(end='{"tool": "finish", "text": "..."}')
    finished = OPEN._replace(todos=tuple(todo._replace(status=Status.COMPLETED) for todo in OPEN.todos))
    assert text_of(next_reminder(finished, Turn(), policy)) == (
        'All todos are done. Your next action is {"tool": "finish", "text": "..."}: tell the user what you did.'
    )
    blocked = OPEN._replace(todos=tuple(todo._replace(status=Status.BLOCKED) for todo in OPEN.todos))
    assert text_of(next_reminder(blocked, Turn(), policy)) == (
        'The rest is blocked. Your next action is {"tool": "finish", "text": "..."}: say what is missing.'
    )
    assert policy.on_rails([Status.BLOCKED]).end == policy.end


def test_mini_keeps_the_words_of_its_contract() -> None:
    """The two reminders of the dialect `mini` are exact, the second on the 11th round and then on every 10th."""
    first = next_reminder(Plan(), Turn(), MINI)
    assert first is not None
    assert first.text == "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
    assert next_reminder(OPEN, Turn(since_write=10, first=False), MINI) is None
    nag = next_reminder(OPEN, Turn(since_write=11, first=False), MINI)
    assert nag is not None
    assert nag.text == "<reminder>10+ turns without todo update. Please update todos.</reminder>"
    assert next_reminder(FINISHED, Turn(since_write=11, first=False), MINI) is None


@pytest.mark.parametrize(
    ("plan", "turn", "reason"),
    [
        pytest.param(OPEN, Turn(), None, id="open work is held"),
        pytest.param(OPEN, Turn(interrupted=True), "the user interrupted", id="the user broke in or said stop"),
        pytest.param(OPEN, Turn(asked_user=True), "it waits for the user's answer", id="the user was asked"),
        pytest.param(OPEN, Turn(subagents=1), "a subagent is at work", id="a subagent works"),
        pytest.param(OPEN, Turn(held=3), "no progress after 3 reminders", id="no progress"),
        pytest.param(BLOCKED, Turn(), "everything open is blocked", id="all blocked"),
        pytest.param(FINISHED, Turn(), "nothing is open", id="finished"),
    ],
)
def test_the_brakes_of_the_stop_gate(plan: Plan, turn: Turn, reason: str | None) -> None:
    """The gate holds open work, and says why whenever it does not."""
    turn = turn._replace(stopping=True, first=False)
    assert stop_verdict(plan, turn, RAIL) == reason
    assert (kind(plan, turn, RAIL.replace(names_current=False)) is Kind.STOP) is (reason is None)


def test_a_model_without_a_word_for_it_takes_off_the_list_what_is_not_needed() -> None:
    """The gate asks for nothing that the dialect cannot say."""
    attention = Attention(Board(dialect="claude-code", policy=QUIET.replace(holds=1)))
    todo = {"content": "A", "status": "pending", "activeForm": "Doing A"}
    assert attention.board.write({"todos": [todo]}).ok
    assert text_of(attention.before_stop()).endswith("Do it, or take what is not needed off the list.</reminder>")


def test_quiet_has_no_stop_gate() -> None:
    """The gate is opt-in."""
    assert stop_verdict(OPEN, Turn(stopping=True), QUIET) == "there is no stop gate"
    assert stop_verdict(OPEN, Turn(stopping=True), QUIET.replace(holds=1)) is None


def test_a_pending_item_is_next_and_not_now() -> None:
    """A todo that was not started is not called the current one."""
    pending = OPEN._replace(todos=OPEN.todos[:1] + OPEN.todos[2:])
    assert recap(pending) == "1/2 done. Next 3: Run the tests"


def test_a_tag_in_a_text_is_shown_with_its_bracket_escaped() -> None:
    """The words around it stay as they are; a bracket that begins no tag stays one."""
    plan = Plan((Todo("1", "a <B> < c </d> <!-- <?x"),), next_id=2)
    assert recap(plan) == "0/1 done. Next 1: a &lt;B> < c &lt;/d> &lt;!-- &lt;?x"


def test_of_a_blocked_plan_nothing_is_asked() -> None:
    """A stale reminder asks whether the plan is right only where there is something to do."""
    reminder = next_reminder(BLOCKED, STALE, QUIET)
    assert reminder is None or "still right" not in reminder.text


def test_news_is_said_in_full_and_within_the_cap() -> None:
    """An edit by a person is reported with how far the plan is, cut at the policy's cap."""
    edited = edit(OPEN, "3", Wish(content="Run every test"), 1.0, 1)
    reminder = next_reminder(edited, Turn(since_write=0, first=False), QUIET)
    news = 'The user changed the plan: 3 ("Run the tests") now reads "Run every test".'
    assert reminder == (Kind.EDIT, f"<reminder>{news} 1/3 done. Now 2: Fix the bug</reminder>")
    short = next_reminder(edited, Turn(since_write=0, first=False), QUIET.replace(longest=30))
    assert short is not None and len(short.text) == 30 + len("<reminder></reminder>")


def test_recap_is_one_capped_line() -> None:
    """The recap is one line, cut at its cap, and empty when nothing is open."""
    assert recap(OPEN) == "1/3 done. Now 2: Fix the bug"
    assert recap(FINISHED) == recap(Plan()) == ""
    long = OPEN._replace(todos=(Todo("1", "word\n" * 100),))
    assert len(recap(long)) <= 160
    assert "\n" not in recap(long)
    assert recap(BLOCKED) == "0/3 done. The rest is blocked."


def test_every_sentence_that_a_model_reads(snapshot: Callable[[str, str], None]) -> None:
    """The words of every reminder, as they were chosen."""
    turns = {
        "first": (Plan(), Turn()),
        "current": (OPEN, Turn()),
        "current, after a look": (OPEN, Turn(work=work("?ls"))),
        "current, after work": (OPEN, Turn(work=work("make"))),
        "stale": (OPEN, STALE),
        "out of sight": (OPEN, Turn(sees_plan=False)),
        "out of sight, after a look": (OPEN, Turn(sees_plan=False, work=work("?ls"))),
        "stopping": (OPEN, Turn(stopping=True)),
        "after the user spoke": (OPEN, Turn(heard=True)),
        "after a failure": (OPEN, Turn(work=work("!make"))),
        "after three ways that failed": (OPEN, Turn(work=work("!make", "!make -B", "!sh build"))),
        "all blocked": (BLOCKED, Turn()),
    }
    lines = []
    for policy in POLICIES.values():
        for name, (plan, turn) in turns.items():
            reminder = next_reminder(plan, turn, policy)
            lines.append(f"{policy.name}, {name}: {reminder.text if reminder else '-'}")
    snapshot("reminders.txt", "\n".join(lines))


@pytest.mark.parametrize("policy", [QUIET, RAIL])
def test_no_reminder_is_longer_than_the_policy_says(policy: Policy) -> None:
    """A summary, a todo and edits of any length do not make a reminder of any length."""
    board = Board(dialect="sema")
    items = [{"content": letter * 50_000, "status": "pending", "activeForm": "x"} for letter in "AB"]
    board.write({"todos": items})
    board.update(items, summary="s" * 50_000)
    for _ in range(40):
        board.add("x" * 200)
    plan = board.plan
    for turn in (Turn(sees_plan=False), Turn(since_write=20), Turn(work=work("make")), Turn(stopping=True)):
        reminder = next_reminder(plan, turn, policy._replace(longest=2000))
        assert reminder is None or len(reminder.text) <= 2000 + len("<reminder></reminder>")


@pytest.mark.parametrize(
    ("calls", "end"),
    [
        (("make",) * 3, "It is done: go on with what is left."),
        (("!make",) * 4, "It failed each time: try another way."),
    ],
)
def test_the_same_call_over_and_over_is_named(calls: tuple[str, ...], end: str) -> None:
    """From the third time on, with how it ended; twice may be meant, and a call nobody knows is never the same."""
    policy = QUIET.replace(breaks_loops=True)
    turn = Turn(work=work(*calls), first=False)
    reminder = next_reminder(OPEN, turn, policy)
    assert reminder is not None and reminder.kind is Kind.LOOP
    assert f"You have made the same call {len(calls)} times: make. {end} {recap(OPEN)}" in reminder.text
    assert reminder.text.count("XX") == 0
    assert next_reminder(OPEN, turn, QUIET.replace(breaks_loops=False)) is None
    assert next_reminder(OPEN, Turn(work=work(*calls[:2]), first=False), policy) is None
    (use,) = work(*calls).uses
    assert next_reminder(OPEN, Turn(work=Work("2", (use._replace(key=""),)), first=False), policy) is None


def test_after_a_failure_there_is_a_look_first() -> None:
    """If the host has tools that only look, none was used yet, and the failure was none itself; else another way."""
    look = "Look first at what is there. Then do item 2 another way: Fix the bug"
    other = "Do item 2 another way, with another tool or command: Fix the bug"
    rail = RAIL.fitted_to(dialects.get("holdfast"))
    for turn, text in (
        (Turn(work=work("!make"), can_look=True), look),
        (Turn(work=work("!make"), can_look=False), other),
        (Turn(work=work("?ls", "!make"), can_look=True), other),
        (Turn(work=Work("2", (ToolUse("read", "cat a", failed=True, read_only=True, key="k"),)), can_look=True), other),
    ):
        reminder = next_reminder(OPEN, turn, rail)
        assert reminder is not None and reminder.text == f"{GOAL}That failed. {text}", turn
