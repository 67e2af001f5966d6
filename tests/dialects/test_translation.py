"""One plan, every dialect: what a dialect can say goes out and comes back, and what it cannot stays in the plan."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import few_texts, plans

from holdfast import Board, Change, Plan, Rules, Status, Todo, dialects
from holdfast.dialects import Dialect, DialectName
from holdfast.plan import NO_DETAILS, PRIORITIES, Details, DetailsWish, Wish
from holdfast.plan.rules import NO_LIMIT

ROOMY = Rules(max_items=NO_LIMIT, max_content=NO_LIMIT, max_in_progress=NO_LIMIT)
STATED = tuple(name for name in dialects.names() if dialects.get(name).states_whole_plan)
"""The dialects in which one call states the whole plan."""

few = settings(max_examples=40)
"""Every law is tried in every dialect."""


@st.composite
def full_plans(draw: st.DrawFn) -> Plan:
    """A plan whose todos have all that only some dialects can say; each may wait for those before it."""
    plan = draw(plans())
    ids = [todo.id for todo in plan.todos]
    todos = [todo._replace(details=draw(_details(ids[:place]))) for place, todo in enumerate(plan.todos)]
    summary = draw(st.sampled_from(["", "The goal", " A"])) if todos else ""
    return plan._replace(todos=tuple(todos), summary=summary)


def _details(ids: Sequence[str]) -> st.SearchStrategy[Details]:
    blockers = st.lists(st.sampled_from(ids), unique=True).map(tuple) if ids else st.just(())
    return st.builds(
        Details,
        st.sampled_from(["", "At length,\non two lines"]),
        st.sampled_from(["", *PRIORITIES]),
        blockers,
        st.sampled_from(["", "agent-2"]),
        st.sampled_from(["", '{"ticket":7}']),
    )


def holding(plan: Plan, name: DialectName) -> Board:
    """A board of a dialect that holds a plan, whatever it takes to make it."""
    board = Board(dialect=name, rules=ROOMY, clock=lambda: 99.0)
    if plan.revision:
        board.store.commit(board.key, Change(Plan(), plan, "host", "import"))
    return board


def wish_facts(wish: Wish) -> tuple[Any, ...]:
    """The fields of a new todo that is made from a wish."""
    details = NO_DETAILS if wish.details is None else wish.details.over(NO_DETAILS)
    return (wish.content, wish.status, wish.active_form or "", details)


def facts(todo: Todo) -> tuple[Any, ...]:
    """The fields of a todo, without its times."""
    return (todo.content, todo.status, todo.active_form, todo.details)


@pytest.mark.parametrize("name", STATED)
class TestOnOneBoard:
    @few
    @given(plan=full_plans())
    def test_a_plan_restated_as_it_is_shown_is_unchanged(self, name: DialectName, plan: Plan) -> None:
        """Whatever the dialect has no word for: restating what it shows loses nothing, and adds nothing."""
        board = holding(plan, name)
        assert board.write(board.dialect.payload(plan)).ok
        assert (board.plan.todos, board.plan.summary) == (plan.todos, plan.summary)

    @few
    @given(plan=full_plans().filter(lambda plan: bool(plan.open)), data=st.data())
    def test_a_step_taken_in_it_is_all_that_changes(self, name: DialectName, plan: Plan, data: st.DataObject) -> None:
        """One todo is moved in the words of the dialect: it has that status, and all else in the plan is as it was."""
        board = holding(plan, name)
        todo = data.draw(st.sampled_from(plan.open))
        said = board.dialect.express(todo, plan).status
        status = data.draw(st.sampled_from([status for status in board.dialect.rules.statuses if status is not said]))
        moved = plan._replace(todos=tuple(old._replace(status=status) if old is todo else old for old in plan.todos))
        assert board.write(board.dialect.payload(moved)).ok
        assert [facts(after) for after in board.plan.todos] == [facts(wanted) for wanted in moved.todos]
        assert [after.id for after in board.plan.todos] == [before.id for before in plan.todos]


@pytest.mark.parametrize("name", dialects.names())
@few
@given(plan=full_plans())
def test_what_a_dialect_can_say_arrives_and_nothing_else(name: DialectName, plan: Plan) -> None:
    """Written down in a dialect on an empty board, a plan has all that the dialect can say, and nothing invented."""
    board = Board(dialect=name, rules=ROOMY, clock=lambda: 99.0)
    for tool, payload in board.dialect.calls(plan):
        reply = board.write(payload, tool=tool)
        assert reply.ok, reply.text
    after, dialect = board.plan, board.dialect
    ids = {old.id: new.id for old, new in zip(plan.todos, after.todos, strict=True)}
    assert [facts(todo) for todo in after.todos] == [wish_facts(_as(dialect, todo, plan, ids)) for todo in plan.todos]


def _as(dialect: Dialect, todo: Todo, plan: Plan, ids: dict[str, str]) -> Wish:
    """A todo as a dialect shows it, with the ids of another board; its other tools may add the rest."""
    wish, details = dialect.express(todo, plan), todo.details
    if dialect.name == "claude-tasks":
        said = wish.details or DetailsWish()
        return wish._replace(details=said._replace(owner=details.owner, blocked_by=_renamed(details.blocked_by, ids)))
    if wish.details is None or wish.details.blocked_by is None:
        return wish
    return wish._replace(details=wish.details._replace(blocked_by=_renamed(wish.details.blocked_by, ids)))


def _renamed(blocked_by: Sequence[str], ids: dict[str, str]) -> tuple[str, ...]:
    return tuple(ids[id] for id in blocked_by)


@given(plan=full_plans(), way=st.lists(st.sampled_from(STATED), min_size=2, max_size=5))
def test_a_plan_survives_any_way_through_the_dialects(plan: Plan, way: list[DialectName]) -> None:
    """A plan that is taken up in one dialect after the other is at the end what it was at the beginning."""
    board = holding(plan, way[0])
    for name in way:
        dialect = dialects.get(name).with_rules(ROOMY)
        assert board.write_in(dialect, dialect.payload(board.plan)).ok
    assert (board.plan.todos, board.plan.summary) == (plan.todos, plan.summary)


@pytest.mark.parametrize("name", STATED)
@few
@given(plan=full_plans(), content=few_texts)
def test_reading_is_the_inverse_of_saying(name: str, plan: Plan, content: str) -> None:
    """Reading a dialect's own payload gives the todos as the dialect shows them."""
    dialect = dialects.get(name).with_rules(ROOMY)
    plan = plan._replace(todos=(*plan.todos, Todo("77", content)))
    draft, faults = dialect.read(dialect.payload(plan))
    assert not faults
    assert list(draft.wishes) == [dialect.express(todo, plan) for todo in plan.todos]


