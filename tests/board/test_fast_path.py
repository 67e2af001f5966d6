"""The quick way of the most common write leads where the long one leads."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import Board, Change, Plan, Rules, Status, Todo, dialects
from holdfast.board.fast_path import restated
from holdfast.dialects import DialectName
from holdfast.dialects.reading.form import Form
from holdfast.plan import Edit

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


def whole_list(plan: Plan) -> dict[str, object]:
    """The plan as a model restates it."""
    return {"todos": [{"content": todo.content, "status": str(todo.status)} for todo in plan.todos]}


@settings(max_examples=400)
@given(LISTS, RULES, st.sampled_from(["holdfast", "two-state", "langchain"]), st.booleans())
def test_both_ways_give_the_same_reply_and_the_same_plan(
    lists: list[list[dict[str, str]]], rules: Rules, dialect: DialectName, is_edited: bool
) -> None:
    """A list as a mapping may take the quick way; as a text it takes the long one; the results are the same."""
    quick, long = (Board(dialect=dialect, rules=rules, clock=lambda: 1.0) for _ in range(2))
    for todos in lists:
        replies = [quick.write({"todos": todos}), long.write(json.dumps({"todos": todos}))]
        assert replies[0] == replies[1]
        for board in (quick, long):
            board.record_tool_use("bash")
            if is_edited:
                board.store.commit(board.key, Change(board.plan, grown(board.plan), "host", "update"))
            if is_edited and board.plan.todos:
                assert board.write(whole_list(board.plan)) == board.write(json.dumps(whole_list(board.plan)))
    assert quick.plan == long.plan
    assert [record.change for record in quick.history()] == [record.change for record in long.history()]


PLAN = Plan(
    (Todo("1", "AA", created_at=1.0), Todo("2", "B", Status.COMPLETED, created_at=1.0, finished_at=1.0)),
    *("why", 4, 1.0, 2, 3),
)
FORM = dialects.get("holdfast").form
TIGHT = Rules(max_items=2, max_content=2, max_in_progress=1).over(dialects.get("holdfast").rules)
STARTED = {"todos": [{"content": "AA", "status": "in_progress"}, {"content": "B", "status": "completed"}]}


def test_a_list_that_restates_the_plan_takes_the_quick_way() -> None:
    """Exactly up to the limits; what did not change is the same object, and so is a plan in which nothing changed."""
    after = restated(PLAN, STARTED, FORM, TIGHT, 2.0)
    started = PLAN.todos[0]._replace(status=Status.IN_PROGRESS, started_at=2.0)
    assert after == Plan((started, PLAN.todos[1]), "why", 5, 2.0, 2, 3)
    assert after is not None and after.todos[1] is PLAN.todos[1]
    assert restated(after, STARTED, FORM, TIGHT, 3.0) is after


def test_every_status_has_its_quick_way() -> None:
    """From any open todo to any status, in a list whose other todos are done."""
    for status in Status:
        payload = {"todos": [{"content": "AA", "status": str(status)}, {"content": "B", "status": "completed"}]}
        after = restated(PLAN, payload, FORM, TIGHT, 2.0)
        assert after is not None and after.todos[0].status is status


def _item(**fields: object) -> dict[str, object]:
    return {"content": "AA", "status": "in_progress", **fields}


def _listed(first: object, second: object = STARTED["todos"][1]) -> dict[str, object]:
    return {"todos": [first, second]}


@pytest.mark.parametrize(
    ("payload", "plan", "rules", "form"),
    [
        pytest.param(json.dumps(STARTED), PLAN, TIGHT, FORM, id="a text"),
        pytest.param("7", PLAN, TIGHT, FORM, id="a text of one character"),
        pytest.param([STARTED], PLAN, TIGHT, FORM, id="a list"),
        pytest.param({**STARTED, "summary": "S"}, PLAN, TIGHT, FORM, id="a summary"),
        pytest.param({"plan": STARTED["todos"]}, PLAN, TIGHT, FORM, id="another field"),
        pytest.param({"todos": tuple(STARTED["todos"])}, PLAN, TIGHT, FORM, id="no list"),
        pytest.param({"todos": STARTED["todos"][:1]}, PLAN, TIGHT, FORM, id="a todo left out"),
        pytest.param(STARTED, PLAN._replace(edits=(Edit(None, PLAN.todos[0]),)), TIGHT, FORM, id="an edit to tell of"),
        pytest.param(STARTED, PLAN, TIGHT, dialects.get("envelope").form, id="a form that needs more"),
        pytest.param(STARTED, PLAN, TIGHT._replace(max_items=1), FORM, id="too many"),
        pytest.param(STARTED, PLAN, TIGHT._replace(max_content=1), FORM, id="too long"),
        pytest.param(STARTED, PLAN, TIGHT._replace(max_in_progress=0), FORM, id="too much at once"),
        pytest.param(
            STARTED, PLAN, TIGHT._replace(statuses=(Status.PENDING,)), FORM, id="a status that is not allowed"
        ),
        pytest.param(
            _listed(_item(status="completed")),
            PLAN._replace(todos=(PLAN.todos[0]._replace(status=Status.BLOCKED), PLAN.todos[1])),
            TIGHT._replace(statuses=(Status.PENDING, Status.COMPLETED)),
            FORM,
            id="from a status that is not allowed",
        ),
        pytest.param(STARTED, PLAN._replace(todos=(PLAN.todos[1],) * 2), TIGHT, FORM, id="other words"),
        pytest.param(
            _listed({"content": "B", "status": "pending"}),
            PLAN._replace(todos=(PLAN.todos[1],) * 2),
            TIGHT,
            FORM,
            id="nothing open",
        ),
        pytest.param(_listed(_item(activeForm="Doing")), PLAN, TIGHT, FORM, id="more of an item"),
        pytest.param(_listed({"content": "AA"}), PLAN, TIGHT, FORM, id="less of an item"),
        pytest.param(_listed(_item(status="almost")), PLAN, TIGHT, FORM, id="no status"),
        pytest.param(_listed(_item(status=["pending"])), PLAN, TIGHT, FORM, id="a status that is no text"),
        pytest.param(_listed("AA"), PLAN, TIGHT, FORM, id="no item"),
    ],
)
def test_whatever_else_it_is_takes_the_long_way(payload: object, plan: Plan, rules: Rules, form: Form) -> None:
    """Anything that is not plainly such a list, or may have a fault, is left alone."""
    assert restated(plan, payload, form, rules, 2.0) is None


@pytest.mark.parametrize(
    ("dialect", "path"),
    [
        ("envelope", "summary"),
        ("opencode", "todos[0].priority"),
        ("claude-code", "todos[0].activeForm"),
        ("qwen", "todos[0].id"),
    ],
)
def test_what_a_dialect_asks_for_is_asked_for_here_too(dialect: DialectName, path: str) -> None:
    """A list of contents and statuses is refused where an item, or the call, needs more than that."""
    board = Board(dialect=dialect)
    board.write(board.dialect.payload(Plan((Todo("1", "A"),), "S")))
    reply = board.write({"todos": [{"content": "A", "status": "in_progress"}]})
    assert path in [fault.path for fault in reply.faults]


def test_what_a_dialect_has_no_word_for_is_left_to_the_long_way() -> None:
    """A cancelled todo restated as completed stays cancelled, however the list comes."""
    for form in (dict, json.dumps):
        board = Board(dialect="langchain")
        todos = [{"content": "A", "status": "pending"}, {"content": "B", "status": "pending"}]
        board.write({"todos": todos})
        board.edit("1", status="cancelled")
        board.mark_edits_told()
        todos[0]["status"] = "completed"
        board.write({"todos": todos} if form is dict else json.dumps({"todos": todos}))
        assert board.plan.todos[0].status is Status.CANCELLED


def test_an_empty_list_upon_an_empty_plan_goes_the_long_way() -> None:
    """There is no last todo to look at."""
    dialect = dialects.get("holdfast")
    assert restated(Plan(), {"todos": []}, dialect.form, dialect.rules, 1.0) is None
