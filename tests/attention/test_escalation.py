"""quiet puts a model that cannot go on by itself on the rails: in any host, and sooner in one that constrains it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attended import text_of
from test_completion import CODE

from holdfast import QUIET, RAIL, Attention, Board, Policy, Session

SHELL = [{"name": "bash", "input_schema": {"type": "object", "properties": {"command": {}}, "required": ["command"]}}]
LIST = "Do this:\n- create maple.txt with the word river\n- delete b.old\n- make a folder named attic"


def started(policy: Policy = QUIET, constrains: bool = True) -> Attention[Board]:
    """An attention whose model was given a list."""
    attention = Session(policy=policy).attention
    attention.on_user_message(LIST)
    attention.before_request()
    if constrains:
        attention.offer()
    return attention


def test_a_loop_leads_to_the_rails() -> None:
    """The user's list is the plan then, and what the calls before show to be done is done."""
    attention = started()
    attention.after_tool("bash", {"command": "echo river > maple.txt"})
    for _ in range(3):
        assert not attention.board.plan.todos
        attention.after_tool("bash", {"command": "echo none"})
    assert [str(todo.status) for todo in attention.board.plan.todos] == ["completed", "in_progress", "pending"]
    assert text_of(attention.before_request()) == "Now do item 2 with the tool that fits best: delete b.old"
    assert attention.after_tool("bash", {"command": "rm b.old"}) == "2/3 done."


def test_a_model_that_stops_early_goes_on() -> None:
    """It is held, with the next point of the user's list."""
    attention = started()
    held = attention.before_stop()
    assert held is not None and "3 of 3 todos are still open. Next 1: create maple.txt" in held.text


def test_a_plan_with_less_than_the_list_gets_the_rest() -> None:
    """What the model has written stays."""
    attention = started()
    attention.board.write({"todos": [{"content": "delete b.old"}]})
    attention.before_request()
    assert attention.board.plan.contents == (
        "delete b.old",
        "create maple.txt with the word river",
        "make a folder named attic",
    )


def test_points_that_were_only_claimed_are_open_again() -> None:
    """A model that marks the whole list without a call for it has done none of it."""
    attention = started()
    points = ["create maple.txt with the word river", "delete b.old", "make a folder named attic"]
    attention.after_tool("bash", {"command": "rm b.old"})
    attention.board.write({"todos": [{"content": point, "status": "completed"} for point in points]})
    attention.before_request()
    assert [str(todo.status) for todo in attention.board.plan.todos] == ["pending", "completed", "pending"]


@pytest.mark.parametrize("policy", [QUIET, QUIET.replace(escalates=False)])
def test_a_host_that_does_not_constrain_sees_nothing_of_it(policy: Policy) -> None:
    """Strong models are left alone, and so is everybody whose policy does not ask for it."""
    attention = started(policy, constrains=policy is not QUIET)
    for _ in range(4):
        attention.after_tool("bash", {"command": "echo none"})
    assert attention.before_stop() is None and not attention.board.plan.todos


@pytest.mark.parametrize(("times", "is_known", "is_planned"), [(3, True, False), (4, False, False), (4, True, True)])
def test_a_loop_in_a_free_host_leads_to_the_rails_only_if_it_was_named_and_nothing_is_planned(
    times: int, is_known: bool, is_planned: bool
) -> None:
    """A strong model may wait for something, with the same call each time."""
    attention = started(constrains=False)
    if is_known:
        attention.equip(SHELL)
    if is_planned:
        attention.board.write({"todos": [{"content": "delete b.old"}]})
    for _ in range(times):
        attention.after_tool("bash", {"command": "echo none"})
        assert "Now" not in text_of(attention.before_request()) or is_planned
    assert len(attention.board.plan.todos) == is_planned


def test_a_loop_of_a_model_that_the_user_has_listed_nothing_for_is_only_named() -> None:
    """There is nothing to hold it to."""
    attention = Session(policy=QUIET).attention
    attention.on_user_message("Please tidy up.")
    attention.equip(SHELL)
    for _ in range(4):
        attention.after_tool("bash", {"command": "make clean"})
    assert "You have made the same call 4 times" in text_of(attention.before_request())
    assert attention.policy.name == "quiet" and not attention.policy.names_current


