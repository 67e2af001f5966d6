"""Plans and changes as JSON, there and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hostile_texts, plans, statuses

from holdfast import Plan, Status, Todo
from holdfast.plan import NO_DETAILS, About, Details, Edit, Proof
from holdfast.plan.work import ToolUse
from holdfast.stores import codec

times = st.floats(0, 4e9)
proofs = st.builds(Proof, hostile_texts, hostile_texts, hostile_texts, times, st.text())
uses = st.builds(
    ToolUse,
    hostile_texts,
    hostile_texts,
    st.booleans(),
    st.booleans(),
    st.integers(1, 9),
    st.text(),
    st.lists(hostile_texts, max_size=2).map(tuple),
    st.lists(hostile_texts, max_size=2).map(tuple),
    times,
)
todos = st.builds(
    Todo,
    hostile_texts,
    hostile_texts,
    statuses,
    st.text(),
    times,
    st.none() | times,
    st.none() | times,
    st.text(),
    st.just(NO_DETAILS) | st.builds(Details, check=hostile_texts),
    st.lists(uses, max_size=2).map(tuple),
    st.none() | proofs,
)
edits = st.builds(Edit, st.none() | todos, todos, st.none() | st.integers(0, 5))
any_plans = plans() | st.builds(
    Plan,
    st.lists(todos, max_size=4).map(tuple),
    st.text(),
    st.integers(0, 100),
    times,
    st.integers(1, 9),
    st.integers(1, 99),
    st.lists(edits, max_size=2).map(tuple),
    about=st.builds(
        About, hostile_texts, hostile_texts, st.text(), st.text(), st.text(), times, began_at=times, deleted_at=times
    ),
)
"""Plans as writes make them, and plans with any value in any field."""


@given(any_plans)
def test_a_plan_comes_back_as_it_was(plan: Plan) -> None:
    """Every field of every todo and edit survives, and statuses are statuses again."""
    back = codec.plan_from_json(codec.plan_to_json(plan))
    assert back == plan
    assert all(isinstance(todo, Todo) and isinstance(todo.status, Status) for todo in back.todos)


@given(any_plans)
def test_a_plan_is_the_json_that_pythons_own_encoder_writes(plan: Plan) -> None:
    """The short way to JSON leads where the long one does, character for character."""
    ends = [
        None if todo.proof else -1 if todo.work else -2 if todo.details != NO_DETAILS else -3 for todo in plan.todos
    ]
    todos = [todo[:end] for todo, end in zip(plan.todos, ends, strict=True)]
    assert codec.plan_to_json(plan) == json.dumps([todos, *plan[1:]], separators=(",", ":"))


@pytest.mark.parametrize("time", [float("inf"), float("nan"), 1e300, 0, True])
def test_a_clock_may_say_anything(time: float) -> None:
    """A time that is none is kept as it was said: no record is damaged by it."""
    back = codec.plan_from_json(codec.plan_to_json(Plan(updated_at=time)))
    assert repr(back.updated_at) == repr(time)


@given(any_plans, any_plans)
def test_a_delta_leads_there_and_back(before: Plan, after: Plan) -> None:
    """Whatever two plans there are, the delta between them gives each from the other."""
    delta = codec.delta_to_json(before, after)
    assert codec.forward(before, delta) == after
    assert codec.backward(after, delta) == before


def test_a_delta_is_as_small_as_the_change() -> None:
    """Two statuses that change in a plan of many todos take a few bytes, not a copy of the plan."""
    before = Plan(tuple(Todo(str(id), "a step with some words in it", created_at=1.5) for id in range(50)), revision=7)
    done = before.todos[0]._replace(status=Status.COMPLETED, finished_at=3.5)
    after = before._replace(todos=(done, *before.todos[1:]), revision=8)
    assert len(codec.delta_to_json(before, after)) < 100 < len(codec.plan_to_json(after))


def test_what_an_older_holdfast_wrote_is_read_with_defaults() -> None:
    """Fields that were not there yet have their default."""
    assert codec.plan_from_json('[[["1","a","pending"]],"why",4]') == Plan((Todo("1", "a"),), "why", 4)


@pytest.mark.parametrize("text", ["", "{", "5", "{}", "null", '"text"', "[[[1]]]", '[[["1","a","unheard of"]]]', "[5]"])
def test_what_is_no_plan_is_refused(text: str) -> None:
    """Text that is not JSON, or not a plan, is a ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"\w"):
        codec.plan_from_json(text)


@pytest.mark.parametrize("text", ["", "[", "5", "[[5]]", "[[[99,1,2]]]", "[[],[[7,0,1,2]]]", "[[],0,1]"])
def test_what_is_no_delta_is_refused(text: str) -> None:
    """Text that is not JSON, or no delta of this plan, is a ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"\w"):
        codec.forward(Plan((Todo("1", "a"),)), text)
