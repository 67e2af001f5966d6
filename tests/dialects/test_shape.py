"""The shapes of items: what is read or compared at once is what reading field by field finds."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import Plan, Rules, Status, Todo, dialects
from holdfast.dialects import DialectName
from holdfast.dialects.dialect import Dialect
from holdfast.dialects.names import NAMES
from holdfast.dialects.reading.items import Reader
from holdfast.dialects.reading.shape import Shape, shape_of
from holdfast.plan import Details

ASKING = Rules(evidence="optional", checks=True)
LISTS: tuple[DialectName, ...] = tuple(name for name in NAMES if name not in ("claude-tasks", "roo"))
"""The dialects that send a list of items."""

VALUES: st.SearchStrategy[object] = st.sampled_from(
    ["", " ", "A", " B ", "é\ud800", "x" * 70, 1, None, [], "pending", "done", "high", "1"]
)
ITEMS = st.dictionaries(
    st.sampled_from(
        ["content", "status", "activeForm", "id", "evidence", "priority", "check", "step", "title", "description", "x"]
    ),
    VALUES,
)


def own_dialect(name: DialectName) -> Dialect:
    """A dialect whose form has all the fields that rules can add. Its shapes are worked out anew."""
    dialect = dialects.get(name).with_rules(ASKING)
    dialect.form.shapes.clear()
    return dialect


def shown(dialect: Dialect, todo: Todo) -> dict[str, Any]:
    """The item by which a dialect shows a todo, with the fields that the rules have added."""
    item: dict[str, Any] = json.loads(json.dumps(dialect.items(Plan((todo,)))[0]))
    return {**item, "evidence": todo.evidence, "check": todo.check}


def shape(dialect: Dialect, item: dict[str, Any]) -> Shape:
    """The shape of an item that has one."""
    found = shape_of(item, dialect.form)
    assert found is not None
    return found


@settings(max_examples=1500, deadline=None)
@given(ITEMS, st.sampled_from(LISTS))
def test_an_item_is_read_at_once_as_it_is_read_field_by_field(item: dict[str, Any], name: DialectName) -> None:
    """The wish is the same, and so are the faults, the ids and what had no status."""
    dialect = own_dialect(name)
    quick, slow = Reader(dialect.form, dialect.rules), Reader(dialect.form, dialect.rules)
    assert quick.wish(0, item) == slow.item(0, item)
    assert (quick.faults, quick.defaulted, quick.seen_ids) == (slow.faults, slow.defaulted, slow.seen_ids)


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("field", ["id", "content", "activeForm", "evidence", "priority", "check"])
@pytest.mark.parametrize("name", LISTS)
def test_a_blank_text_is_refused_at_once_where_it_is_refused_field_by_field(
    name: DialectName, field: str, blank: str
) -> None:
    """It depends on the field, and on whether the dialect asks for it."""
    dialect = own_dialect(name)
    todo = Todo("1", "A", active_form="Doing A", evidence="seen", details=Details(priority="high", check="make"))
    item = shown(dialect, todo)
    key = dialect.form.key(field)
    quick, slow = Reader(dialect.form, dialect.rules), Reader(dialect.form, dialect.rules)
    assert quick.wish(0, {**item, key: blank}) == slow.item(0, {**item, key: blank})
    assert quick.faults == slow.faults


@pytest.mark.parametrize("name", LISTS)
def test_plain_items_need_not_be_read_field_by_field(name: DialectName, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a dialect itself shows is read at once, with texts that are blank where they may be."""
    monkeypatch.setattr(Reader, "item", None)
    dialect = own_dialect(name)
    needs = {field for field, use in dialect.form.uses.items() if use.name == "REQUIRED"}
    todo = Todo(
        "1",
        "A",
        active_form="Doing A" if "activeForm" in needs else "",
        details=Details(priority="high" if "priority" in needs else "", check=""),
    )
    item = {key: value for key, value in shown(dialect, todo).items() if key not in ("id", "blockedBy")}
    if "id" in needs:
        item["id"] = "1"
    assert Reader(dialect.form, dialect.rules).wish(0, item).content == "A"


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"content": "B"},
        {"status": Status.COMPLETED},
        {"active_form": "Doing B"},
        {"evidence": "not seen"},
        {"details": Details(priority="low", check="make")},
        {"details": Details(priority="high", check="make test")},
    ],
    ids=["the same", "content", "status", "active form", "evidence", "priority", "check"],
)
@pytest.mark.parametrize("name", LISTS)
def test_an_item_is_equal_to_its_todo_if_it_shows_it_as_it_is(name: DialectName, other: dict[str, Any]) -> None:
    """A todo that differs in anything that the dialect shows is told from it; only the texts leave the status out."""
    dialect = own_dialect(name)
    todo = Todo("1", "A", active_form="Doing A", evidence="seen", details=Details(priority="high", check="make"))
    item, changed = shown(dialect, todo), todo._replace(**other)
    item = {key: value for key, value in item.items() if key in dialect.form.own and key != "blockedBy"}
    if not (dialect.form.partial or dialect.form.keeps_ids):
        item.pop("id", None)
    found = shape(dialect, item)
    after = {key: value for key, value in shown(dialect, changed).items() if key in item}
    assert (found.item_values(item) == found.todo_values(changed)) is (after == item)
    without_status = {**after, "status": item["status"]}
    assert (found.item_texts(item) == found.todo_texts(changed)) is (without_status == item)


def test_details_are_compared_where_they_are() -> None:
    """A text among the details is no text of the todo itself, and the id is compared with neither."""
    dialect = own_dialect("opencode")
    item = {"content": "A", "status": "pending", "priority": "high"}
    found = shape(dialect, item)
    todo = Todo("7", "A", details=Details(priority="high"))
    assert (found.item_texts(item), found.todo_texts(todo)) == (("A", "high"), ("A", "high"))
    assert (found.item_values(item), found.todo_values(todo)) == (("A", "high", "pending"), ("A", "high", "pending"))


def test_a_status_is_compared_in_the_words_of_the_dialect() -> None:
    """`kimi` says done where other dialects say completed."""
    dialect = own_dialect("kimi")
    item = {"title": "A", "status": "done"}
    found = shape(dialect, item)
    assert found.todo_values(Todo("1", "A", Status.COMPLETED)) == found.item_values(item) == ("A", "done")


@pytest.mark.parametrize(
    "item",
    [{"content": "A", "unknown": 1}, {"status": "pending"}, {"content": "A", "blockedBy": []}, {1: "A"}],
    ids=["an unknown key", "without a text", "with ids", "a key that is no text"],
)
def test_what_is_not_plain_has_no_shape(item: dict[Any, Any]) -> None:
    """It is read field by field."""
    assert shape_of(item, own_dialect("holdfast").form) is None


def test_an_item_that_cannot_restate_a_todo_is_compared_with_none() -> None:
    """It lacks the status, or says neither the text nor whose status it is."""
    assert shape(own_dialect("holdfast"), {"content": "A"}).item_values is None
    assert shape(own_dialect("holdfast"), {"id": "1", "status": "pending"}).item_values is not None
