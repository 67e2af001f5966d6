"""A plan in the words of a form, and what a model means that says those words again."""

import pytest

from holdfast import Board, Plan, Status, Todo
from holdfast.dialects.dialect import STATUS_WORDS
from holdfast.dialects.reading.form import Form, Use
from holdfast.dialects.reading.restatement import (
    express,
    express_summary,
    expresses_all,
    item,
    nearest,
    shows_exactly,
    without_restatements,
)
from holdfast.plan import Details, DetailsWish, Draft, Wish

EVERY = tuple(Status)
THREE = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
FORM = Form(STATUS_WORDS)
FULL = FORM._replace(
    id=Use.OPTIONAL,
    keeps_ids=True,
    active_form=Use.OPTIONAL,
    evidence=Use.OPTIONAL,
    description=Use.OPTIONAL,
    priority=Use.OPTIONAL,
    blocked_by=Use.OPTIONAL,
    owner=Use.OPTIONAL,
    metadata=Use.OPTIONAL,
    check=Use.OPTIONAL,
)
"""A form with every field."""
DETAILS = Details("All of it", "high", ("2", "9"), "ann", '{"a": 1}', "make test")
TODO = Todo("1", "A", Status.IN_PROGRESS, "Doing A", evidence="seen", details=DETAILS)
PLAN = Plan((TODO, Todo("2", "B")))


def lines(text: str) -> list[object]:
    """Reads a list that comes as a text."""
    return [*text.splitlines()]


@pytest.mark.parametrize(
    ("status", "statuses", "shown"),
    [
        (Status.BLOCKED, EVERY, Status.BLOCKED),
        (Status.BLOCKED, THREE, Status.PENDING),
        (Status.CANCELLED, THREE, Status.COMPLETED),
        (Status.CANCELLED, (Status.PENDING,), Status.PENDING),
        (Status.IN_PROGRESS, (Status.PENDING, Status.COMPLETED), Status.PENDING),
    ],
)
def test_a_status_without_a_word_is_shown_as_the_nearest(
    status: Status, statuses: tuple[Status, ...], shown: Status
) -> None:
    """What is done stays done, if the dialect can say so."""
    assert nearest(status, statuses) is shown


@pytest.mark.parametrize(
    ("form", "is_exact"),
    [
        (FORM, True),
        (FORM._replace(active_form=Use.OPTIONAL, summary=Use.OPTIONAL), True),
        (FORM._replace(active_form=Use.REQUIRED), False),
        (FORM._replace(summary=Use.REQUIRED), False),
        (FORM._replace(trims=True), False),
        (FORM._replace(parse=lines), False),
        (FORM._replace(priority=Use.OPTIONAL), False),
    ],
)
def test_a_form_shows_all_as_it_is_if_it_asks_for_nothing_and_changes_nothing(form: Form, is_exact: bool) -> None:
    """And only with a word for every status."""
    assert expresses_all(form, EVERY) is is_exact
    assert not expresses_all(form, THREE)


@pytest.mark.parametrize(
    ("todo", "form", "is_exact"),
    [
        (TODO, FORM, True),
        (TODO, FULL, False),
        (TODO._replace(details=DETAILS._replace(blocked_by=("2",))), FULL, True),
        (TODO._replace(status=Status.BLOCKED), FORM, False),
        (TODO._replace(content=" A "), FORM, True),
        (TODO._replace(content=" A "), FORM._replace(trims=True), False),
        (TODO._replace(active_form=" Doing "), FORM._replace(trims=True), True),
        (TODO._replace(active_form=" Doing "), FORM._replace(active_form=Use.OPTIONAL), True),
        (TODO._replace(active_form=" Doing "), FORM._replace(active_form=Use.OPTIONAL, trims=True), False),
        (TODO, FORM._replace(active_form=Use.OPTIONAL, trims=True), True),
        (TODO._replace(active_form=" "), FORM._replace(active_form=Use.OPTIONAL), False),
        (TODO._replace(active_form=""), FORM._replace(active_form=Use.OPTIONAL), True),
        (TODO._replace(active_form=""), FORM._replace(active_form=Use.REQUIRED), False),
        (Todo("2", "B"), FORM._replace(priority=Use.OPTIONAL), True),
        (Todo("2", "B"), FORM._replace(priority=Use.REQUIRED), False),
        (Todo("2", "B"), FORM._replace(description=Use.REQUIRED), False),
    ],
)
def test_a_todo_is_shown_exactly_if_reading_it_again_changes_nothing(todo: Todo, form: Form, is_exact: bool) -> None:
    """In all fields that the form has."""
    assert shows_exactly(todo, PLAN, form, THREE) is is_exact
    shown = express(todo, PLAN, form, THREE)
    is_kept = (
        shown.content == todo.content
        and shown.status is todo.status
        and (shown.active_form or "") == (todo.active_form if form.active_form is not Use.ABSENT else "")
        and (shown.details is None or shown.details.over(todo.details) == todo.details)
    )
    assert is_kept or not is_exact


