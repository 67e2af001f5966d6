"""Plans and changes as JSON, there and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hostile_texts, plans, statuses

from holdfast import Plan, Status, Todo
from holdfast.plan import NO_DETAILS, About, Details, Edit, Proof
from holdfast.plan.work import ToolUse, Work
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


A, B, C, D = (Todo(id, f"todo {id}", created_at=1.5) for id in "1234")


@pytest.mark.parametrize(
    ("before", "after", "untouched"),
    [
        pytest.param((A, B, C), (A, B._replace(status=Status.COMPLETED, finished_at=3.5), C), (A, B, C), id="status"),
        pytest.param((A, B, C), (A._replace(content="x"), B, C._replace(details=Details(check="y"))), (B,), id="two"),
        pytest.param((A, B), (A, C, B), (A, B), id="in between"),
        pytest.param((A, B, C, D), (A, B, D), (A, B, D), id="removed"),
        pytest.param((A, B), (A, B, C), (A, B), id="at the end"),
        pytest.param((B, C), (A, B, C), (B, C), id="in front"),
        pytest.param((B, C, D), (A, B, C, D), (B, C, D), id="in front of several"),
        pytest.param((A, A), (A, A, A), (), id="all alike"),
        pytest.param((A, B), (), (), id="all gone"),
    ],
)
def test_a_delta_of_todos_leads_there_and_back(
    before: tuple[Todo, ...], after: tuple[Todo, ...], untouched: tuple[Todo, ...]
) -> None:
    """Field by field, or where some came or went. What stayed as it was is not in it."""
    old, new = Plan(before, revision=1), Plan(after, revision=2)
    delta = codec.delta_to_json(old, new)
    assert (codec.forward(old, delta), codec.backward(new, delta)) == (new, old)
    assert not [todo for todo in untouched if todo.content in delta]


def test_what_is_equal_takes_no_room() -> None:
    """Also if it was read anew, and is not the same object any more."""
    plan = Plan((A, B), "a summary", 3, 1.5)
    assert codec.delta_to_json(plan, codec.plan_from_json(codec.plan_to_json(plan))) == "[[],[]]"
    assert codec.delta_to_json(plan, plan._replace(revision=4)) == "[[[2,3,4]]]"


def test_a_todo_that_is_written_again_is_the_same_text() -> None:
    """Thousands of todos may be written: those that were written lately are remembered, and not all of them."""
    plan = Plan(tuple(A._replace(id=str(number)) for number in range(1_001)))
    codec._cached.clear()
    text = codec.plan_to_json(Plan(plan.todos[:1_000]))
    assert len(codec._cached) == 1_000
    assert codec.plan_to_json(Plan(plan.todos[:1_000])) == text
    assert codec.plan_from_json(codec.plan_to_json(plan)) == plan
    assert len(codec._cached) == 1


def test_work_comes_back_as_it_was() -> None:
    """A journal is kept in the same form."""
    work = Work("1", (ToolUse("bash", "make", failed=True, files=("a.o",), at=2.5),))
    assert codec.value_from_json(Work, codec.value_to_json(work)) == work


def test_a_delta_is_as_small_as_the_change() -> None:
    """Two statuses that change in a plan of many todos take a few bytes, not a copy of the plan."""
    before = Plan(tuple(Todo(str(id), "a step with some words in it", created_at=1.5) for id in range(50)), revision=7)
    done = before.todos[0]._replace(status=Status.COMPLETED, finished_at=3.5)
    after = before._replace(todos=(done, *before.todos[1:]), revision=8)
    assert len(codec.delta_to_json(before, after)) < 100 < len(codec.plan_to_json(after))


def test_what_an_older_holdfast_wrote_is_read_with_defaults() -> None:
    """Fields that were not there yet have their default."""
    assert codec.plan_from_json('[[["1","a","pending"]],"why",4]') == Plan((Todo("1", "a"),), "why", 4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("5", "^not a Plan: expected an array of fields$"),
        ("[]", "^not a Plan: expected an array of fields$"),
        ("{}", "^not a Plan: expected an array of fields$"),
        ('{"0": []}', "^not a Plan: expected an array of fields$"),
        ("null", "^not a Plan: expected an array of fields$"),
        ('"text"', "^not a Plan: expected an array of fields$"),
        ("[[[1]]]", "^not a Plan: "),
        ('[[["1","a","unheard of"]]]', "^not a Plan: 'unheard of'$"),
        ("[5]", "^not a Plan: "),
        ('[[["1","é"]]]', "^a character in it is not ASCII$"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, why: str) -> None:
    """Text that is not JSON, or not a plan, is a ValueError and nothing else. It says what does not fit."""
    with pytest.raises(ValueError, match=why):
        codec.plan_from_json(text)


@pytest.mark.parametrize("text", ["", "[", "5", "[[5]]", "[[[99,1,2]]]", "[[],[[7,0,1,2]]]", "[[],0,1]"])
def test_what_is_no_delta_is_refused(text: str) -> None:
    """Text that is not JSON, or no delta of this plan, is a ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"^not a change: \S|Expecting value"):
        codec.forward(Plan((Todo("1", "a"),)), text)


def test_a_delta_of_another_form_says_what_does_not_fit() -> None:
    """In Python's own words."""
    with pytest.raises(ValueError, match=r"^not a change: cannot unpack"):
        codec.forward(Plan(), "5")
