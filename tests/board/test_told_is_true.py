"""What a model is told of people's changes is what happened, whatever happened."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dev.torture.told import ToldLife, Untrue, believed, torture_told
from holdfast import Board
from holdfast.plan.edits import describe


@given(st.data())
@settings(max_examples=80)
def test_a_model_that_takes_it_at_its_word_arrives_at_the_plan(data: st.DataObject) -> None:
    """And a model that has not looked undoes nothing; ids and numbers are never given twice."""
    ToldLife(lambda options: data.draw(st.sampled_from(list(options)))).live(steps=8)


def test_the_torture_notices_what_is_untrue(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nothing were told, nearly every life would show it."""
    monkeypatch.setattr("dev.torture.told.describe", lambda plan: "")
    assert len(torture_told(1, 20).lost) > 10
    with pytest.raises(Untrue):
        believed({}, "The user changed the plan: something.")


def test_of_two_starts_the_second_is_told() -> None:
    """A person starts one todo and then another: the first one waits, and the model knows."""
    board = Board()
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.edit("1", status="in_progress")
    board.edit("2", status="in_progress")
    assert describe(board.plan) == 'The user changed the plan: 2 ("B") is in_progress.'


def test_who_waits_is_told_also_when_the_todo_that_took_its_place_is_gone() -> None:
    """Starting a todo makes another wait; that stays true when the started one is removed."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
    board.edit("2", status="in_progress")
    board.remove("2")
    assert describe(board.plan) == 'The user changed the plan: 1 ("A") is pending; removed 2 ("B").'


@pytest.mark.parametrize(
    ("dialect", "payload"),
    [
        ("claude-code", {"todos": [{"content": "A", "status": "pending", "activeForm": "A"}]}),
        ("codex", {"plan": [{"step": "A", "status": "pending"}]}),
    ],
)
def test_a_reworded_todo_is_never_without_words(dialect: str, payload: dict[str, list[dict[str, str]]]) -> None:
    """The model writes a completed todo again, by the text that it knows, after a person has reworded it."""
    board = Board(dialect=dialect)  # type: ignore[arg-type]  # a name from the table above
    name = next(iter(payload))
    board.write({name: [{**payload[name][0], "status": "completed"}]})
    board.edit("1", content="A, by a person")
    assert board.write(payload).ok
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [("A, by a person", "pending")]


def test_a_new_todo_with_a_persons_words_is_the_persons_todo() -> None:
    """The model comes to the words that a person has chosen: what the person changed of that todo stays."""
    board = Board()
    board.write({"todos": [{"content": "A"}, {"content": "C"}]})
    board.edit("1", content="B", status="completed")
    board.write({"todos": [{"content": "B", "status": "in_progress"}, {"content": "C"}]})
    assert [(todo.id, todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("1", "B", "completed"),
        ("2", "C", "pending"),
    ]


def test_a_lease_on_an_old_plan_holds_up_nobody() -> None:
    """A plan that comes back by undo has ids that nobody holds a lease on."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "completed"}]})
    board.write({"todos": [{"content": "B"}]})
    assert board.claim("one", "1").todo is not None
    board.release("one", "1")
    board.leases.acquire_lease(board.key, "2/1", "gone", 300)
    for _ in range(3):
        board.undo()
    board.edit("2", status="pending")
    claimed = board.claim("two").todo
    assert claimed is not None and claimed.content == "A"


def test_a_move_that_comes_back_is_told() -> None:
    """A person moves a todo, clears the plan and takes that back: the model knows another order."""
    board = Board()
    board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]})
    board.move("1", 2)
    board.clear()
    board.undo()
    assert [todo.content for todo in board.plan.todos] == ["B", "C", "A"]
    assert '1 ("A") moved to place 3' in describe(board.plan)
    board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]})
    assert [todo.content for todo in board.plan.todos] == ["B", "C", "A"]


def test_an_order_that_is_restored_is_told() -> None:
    """Every todo is there before and after; only their places differ."""
    board = Board()
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.write({"todos": [{"content": "B"}, {"content": "A"}]})
    board.restore(1)
    assert describe(board.plan) == 'The user changed the plan: 1 ("A") moved to place 1; 2 ("B") moved to place 2.'


def test_what_an_agent_claimed_since_is_told_as_it_is() -> None:
    """A person adds a todo, and an agent takes it: it is not pending. The model's next list takes it from nobody."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "in_progress"}]})
    board.add("B")
    assert board.claim("ann", "2").todo is not None
    assert 'added 2 ("B"), in_progress' in describe(board.plan)
    assert board.write({"todos": [{"content": "A", "status": "in_progress"}]}).ok
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("A", "in_progress"),
        ("B", "in_progress"),
    ]


def test_a_claimed_todo_does_not_wait_for_what_a_person_starts() -> None:
    """The model restates both: the claimed one stays with its agent, the person's stays started."""
    board = Board()
    board.write({"todos": [{"content": "A"}, {"content": "B", "status": "in_progress"}]})
    assert board.claim("ann", "1").todo is not None
    knows = {"todos": [{"content": "A", "status": "in_progress"}, {"content": "B", "status": "completed"}]}
    board.write(knows)
    board.undo()
    board.write(knows)
    assert [str(todo.status) for todo in board.plan.todos] == ["in_progress", "in_progress"]


@pytest.mark.parametrize("is_cleared", [False, True])
def test_a_lease_on_a_claim_that_was_taken_back_blocks_nobody(is_cleared: bool) -> None:
    """A person undoes the claim, or restores the todo as it was before: the plan says whose it is."""
    board = Board()
    board.write({"todos": [{"content": "A"}]})
    assert board.claim("bob", "1").todo is not None
    if is_cleared:
        board.write({"todos": []})
        board.restore(1)
    else:
        board.undo()
    claim = board.claim("ann", "1")
    assert claim.todo is not None and claim.todo.details.owner == "ann", claim.reply.text


def test_the_torture_foretells_what_a_list_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a person's edits were not upheld, it would notice."""
    monkeypatch.setattr("holdfast.plan.model_write.edits.uphold", lambda plan, draft, most: draft)
    assert len(torture_told(1, 200).lost) > 20
