"""What the user said around a list, told for one of its todos."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan import Plan, Todo
from holdfast.plan.goals import file_to_fill, files_to_read, goal_for, names_for, shared_files
from holdfast.plan.work import ToolUse

GOAL = (
    "The folder `people` has a file for each person, like people/anvil.txt. Collect these numbers in answers.txt, "
    "in the form `NAME FIELD: NUMBER`, like `anvil locker: 1234`"
)
POINTS = ("the desk of anvil", "the room of cabin", "the room of daisy", "the phone of ember")


def plan_of(*texts: str, goal: str = GOAL) -> Plan:
    """A plan with these todos."""
    return Plan(todos=tuple([Todo(str(id), text) for id, text in enumerate(texts, 1)]), summary=goal)


def test_an_example_is_about_the_todo_that_is_worked_on() -> None:
    """The words that set the example's todo apart are those of this one. The rest stays as the user said it."""
    plan = plan_of(*POINTS)
    assert goal_for(plan, plan.todos[3]) == GOAL.replace("anvil", "ember")
    assert goal_for(plan, plan.todos[0]) == GOAL
    assert [files_to_read(plan, todo) for todo in plan.todos[:2]] == [("people/anvil.txt",), ("people/cabin.txt",)]


@pytest.mark.parametrize(
    "goal",
    [
        "Compare each of them with anvil, and write the result to answers.txt",
        "Each person likes anvil, people/anvil.txt says why",
        "Do it as for the others, like people/basil.txt",
        "",
    ],
)
def test_what_is_no_example_of_a_todo_stays(goal: str) -> None:
    """Only what is introduced as an example is told anew, and only if it is about another todo of the same form."""
    plan = plan_of(*POINTS, goal=goal)
    assert goal_for(plan, plan.todos[1]) == goal and files_to_read(plan, plan.todos[1]) == ()


def test_todos_of_different_forms_are_no_example_for_each_other() -> None:
    """A todo that shares hardly a word with the example's is about something else."""
    plan = plan_of("the desk of anvil", "tidy up all rooms", "call them")
    assert [goal_for(plan, todo) for todo in plan.todos] == [GOAL] * 3
    plan = plan_of("find desk number for worker anvil", "call room owner for worker cabin")
    assert [goal_for(plan, todo) for todo in plan.todos] == [GOAL] * 2


@pytest.mark.parametrize("first", ["call them all by phone", "tidy up all rooms", "the room of daisy"])
def test_the_example_may_be_about_any_todo_of_the_list(first: str) -> None:
    """Todos before it that are longer, about something else, or not in the example do not hide it."""
    plan = plan_of(first, "the desk of anvil", "the room of cabin")
    assert goal_for(plan, plan.todos[2]) == GOAL.replace("anvil", "cabin")


def test_what_is_found_belongs_in_the_file_that_the_goal_names() -> None:
    """If it is the only one, and the todo names nothing itself. Calls for the todo have to mention it."""
    plan = plan_of(*POINTS)
    assert file_to_fill(plan, plan.todos[1]) == "answers.txt"
    assert names_for(plan, plan.todos[1]) == ("room", "cabin", "answers.txt")
    named = plan_of("copy a.txt", "copy b.txt", goal="Collect all of it in answers.txt")
    assert (file_to_fill(named, named.todos[0]), names_for(named, named.todos[0])) == ("", ("a.txt",))
    two = plan_of(*POINTS, goal="Take them from in.txt and put them into out.txt")
    assert file_to_fill(two, two.todos[0]) == ""
    vague = plan_of("anvil", "cabin", goal=GOAL)
    assert names_for(vague, vague.todos[0]) == ()  # nothing sets them apart in a way that calls could be held to


@pytest.mark.parametrize(
    ("call", "files"),
    [
        ("echo 'anvil desk: 1' >> answers.txt", ("answers.txt",)),
        ("grep desk people/anvil.txt > 'answers.txt'", ("answers.txt",)),
        ("cat people/anvil.txt | tee -a answers.txt", ("answers.txt",)),
        ("write_file path=answers.txt, content=1", ("answers.txt",)),
        ("cat answers.txt people/anvil.txt", ()),
        ("ls > people", ()),
    ],
)
def test_files_are_shared_when_another_todo_has_written_to_them(call: str, files: tuple[str, ...]) -> None:
    """What a call only reads is not: "keep what people/anvil.txt has" would send a small model there."""
    plan = plan_of(*POINTS)
    first = plan.todos[0]._replace(work=(ToolUse("bash", call),))
    plan = plan._replace(todos=(first, *plan.todos[1:]))
    assert shared_files(plan, plan.todos[1]) == files and shared_files(plan, first) == ()
    failed = first._replace(work=(ToolUse("bash", call, failed=True),))
    assert shared_files(plan._replace(todos=(failed, *plan.todos[1:])), plan.todos[1]) == ()


@given(st.text(), st.lists(st.text(), min_size=1, max_size=4))
def test_any_goal_can_be_told(goal: str, texts: list[str]) -> None:
    """Whatever the user and the model have written. Without an example nothing is changed."""
    plan = plan_of(*texts, goal=goal)
    for todo in plan.todos:
        told = goal_for(plan, todo)
        assert told == goal or "like" in goal.lower() or "such as" in goal.lower() or "e.g." in goal.lower()
        assert all(isinstance(name, str) for name in (*files_to_read(plan, todo), *names_for(plan, todo)))