SHOWN = {
    "codex": "completed",
    "claude-code": "completed",
    "kimi": "done",
    "gemini": "cancelled",
    "opencode": "cancelled",
}


@pytest.mark.parametrize(("name", "word"), SHOWN.items())
def test_a_cancelled_todo_stays_cancelled(name: DialectName, word: str) -> None:
    """Where there is no word for cancelled it is shown as completed, and restated so it is cancelled as before."""
    board = Board(dialect=name)
    board.write(board.dialect.payload(Plan((Todo("1", "A"), Todo("2", "B")))))
    board.edit("1", status="cancelled")
    board.mark_edits_told()
    assert board.dialect.items(board.plan)[0]["status"] == word
    board.write(board.dialect.payload(board.plan))
    assert board.plan.todos[0].status is Status.CANCELLED


def test_what_a_model_really_says_anew_is_taken() -> None:
    """A cancelled todo that a model of such a dialect takes up again is taken up again."""
    board = holding(Plan((Todo("1", "A", Status.CANCELLED), Todo("2", "B")), revision=1, next_id=3), "codex")
    board.write({"plan": [{"step": "A", "status": "in_progress"}, {"step": "B", "status": "pending"}]})
    assert board.plan.todos[0].status is Status.IN_PROGRESS


def test_an_edit_by_a_person_still_wins_over_what_was_shown() -> None:
    """A person reopens what was shown as completed: the model, which restates that, does not undo it."""
    board = holding(Plan((Todo("1", "A", Status.CANCELLED), Todo("2", "B")), revision=1, next_id=3), "codex")
    board.edit("1", status="pending")
    reply = board.write({"plan": [{"step": "A", "status": "completed"}, {"step": "B", "status": "pending"}]})
    assert board.plan.todos[0].status is Status.PENDING
    assert "is pending" in reply.text


def test_a_reworded_todo_that_is_restated_in_its_old_words_keeps_its_status() -> None:
    """What a model saw is what it restates, also when a person has changed the words meanwhile."""
    board = holding(Plan((Todo("1", "A", Status.BLOCKED), Todo("2", "B")), revision=1, next_id=3), "claude-code")
    board.edit("1", content="A, but better")
    board.write(
        {
            "todos": [
                {"content": "A", "status": "pending", "activeForm": "A"},
                {"content": "B", "status": "in_progress", "activeForm": "Doing B"},
            ]
        }
    )
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("A, but better", "blocked"),
        ("B", "in_progress"),
    ]
