"""The quick way of the most common write leads where the long one leads."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import Board, Change, Plan, Rules, Status, Todo

CONTENTS = st.lists(st.sampled_from(["A", "B", "C", " ", "x" * 30]), min_size=1, max_size=4)
WORDS = st.sampled_from([*(str(status) for status in Status), "in_progress", "completed", "done", "DONE", "almost"])
LISTS = CONTENTS.flatmap(
    lambda contents: st.lists(st.tuples(*[WORDS for _ in contents]), min_size=2, max_size=6).map(
        lambda writes: [
            [{"content": content, "status": word} for content, word in zip(contents, words, strict=True)]
            for words in writes
        ]
    )
)
"""Writes that restate one list of contents, each with statuses of its own."""

RULES = st.tuples(
    st.sampled_from([20, 200]), st.sampled_from([1, 2]), st.booleans(), st.booleans(), st.sampled_from([2, 50])
).map(
    lambda given: Rules(
        max_items=given[4],
        max_content=given[0],
        max_in_progress=given[1],
        work_before_done=given[2],
        keep_open=given[3],
    )
)


def grown(plan: Plan) -> Plan:
    """The plan with a todo more, longer than some rules allow, as another board may have written it."""
    todo = Todo(str(plan.next_id), "y" * 30, created_at=1.0)
    return plan._replace(todos=(*plan.todos, todo), next_id=plan.next_id + 1, revision=plan.revision + 1)


def restated(plan: Plan) -> dict[str, object]:
    """The plan as a model restates it."""
    return {"todos": [{"content": todo.content, "status": str(todo.status)} for todo in plan.todos]}


@settings(max_examples=400)
@given(LISTS, RULES, st.sampled_from(["holdfast", "two-state", "langchain"]), st.booleans())
def test_both_ways_give_the_same_reply_and_the_same_plan(
    lists: list[list[dict[str, str]]], rules: Rules, dialect: str, is_edited: bool
) -> None:
    """A list as a mapping may take the quick way; as a text it takes the long one; nobody can tell them apart."""
    quick, long = (Board(dialect, rules=rules, clock=lambda: 1.0) for _ in range(2))
    for todos in lists:
        replies = [quick.write({"todos": todos}), long.write(json.dumps({"todos": todos}))]
        assert replies[0] == replies[1]
        for board in (quick, long):
            board.worked("bash")
            if is_edited:
                board.store.commit(board.key, Change(board.plan, grown(board.plan), "host", "update"))
            if is_edited and board.plan.todos:
                assert board.write(restated(board.plan)) == board.write(json.dumps(restated(board.plan)))
    assert quick.plan == long.plan
    assert [record.change for record in quick.history()] == [record.change for record in long.history()]


def test_a_list_that_restates_the_plan_takes_the_quick_way() -> None:
    """The quick way is really taken: the todos that did not change are the very same values."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "pending"}, {"content": "B", "status": "pending"}]})
    before = board.plan.todos
    board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B", "status": "pending"}]})
    assert board.plan.todos[0].status is Status.IN_PROGRESS
    assert board.plan.todos[1] is before[1]


@pytest.mark.parametrize(
    ("dialect", "path"),
    [
        ("envelope", "summary"),
        ("opencode", "todos[0].priority"),
        ("claude-code", "todos[0].activeForm"),
        ("qwen", "todos[0].id"),
    ],
)
def test_what_a_dialect_asks_for_is_asked_for_here_too(dialect: str, path: str) -> None:
    """A list of contents and statuses is refused where an item, or the call, needs more than that."""
    board = Board(dialect)
    board.write(board.dialect.payload(Plan((Todo("1", "A"),), "S")))
    reply = board.write({"todos": [{"content": "A", "status": "in_progress"}]})
    assert path in [fault.path for fault in reply.faults]


def test_what_a_dialect_has_no_word_for_is_left_to_the_long_way() -> None:
    """A cancelled todo restated as completed stays cancelled, however the list comes."""
    for form in (dict, json.dumps):
        board = Board("langchain")
        todos = [{"content": "A", "status": "pending"}, {"content": "B", "status": "pending"}]
        board.write({"todos": todos})
        board.edit("1", status="cancelled")
        board.told()
        todos[0]["status"] = "completed"
        board.write({"todos": todos} if form is dict else json.dumps({"todos": todos}))
        assert board.plan.todos[0].status is Status.CANCELLED