def test_a_todo_in_a_form_with_every_field() -> None:
    """What it waits for is shown as far as it is in the plan; what is empty is left out."""
    details = DetailsWish("All of it", "high", ("2",), "ann", '{"a": 1}', "make test")
    assert express(TODO, PLAN, FULL, EVERY) == Wish("1", "A", Status.IN_PROGRESS, "Doing A", "seen", details)
    gone = TODO._replace(details=Details(blocked_by=("9",)))
    assert express(gone, PLAN, FULL, EVERY).details is None
    assert express(PLAN.todos[1], PLAN, FULL, EVERY) == Wish("2", "B", Status.PENDING)


def test_a_todo_in_a_form_with_few_fields() -> None:
    """It has a text and a status; what the form asks for and the todo does not have is made up from its text."""
    assert express(TODO, PLAN, FORM, EVERY) == Wish(None, "A", Status.IN_PROGRESS)
    asking = FORM._replace(active_form=Use.REQUIRED, description=Use.REQUIRED, priority=Use.REQUIRED, trims=True)
    bare = Todo("2", " B ", Status.CANCELLED, " ")
    assert express(bare, PLAN, asking, THREE) == Wish(
        None, "B", Status.COMPLETED, "B", None, DetailsWish(" B ", "medium")
    )
    one = Todo("2", "B", active_form=" Doing B ")
    assert express(one, PLAN, asking, THREE).active_form == "Doing B"
    assert express(one, PLAN, asking._replace(trims=False), THREE).active_form == " Doing B "
    assert express(one._replace(active_form=" "), PLAN, asking._replace(trims=False), THREE).active_form == "B"


@pytest.mark.parametrize(
    ("summary", "form", "shown"),
    [
        ("Ship it", FORM, None),
        (" Ship it ", FORM._replace(summary=Use.OPTIONAL), " Ship it "),
        (" Ship it ", FORM._replace(summary=Use.OPTIONAL, trims=True), "Ship it"),
        ("", FORM._replace(summary=Use.OPTIONAL), ""),
        (" ", FORM._replace(summary=Use.REQUIRED), "Todos"),
        ("Ship it", FORM._replace(summary=Use.REQUIRED), "Ship it"),
    ],
)
def test_a_goal_is_shown_where_a_form_has_one(summary: str, form: Form, shown: str | None) -> None:
    """A form that needs one has a word for a plan without."""
    assert express_summary(Plan(summary=summary), form) == shown


def test_an_item_has_the_keys_of_its_form() -> None:
    """And only what the todo has."""
    names = {"id": "number", "content": "step", "check": "proof"}
    shown = express(TODO, PLAN, FULL, EVERY)
    assert item(shown, FULL._replace(names=names)) == {
        "number": "1",
        "step": "A",
        "status": "in_progress",
        "activeForm": "Doing A",
        "evidence": "seen",
        "description": "All of it",
        "priority": "high",
        "blockedBy": ["2"],
        "owner": "ann",
        "metadata": {"a": 1},
        "proof": "make test",
    }
    assert item(Wish(content="B", status=Status.PENDING), FULL) == {"content": "B", "status": "pending"}
    assert item(Wish("2", status=Status.PENDING, details=DetailsWish(owner="ann")), FULL) == {
        "id": "2",
        "status": "pending",
        "owner": "ann",
    }


