"""Bad input in every dialect: always a reply and never an exception, the plan untouched, the text short and clean."""

import json
from collections import OrderedDict, UserDict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from bad_calls import (
    DEEP,
    MEGABYTE,
    check_reply,
    every_dialect,
    good_item,
    in_list,
    nested,
    new_board,
    refused,
    unwritten,
    with_list,
)
from hypothesis import given
from hypothesis import strategies as st
from strategies import call, json_values

from holdfast import Plan
from holdfast.board.tokens import estimate
from holdfast.dialects import DialectName


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, the whole of it first."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a JSON value with another value at a place."""
    if not path:
        return new
    copied = value.copy()
    copied[path[0]] = with_value(value[path[0]], path[1:], new)
    return copied


@every_dialect
class TestAnything:
    @given(payload=json_values)
    def test_any_json_value(self, name: DialectName, payload: object) -> None:
        """Any JSON value as a payload gets a reply."""
        check_reply(new_board(name), payload)

    @given(data=st.data())
    def test_any_json_value_at_any_place(self, name: DialectName, data: st.DataObject) -> None:
        """A good call with any JSON value at any place of it gets a reply, as an object and as text."""
        board = new_board(name)
        good = call(board.dialect, ("A", "pending"), ("B", "completed"))
        broken = with_value(good, data.draw(st.sampled_from(list(places(good)))), data.draw(json_values))
        first = check_reply(board, broken)
        second = check_reply(new_board(name), json.dumps(broken))
        assert first.ok == second.ok

    @given(text=st.text(st.characters()) | st.binary())
    def test_any_text(self, name: DialectName, text: str | bytes) -> None:
        """Any text or bytes as a payload get a reply."""
        check_reply(new_board(name), text)

    @given(text=st.text(st.characters()))
    def test_any_text_in_place_of_the_list(self, name: DialectName, text: str) -> None:
        """Any text where the list belongs gets a reply, and is a list only if it is one in JSON."""
        board = new_board(name)
        check_reply(board, with_list(board, text))


class Strange(Mapping[str, object]):
    """A mapping that is no dict."""

    def __init__(self, inner: dict[str, object]) -> None:
        self._inner = inner

    def __getitem__(self, key: str) -> object:
        """The value of a key."""
        return self._inner[key]

    def __iter__(self) -> Iterator[str]:
        """The keys."""
        return iter(self._inner)

    def __len__(self) -> int:
        """How many keys there are."""
        return len(self._inner)


class Hostile(Strange):
    """A mapping that breaks when it is looked into."""

    def __getitem__(self, key: str) -> object:
        """Never."""
        raise RuntimeError("boom\n\x1b[2J" + "x" * MEGABYTE)


@every_dialect
class TestShapes:
    @pytest.mark.parametrize("value", [None, 0, 7, -1.5, True, False, float("nan"), float("inf")], ids=repr)
    def test_no_object(self, name: DialectName, value: object) -> None:
        """A payload that is no object is refused, whatever else it is, also inside the call; an id may be a number."""
        board = new_board(name)
        refused(board, value)
        (unwritten if value is None else refused)(board, with_list(board, value))
        refused(board, in_list(board, value))
        for key in good_item(board):
            is_number = key == "id" and type(value) is int
            assert check_reply(board, in_list(board, {**good_item(board), key: value})).ok == is_number

    @pytest.mark.parametrize("value", [object(), {1, 2}, b"\xff", bytearray(b"{"), 1j, range(3), Plan, lambda: None])
    def test_no_json_at_all(self, name: DialectName, value: object) -> None:
        """Python values that JSON does not know are refused like others."""
        board = new_board(name)
        refused(board, value)
        refused(board, with_list(board, value))
        refused(board, in_list(board, value))
        refused(board, in_list(board, {**good_item(board), "content": value}))

    def test_keys_that_are_no_text(self, name: DialectName) -> None:
        """Keys of any type in an item are unknown keys: dropped by mini, refused by the others."""
        board = new_board(name)
        item = good_item(board)
        keys: list[Any] = [7, None, True, (1, 2), 1.5, b"content"]
        for key in keys:
            assert check_reply(board, in_list(board, {**item, key: "x"})).ok == (name == "mini")
            assert check_reply(board, {**in_list(board, item), key: "x"}).ok

    @pytest.mark.parametrize("kind", [Strange, UserDict, OrderedDict])
    def test_mappings_of_other_kinds(self, name: DialectName, kind: type) -> None:
        """A mapping need not be a dict, outside or inside."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        field = board.dialect.form.list_field
        wrapped = kind({**payload, field: [kind(item) for item in payload[field]]})
        assert check_reply(board, wrapped).ok
        assert [todo.content for todo in board.plan.todos] == ["A"]

    def test_a_tuple_is_a_list(self, name: DialectName) -> None:
        """A host may send the items in a tuple."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        field = board.dialect.form.list_field
        assert check_reply(board, {**payload, field: tuple(payload[field])}).ok

    def test_a_missing_list(self, name: DialectName) -> None:
        """No list, an empty object, or the list under another name is a fault, and never a wipe."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        items = payload.pop(board.dialect.form.list_field)
        for missing in ({}, "{}", payload):
            unwritten(board, missing)
        for misnamed in ("list", "Todos"):
            refused(board, {**payload, misnamed: items})
            assert len(board.plan.todos) == 1

    def test_a_wrapped_call(self, name: DialectName) -> None:
        """A call inside a list or under one more key is not guessed at."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        refused(board, [payload])
        refused(board, {"input": payload})


@every_dialect
class TestTheUnforeseen:
    def test_a_mapping_that_breaks(self, name: DialectName, caplog: pytest.LogCaptureFixture) -> None:
        """A payload that raises when it is looked into is answered in one short line, and the error is logged."""
        board = new_board(name)
        reply = refused(board, Hostile({"todos": [], "items": [], "summary": "S"}))
        assert len(reply.text) < 5000
        assert "\x1b" not in reply.text
        assert caplog.records

    def test_counting_tokens_is_no_way_out(self, name: DialectName) -> None:
        """A board that counts tokens answers what cannot be counted like everything else."""
        board = new_board(name)
        board.count_tokens(estimate)
        for payload in (nested(DEEP), object(), b"\xff", "\ud800", {(1, 2): 3}, Hostile({}), {"todos": 10**5000}):
            refused(board, payload)
