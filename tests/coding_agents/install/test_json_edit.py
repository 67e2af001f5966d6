"""A JSON text changed in one place only: laws for every text, and the layout of what is put in."""

import json
import re

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


GAPS = ("", " ", "\n  ", "\r\n", " // mine\n", '\n  // a, {b}: "c\n  ', "/* d */", " /* e,\n }] */ ", "\n\t")


@st.composite
def commented(draw: st.DrawFn) -> str:
    """An object as people write it: comments anywhere, and commas after the last member."""

    def gap() -> str:
        return draw(st.sampled_from(GAPS))

    def written(value: object) -> str:
        if isinstance(value, dict):
            inner = [f"{json.dumps(key)}{gap()}:{gap()}{written(part)}" for key, part in value.items()]
            return "{" + listed(inner) + "}"
        if isinstance(value, list):
            return "[" + listed([written(part) for part in value]) + "]"
        return json.dumps(value)

    def listed(inner: list[str]) -> str:
        has_comma: bool = draw(st.booleans())
        end = f",{gap()}" if inner and has_comma else ""
        return gap() + f"{gap()},{gap()}".join(inner) + gap() + end

    return gap() + written(draw(objects)) + gap()


def notes(text: str) -> list[str]:
    """The comments of a text, in order."""
    return re.findall(r"// mine|// a, \{b\}: \"c|/\* d \*/|/\* e,\n \}\] \*/", text)


def is_inside(part: str, whole: str) -> bool:
    """Whether a text is another one with something added to it."""
    left = iter(whole)
    return all(letter in left for letter in part)


@given(commented(), st.text(max_size=5), values)
def test_among_comments_only_what_is_put_in_is_new(text: str, key: str, value: object) -> None:
    """Every character of the old text is still there, in order, except for a value that was replaced."""
    known = json_edit.parse(text)
    after = json_edit.put(text, (key,), value)
    assert json_edit.parse(after) == {**known, key: value}
    if key not in known:
        assert is_inside(text, after) or not known  # in an empty object, white space may go


@given(commented(), values)
def test_among_comments_what_was_put_in_is_taken_out(text: str, value: object) -> None:
    """The text is as it was, byte for byte, if it had other members; no comment is lost in any case."""
    known = json_edit.parse(text)
    back = json_edit.remove(json_edit.put(text, ("a new key", "in", "deep"), value), ("a new key",))
    assert json_edit.parse(back) == known and notes(back) == notes(text)
    if known:
        assert back == text


@given(commented(), st.data())
def test_among_comments_any_member_can_be_taken_out(text: str, data: st.DataObject) -> None:
    """The first, the last or one between: the others stay, and so does every comment outside of it."""
    known = json_edit.parse(text)
    if known:
        key = data.draw(st.sampled_from(list(known)))
        found = next(part for part in json_edit.parts(text, text.index("{", _head(text))) if part.key == key)
        after = json_edit.remove(text, (key,))
        assert json_edit.parse(after) == {other: value for other, value in known.items() if other != key}
        assert notes(after) == notes(text[: found.start]) + notes(text[found.end :])


def _head(text: str) -> int:
    """Where the comments before the object end."""
    found = re.match(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*", text, re.DOTALL)
    return found.end() if found else 0


def test_a_comment_stays_with_what_it_is_about() -> None:
    """A new member comes after the comment on the last line, not before it."""
    text = '{\n  // fast\n  "a": 1 // one\n}\n'
    after = json_edit.put(text, ("b",), 2)
    assert after == '{\n  // fast\n  "a": 1, // one\n  "b": 2\n}\n'
    assert json_edit.remove(after, ("b",)) == text
    text = '{\n  "a": 1, // one\n}\n'
    after = json_edit.put(text, ("b",), 2)
    assert after == '{\n  "a": 1, // one\n  "b": 2,\n}\n'
    assert json_edit.remove(after, ("b",)) == text
    assert json_edit.is_empty('{"a": { }}', ("a",)) and not json_edit.is_empty('{"a": { /* b */ }}', ("a",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "'a' is given twice"),
        ('{"a": 1,, "b": 2}', "not JSON"),
        ('{"a": 1 /* mine }', "not JSON"),
        ("{'a': 1}", "not JSON"),
        ('{"a": NaN}', "NaN"),
        ("[" * 100_000, "nested too deeply"),
        ("", "not JSON"),
    ],
)
def test_what_could_not_be_written_back_is_refused(text: str, why: str) -> None:
    """What is no JSON, even with comments, is named, with its place."""
    with pytest.raises(UsageError, match=why):
        json_edit.parse(text)


def test_what_is_not_there_cannot_be_taken_out() -> None:
    """A key that is none is an error, not a silence."""
    with pytest.raises(KeyError):
        json_edit.remove('{"a": 1}', ("b",))