def restated(todo: Todo, form: Form, *wishes: Wish, summary: str | None = None) -> Draft:
    """What a model asks for with these wishes, that was shown one todo in a form with three statuses."""
    plan = Plan((todo,))
    shown = [express(todo, plan, form, THREE)]
    return without_restatements(Draft(wishes, summary), plan, shown, express_summary(plan, form))


def test_what_is_only_said_again_is_no_change() -> None:
    """Neither a text that was trimmed, nor the nearest status, nor what was made up for a field."""
    form = FORM._replace(active_form=Use.REQUIRED, priority=Use.REQUIRED, summary=Use.REQUIRED, trims=True)
    todo = Todo("1", " A ", Status.BLOCKED)
    said = Wish(None, "A", Status.PENDING, "A", "seen", DetailsWish(priority="medium"))
    assert restated(todo, form, said, summary="Todos") == Draft([Wish("1", evidence="seen", details=DetailsWish())])


def test_what_is_said_otherwise_is_a_change() -> None:
    """Field by field; and a todo that was not shown is left as it is asked for."""
    form = FORM._replace(active_form=Use.REQUIRED, priority=Use.REQUIRED, summary=Use.REQUIRED, trims=True)
    todo = Todo("1", " A ", Status.BLOCKED)
    said = Wish(None, "A", Status.COMPLETED, "Doing A", None, DetailsWish(priority="low"))
    new = Wish(None, "B", Status.PENDING, "B")
    asked = Wish("1", None, Status.COMPLETED, "Doing A", None, DetailsWish(priority="low"))
    assert restated(todo, form, said, new, summary="Ship it") == Draft([asked, new], "Ship it")
    assert restated(todo, form, said._replace(details=None)).wishes == [asked._replace(details=None)]


def test_a_detail_for_a_todo_that_was_shown_without_any_is_a_change() -> None:
    """Although the status beside it is only said again."""
    said = Wish(None, "A", Status.PENDING, details=DetailsWish(priority="high"))
    asked = restated(Todo("1", "A", Status.BLOCKED), FORM._replace(priority=Use.OPTIONAL), said)
    assert asked.wishes == [said._replace(id="1", status=None)]


@pytest.mark.parametrize(
    ("todo", "form"),
    [
        (Todo("1", "A"), FORM._replace(active_form=Use.OPTIONAL)),
        (Todo("1", "A", active_form="Doing A"), FORM._replace(active_form=Use.OPTIONAL)),
        (Todo("1", "A", details=Details(priority="high")), FORM._replace(priority=Use.OPTIONAL)),
    ],
)
def test_what_was_shown_exactly_is_taken_word_for_word(todo: Todo, form: Form) -> None:
    """There is nothing that the model could only have repeated."""
    said = Wish(None, "A", Status.PENDING)
    assert restated(todo, form, said) == Draft((said,))


@pytest.mark.parametrize(
    ("todo", "form"),
    [
        pytest.param(Todo("1", " A"), FORM._replace(trims=True), id="content"),
        pytest.param(Todo("1", "A", Status.BLOCKED), FORM, id="status"),
        pytest.param(Todo("1", "A", active_form=" "), FORM._replace(active_form=Use.REQUIRED), id="active form"),
        pytest.param(Todo("1", "A"), FORM._replace(priority=Use.REQUIRED), id="details"),
    ],
)
def test_one_field_that_was_shown_otherwise_is_enough_to_look_closely(todo: Todo, form: Form) -> None:
    """Then each wish names the todo that it is for."""
    assert [wish.id for wish in restated(todo, form, Wish(None, "A", Status.PENDING)).wishes] == ["1"]


def test_what_a_dialect_makes_up_is_not_written_into_the_plan() -> None:
    """Also where the policy lends the dialect every status: a priority and a goal that nobody gave stay away."""
    board = Board(dialect="opencode", policy="rail")
    board.update([{"content": "A"}])
    assert board.write({"todos": [{"content": "A", "status": "in_progress", "priority": "medium"}]}).ok
    assert (board.plan.todos[0].status, board.plan.todos[0].details.priority) == (Status.IN_PROGRESS, "")
