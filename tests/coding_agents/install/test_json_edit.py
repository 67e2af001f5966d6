"""A JSON text changed in one place only: laws for every text, and the layout of what is put in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.coding_agents.install import json_edit
from holdfast.errors import UsageError

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
objects = st.dictionaries(st.text(max_size=5), values, max_size=4)
layouts = st.sampled_from(
    [
        {"indent": 2},
        {"indent": "\t"},
        {"indent": 4, "ensure_ascii": False},
        {"indent": None},
        {"separators": (",", ":")},
        {"separators": (" , ", " : ")},
    ]
)
texts = st.builds(
    lambda value, layout, line, end: json.dumps(value, **layout).replace("\n", line) + end,
    objects,
    layouts,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n"]),
)


@given(texts, st.text(max_size=5), values)
def test_what_is_put_in_is_there_and_nothing_else_is_changed(text: str, key: str, value: object) -> None:
    """The value of the text is the old one with one member more, or another one."""
    assert json.loads(json_edit.put(text, (key,), value)) == {**json.loads(text), key: value}


@given(texts, values)
def test_what_was_put_in_is_taken_out_byte_for_byte(text: str, value: object) -> None:
    """A new member leaves no trace in a text that had others."""
    known = json.loads(text)
    back = json_edit.remove(json_edit.put(text, ("a new key", "in", "deep"), value), ("a new key",))
    assert json.loads(back) == known
    if known:
        assert back == text


@given(texts, st.data())
def test_any_member_can_be_taken_out(text: str, data: st.DataObject) -> None:
    """The first, the last or one between: the others stay, in their order."""
    known = json.loads(text)
    if known:
        key = data.draw(st.sampled_from(list(known)))
        left = json.loads(json_edit.remove(text, (key,)))
        assert list(left.items()) == [(other, value) for other, value in known.items() if other != key]


@given(st.lists(values, min_size=1, max_size=4), layouts, values)
def test_items_are_added_and_taken_out_again(items: list[object], layout: dict[str, object], value: object) -> None:
    """An array in an object gets one item more at its end, and is then as it was."""
    text = json.dumps({"list": items}, **layout)  # type: ignore[arg-type] # the layouts are of many types
    more = json_edit.put(text, ("list", -1), value)
    assert json.loads(more) == {"list": [*items, value]}
    assert json_edit.remove(more, ("list", len(items))) == text


def test_what_is_put_in_is_laid_out_like_the_rest() -> None:
    """Indent, line ends and one-line objects are taken over."""
    assert json_edit.put('{\r\n\t"a": 1\r\n}', ("b",), {"c": [1]}) == (
        '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}'
    )
    assert json_edit.put('{"a": 1}\n', ("b",), {"c": 2}) == '{"a": 1, "b": {"c": 2}}\n'
    assert json_edit.put("{}", ("b",), 1) == '{\n  "b": 1\n}'
    assert json_edit.put('{\n  "a": {}\n}', ("a", "b"), 1) == '{\n  "a": {\n    "b": 1\n  }\n}'
    assert json_edit.put('{"a": 1, "b": [1]}', ("a",), "é") == '{"a": "é", "b": [1]}'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, // mine\n}', "comments"),
        ('{"a": 1, /* mine */ "b": 2}', "comments"),
        ('{"a": 1,}', "trailing commas"),
        ('{"a": 1, "a": 2}', "'a' is given twice"),
        ('{"a": NaN}', "NaN"),
        ("[" * 100_000, "nested too deeply"),
        ("", "not plain JSON"),
    ],
)
def test_what_could_not_be_written_back_is_refused(text: str, why: str) -> None:
    """Comments and other things that are no JSON are named, with their place."""
    with pytest.raises(UsageError, match=why):
        json_edit.parse(text)


def test_what_is_not_there_cannot_be_taken_out() -> None:
    """A key that is none is an error, not a silence."""
    with pytest.raises(KeyError):
        json_edit.remove('{"a": 1}', ("b",))