def test_a_loop_that_was_named_leads_to_the_rails_in_a_free_host() -> None:
    """The user has listed what to do, the model has planned none of it, and makes the same call a fourth time."""
    attention = started(constrains=False)
    attention.equip(SHELL)
    for _ in range(4):
        attention.after_tool("bash", {"command": "rm b.old"})
    assert [str(todo.status) for todo in attention.board.plan.todos] == ["in_progress", "completed", "pending"]
    assert text_of(attention.before_request()).startswith("Now run one bash command for item 1: create maple.txt")


def test_a_model_that_only_writes_its_plan_is_put_on_the_rails_in_any_host() -> None:
    """It is told what to run, as soon as four writes in a row have finished nothing. Work in between begins anew."""
    attention = started(constrains=False)
    attention.equip(SHELL)
    plan = {"todos": [{"content": "delete b.old"}, {"content": "tidy up"}]}

    def written(times: int) -> str:
        said = ""
        for _ in range(times):
            attention.board.write(plan)
            said = text_of(attention.before_request())
        return said

    assert written(4) == "", "the first is no vain one"
    attention.after_tool("bash", {"command": "ls"})
    assert written(3) == ""
    assert written(1) == "Use bash, not TodoWrite: delete b.old"
    assert attention.board.plan.contents == (
        "delete b.old",
        "tidy up",
        "create maple.txt with the word river",
        "make a folder named attic",
    )
    assert attention.after_tool("bash", {"command": "rm b.old"}) == "1/4 done."


ALL_DONE = {"todos": [{"content": text, "status": "completed"} for text in LIST.replace("- ", "").splitlines()[1:]]}


def claimed(*commands: str, tools: Sequence[Mapping[str, Any]] = SHELL) -> list[str]:
    """The statuses of the list that a model marks as a whole after some commands, in a host that does not constrain."""
    attention = started(constrains=False)
    attention.equip(tools)
    for command in commands:
        attention.after_tool("bash", {"command": command})
    assert attention.board.write(ALL_DONE).ok
    attention.before_request()
    return [str(todo.status) for todo in attention.board.plan.todos]


def test_what_no_call_has_mentioned_is_open_again_in_any_host() -> None:
    """The 1.5B says so after the first of eight jobs."""
    assert claimed("rm b.old") == ["pending", "completed", "pending"]
    assert claimed("make house") == ["pending"] * 3
    assert claimed("make ".ljust(80, "x")) == ["pending"] * 3, "it is known in full"


@pytest.mark.parametrize(
    "commands",
    [
        ["echo river > maple.txt; rm b.old; mkdir attic"],  # one call may do it all
        ["make a", "make b", "make c"],  # as many calls as todos
        ["rm b.old; mkdir attic"],  # one todo may have been done by what nobody reports
        ["make ".ljust(81, "x")],  # long calls are known only in part
        ["make house", "b.old; attic"],  # each name counts, wherever it stands in a call
        [],
    ],
)
def test_a_strong_model_is_believed(commands: list[str]) -> None:
    """Quiet is for models that plan by themselves: it takes more than a guess to doubt them."""
    assert claimed(*commands) == ["completed"] * 3


def test_a_model_is_believed_of_what_the_user_has_not_listed() -> None:
    """Its own todos may name what no call does."""
    attention = started(constrains=False)
    attention.equip(SHELL)
    attention.after_tool("bash", {"command": "make house"})
    own = [{"content": f"write {name}.txt", "status": "completed"} for name in ("a", "b", "c")]
    assert attention.board.write({"todos": own}).ok
    assert attention.before_request() is None and attention.board.plan.is_finished


def test_a_model_is_believed_where_tools_are_not_reported() -> None:
    """The host has not said which there are."""
    assert claimed("rm b.old", tools=[]) == ["completed"] * 3


