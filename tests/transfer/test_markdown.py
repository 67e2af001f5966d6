"""Plans as Markdown: what is written is read back, and lists written by hand are understood."""

from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st
from strategies import hostile_texts, plans, statuses

from holdfast import Plan, Status, Todo
from holdfast.plan import Details, DetailsWish, Draft
from holdfast.plan.transitions import replace
from holdfast.text import one_line
from holdfast.transfer.markdown import from_markdown, to_markdown

marks = st.text(st.sampled_from("\\*~_`[]()#<>&-+1. xl t;g\t"), min_size=1, max_size=12)
"""Texts made of all that means something in Markdown."""

texts = (hostile_texts | marks | st.text(min_size=1)).filter(lambda text: one_line(text).strip() != "")


def shown(text: str) -> str:
    """What a task list can keep of a text: one line, with no space around it."""
    return one_line(text).strip()


def read(text: str) -> list[tuple[str | None, Status | None]]:
    """The todos that a list written by hand has."""
    return [(wish.content, wish.status) for wish in from_markdown(text).wishes]


details = st.builds(Details, check=texts | st.just(""), section=texts | st.sampled_from(["", "Build"]))


@given(
    st.lists(st.builds(Todo, st.just("1"), texts, statuses, details=details, proof=st.none())).map(tuple),
    texts | st.just(""),
)
@example((), "#")
@example((), "C #")
@example((), "a ## b \\##")
def test_a_plan_comes_back_from_its_task_list(todos: tuple[Todo, ...], summary: str) -> None:
    """Whatever the texts hold, contents, statuses, order, sections, checks and summary survive."""
    draft = from_markdown(to_markdown(Plan(todos, summary)))
    assert [wish.content for wish in draft.wishes] == [shown(todo.content) for todo in todos]
    assert [wish.status for wish in draft.wishes] == [todo.status for todo in todos]
    wanted = [wish.details or DetailsWish() for wish in draft.wishes]
    assert [wish.section or "" for wish in wanted] == [shown(todo.details.section) for todo in todos]
    assert [wish.check or "" for wish in wanted] == [shown(todo.check) for todo in todos]
    assert draft.summary == (shown(summary) or None)


def test_headings_are_sections() -> None:
    """The first is the summary, each below it a section; a plan without a summary may have sections, too."""
    text = "# Release\n\n- a\n\n## Build\n\n- b\n- [x] c\n\n## Ship it\n\n- d\n"
    draft = from_markdown(text)
    assert draft.summary == "Release"
    assert [wish.details and wish.details.section for wish in draft.wishes] == [None, "Build", "Build", "Ship it"]
    plan = replace(Plan(), draft, 0.0)
    assert to_markdown(plan) == text.replace("- ", "- [ ] ").replace("[ ] [x]", "[x]")
    assert from_markdown("## Build\n- b").summary is None


@given(plans())
def test_every_todo_is_one_line(plan: Plan) -> None:
    """No text can make a second item, or end the list."""
    lines = to_markdown(plan._replace(summary="")).splitlines()
    assert len([line for line in lines if line.startswith("- [")]) == len(plan.todos)
    assert all(line == "" or line.startswith(("- [", "##")) for line in lines)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """There is no text that from_markdown fails on, and no todo it makes without words."""
    assert all(wish.content for wish in from_markdown(text).wishes)


def test_a_task_list_as_people_see_it(snapshot: Callable[[str, str], None]) -> None:
    """The forms of all five statuses, and a hostile text."""
    todos = [Todo(status, f"A step that is {status}", status) for status in Status]
    hostile = Todo("6", "</details> *(blocked)* ~~no~~ [x](javascript:alert(1))\n- [x] injected")
    snapshot("task-list.md", to_markdown(Plan((*todos, hostile), "Move *house*")))


def test_a_list_written_by_hand() -> None:
    """Every bullet, numbers, boxes of either case and depth are read in order."""
    text = """
# Release #

Some words that are no todo.

- [ ] write the notes
* [X] bump the version
+ plain bullet
1. [x] tag it
2) push
    - [ ] nested with
      a second line
\t* [/] deeper

***
- ~~never mind~~
- [x] ~~struck when done~~
- [-] given up
- [ ] waiting for Ann *(Blocked)*
- [ ]
"""
    assert from_markdown(text).summary == "Release"
    assert read(text) == [
        ("write the notes", Status.PENDING),
        ("bump the version", Status.COMPLETED),
        ("plain bullet", Status.PENDING),
        ("tag it", Status.COMPLETED),
        ("push", Status.PENDING),
        ("nested with a second line", Status.PENDING),
        ("deeper", Status.IN_PROGRESS),
        ("never mind", Status.CANCELLED),
        ("struck when done", Status.COMPLETED),
        ("given up", Status.CANCELLED),
        ("waiting for Ann", Status.BLOCKED),
    ]


def test_code_is_not_read() -> None:
    """A list inside a code block is an example, not a plan."""
    assert read("- a\n```\n- [ ] not this\n```\n- b\n~~~~\n- nor this\n~~~\n~~~~\n- c") == [
        ("a", Status.PENDING),
        ("b", Status.PENDING),
        ("c", Status.PENDING),
    ]


def test_a_text_without_a_list_is_an_empty_draft() -> None:
    """Nothing is made up, and only a heading above the list is its summary."""
    assert from_markdown("") == Draft([])
    assert from_markdown("- a\n\n# Later").summary is None