def test_a_finished_plan_that_is_written_again_and_again_is_no_work_either() -> None:
    """The 1.5B took two lines of a log for its todos, and marked them."""
    attention = started(constrains=False)
    attention.equip(SHELL)
    for _ in range(5):
        assert attention.before_request() is None
        attention.board.write({"todos": [{"content": "look at the log", "status": "completed"}]})
    assert text_of(attention.before_request()).endswith(": create maple.txt with the word river")


def test_what_the_model_calls_its_plan_is_not_the_users_goal() -> None:
    """A summary is told with each todo on the rails: one that is about the first todo would mislead at all others."""
    for text, goal in ((LIST, ""), (CODE, "In this small code base")):
        attention = Session().attention
        attention.equip(SHELL)
        attention.on_user_message(text)
        for _ in range(5):
            attention.before_request()
            attention.board.write({"todos": [{"content": "tidy up"}], "summary": "Tidy up"})
        assert text_of(attention.before_request()).endswith("Use bash, not TodoWrite: tidy up")
        assert attention.board.plan.summary[:23] == goal
        assert {record.change.action for record in attention.board.history()} == {"write", "adopt"}


def test_a_model_that_the_user_has_not_spoken_to_yet_can_be_stuck() -> None:
    """As after a restart of its host."""
    attention = Session().attention
    attention.equip(SHELL)
    for _ in range(5):
        attention.before_request()
        attention.board.write({"todos": [{"content": "tidy up"}]})
    assert text_of(attention.before_request()) == "Use bash, not TodoWrite: tidy up"


def test_without_a_list_of_the_users_the_models_words_stay() -> None:
    """Nobody else has said what the plan is for."""
    attention = Session().attention
    attention.equip(SHELL)
    attention.on_user_message("Please tidy up.")
    for _ in range(5):
        attention.before_request()
        attention.board.write({"todos": [{"content": "tidy up"}], "summary": "Tidy up"})
    assert text_of(attention.before_request()) == "Task: Tidy up\nUse bash, not TodoWrite: tidy up"
    assert [record.change.by for record in attention.board.history()] == ["model"]


def test_a_host_that_reports_no_other_tools_cannot_know_of_vain_writes() -> None:
    """Between its writes the model may have worked."""
    attention = started(constrains=False)
    for _ in range(9):
        attention.board.write({"todos": [{"content": "delete b.old"}]})
        assert attention.before_request() is None


def test_the_rails_keep_the_words_and_rules_of_the_board() -> None:
    """Only what is said and offered changes; a dialect without the word is not asked for `blocked`."""
    board = Board(dialect="codex")
    fitted = board.policy
    on_rails = fitted.on_rails(board.rules.statuses)
    assert (on_rails.name, on_rails.tool, on_rails.mark, on_rails.rules) == (
        "quiet",
        "update_plan",
        fitted.mark,
        fitted.rules,
    )
    assert on_rails.gives_up_after == 0 and on_rails.names_current and not on_rails.escalates
    assert not on_rails.can_cancel
    board = Board()
    on_rails = board.policy.on_rails(board.rules.statuses)
    assert on_rails.gives_up_after == RAIL.gives_up_after and on_rails.can_cancel


def test_a_plan_is_not_short_because_the_user_has_told_much() -> None:
    """A sentence that names a file may be a remark: only requests and points of a list are counted."""
    attention = Session(policy=QUIET).attention
    attention.on_user_message("Fix parse() in parser.py. It came with lexer.py. The tests in test_parser.py show it.")
    attention.before_request()
    attention.offer()
    attention.board.write({"todos": [{"content": "Fix parser.py"}, {"content": "Run the tests"}]})
    attention.before_request()
    assert attention.board.plan.contents == ("Fix parser.py", "Run the tests")


def test_a_plan_that_was_short_of_the_last_message_is_not_held_against_the_next() -> None:
    """The user has spoken since: what counts now is what was said last."""
    attention = started()
    attention.board.write({"todos": [{"content": "delete b.old"}]})
    attention.on_user_message("Never mind the rest.")
    attention.before_request()
    assert attention.policy.adopts is False
