"""Bad input in every dialect: always a reply and never an exception, the plan untouched, the text short and clean."""

import json
from collections import OrderedDict, UserDict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LISTS, call, json_values

from holdfast import Board, Change, Plan, Reply
from holdfast.counting import estimate

every_dialect = pytest.mark.parametrize("name", LISTS)

MEGABYTE = 1_000_000
HUGE = 10 * MEGABYTE
DEEP = 100_000
LONGEST_REPLY = {"envelope": 200_000}


def new_board(name: str) -> Board:
    """A board with one todo on it."""
    board = Board(name, clock=lambda: 1.0)
    assert board.write(call(board.dialect, ("Old", "pending"))).ok
    return board


def told(board: Board, payload: object) -> Reply:
    """The reply to any payload at all, after a check of what always holds."""
    before, heard = board.plan, list[Change]()
    unsubscribe = board.on_change(heard.append)
    reply = board.write(payload)
    unsubscribe()
    assert reply.text
    assert len(reply.text.encode()) < LONGEST_REPLY.get(board.dialect.name, 100_000)
    assert reply.ok == (not reply.faults)
    assert reply.plan == board.plan
    if not reply.ok:
        assert board.plan is before and heard == []
        assert all(fault.message for fault in reply.faults)
    if board.dialect.name == "envelope":
        assert json.loads(reply.text) == json.loads(json.dumps(reply.data))
    return reply


def refused(board: Board, payload: object) -> Reply:
    """The reply to a payload that cannot be accepted."""
    reply = told(board, payload)
    assert not reply.ok, reply.text[:200]
    return reply


def unwritten(board: Board, payload: object) -> Reply:
    """The reply to a payload that has no list: it is refused, or it asks for the plan, and never writes."""
    before, reply = board.plan, told(board, payload)
    assert reply.ok == board.dialect.form.absent_reads, reply.text[:200]
    assert board.plan is before
    return reply


def nested(depth: int, inside: object = "A") -> Any:
    """A value in so many lists."""
    for _ in range(depth):
        inside = [inside]
    return inside


def in_list(board: Board, *items: object) -> dict[str, Any]:
    """A call with these items."""
    return {**call(board.dialect), board.dialect.form.list_field: list(items)}


def good_item(board: Board) -> dict[Any, Any]:
    """An item that the board takes."""
    item: dict[Any, Any] = call(board.dialect, ("A", "pending"))[board.dialect.form.list_field][0]
    return item


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
    def test_any_json_value(self, name: str, payload: object) -> None:
        """Any JSON value as a payload gets a reply."""
        told(new_board(name), payload)

    @given(data=st.data())
    def test_any_json_value_at_any_place(self, name: str, data: st.DataObject) -> None:
        """A good call with any JSON value at any place of it gets a reply, as an object and as text."""
        board = new_board(name)
        good = call(board.dialect, ("A", "pending"), ("B", "completed"))
        broken = with_value(good, data.draw(st.sampled_from(list(places(good)))), data.draw(json_values))
        first = told(board, broken)
        second = told(new_board(name), json.dumps(broken))
        assert first.ok == second.ok

    @given(text=st.text(st.characters()) | st.binary())
    def test_any_text(self, name: str, text: str | bytes) -> None:
        """Any text or bytes as a payload get a reply."""
        told(new_board(name), text)

    @given(text=st.text(st.characters()))
    def test_any_text_in_place_of_the_list(self, name: str, text: str) -> None:
        """Any text where the list belongs gets a reply, and is a list only if it is one in JSON."""
        board = new_board(name)
        told(board, {**call(board.dialect), board.dialect.form.list_field: text})


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
    def test_no_object(self, name: str, value: object) -> None:
        """A payload that is no object is refused, whatever else it is, also inside the call; an id may be a number."""
        board = new_board(name)
        refused(board, value)
        (unwritten if value is None else refused)(board, {**call(board.dialect), board.dialect.form.list_field: value})
        refused(board, in_list(board, value))
        for key in good_item(board):
            is_number = key == "id" and type(value) is int
            assert told(board, in_list(board, {**good_item(board), key: value})).ok == is_number

    @pytest.mark.parametrize("value", [object(), {1, 2}, b"\xff", bytearray(b"{"), 1j, range(3), Plan, lambda: None])
    def test_no_json_at_all(self, name: str, value: object) -> None:
        """Python values that JSON does not know are refused like others."""
        board = new_board(name)
        refused(board, value)
        refused(board, {**call(board.dialect), board.dialect.form.list_field: value})
        refused(board, in_list(board, value))
        refused(board, in_list(board, {**good_item(board), "content": value}))

    def test_keys_that_are_no_text(self, name: str) -> None:
        """Keys of any type in an item are unknown keys: dropped by mini, refused by the others."""
        board = new_board(name)
        item = good_item(board)
        keys: list[Any] = [7, None, True, (1, 2), 1.5, b"content"]
        for key in keys:
            assert told(board, in_list(board, {**item, key: "x"})).ok == (name == "mini")
            assert told(board, {**in_list(board, item), key: "x"}).ok

    @pytest.mark.parametrize("kind", [Strange, UserDict, OrderedDict])
    def test_mappings_of_other_kinds(self, name: str, kind: type) -> None:
        """A mapping need not be a dict, outside or inside."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        field = board.dialect.form.list_field
        wrapped = kind({**payload, field: [kind(item) for item in payload[field]]})
        assert told(board, wrapped).ok
        assert [todo.content for todo in board.plan.todos] == ["A"]

    def test_a_tuple_is_a_list(self, name: str) -> None:
        """A host may send the items in a tuple."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        field = board.dialect.form.list_field
        assert told(board, {**payload, field: tuple(payload[field])}).ok

    def test_a_missing_list(self, name: str) -> None:
        """No list, an empty object, or the list under another name is a fault, and never a wipe."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        items = payload.pop(board.dialect.form.list_field)
        for missing in ({}, "{}", payload):
            unwritten(board, missing)
        for misnamed in ("list", "Todos"):
            refused(board, {**payload, misnamed: items})
            assert len(board.plan.todos) == 1

    def test_a_wrapped_call(self, name: str) -> None:
        """A call inside a list or under one more key is not guessed at."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        refused(board, [payload])
        refused(board, {"input": payload})


@every_dialect
class TestSizes:
    def test_a_text_of_ten_megabytes(self, name: str) -> None:
        """A text of 10 MB is refused at every place, with a short reply."""
        board = new_board(name)
        huge = "x" * HUGE
        item = good_item(board)
        refused(board, huge)
        refused(board, in_list(board, {**item, "content": huge}))
        refused(board, in_list(board, {**item, "status": huge}))
        refused(board, in_list(board, huge))
        refused(board, {**call(board.dialect), board.dialect.form.list_field: huge})
        assert told(board, in_list(board, {**item, huge: "x"})).ok == (name == "mini")

    def test_other_texts_of_ten_megabytes(self, name: str) -> None:
        """It does not matter what the text is made of."""
        board = new_board(name)
        for char in ("\n", "\0", "字", "👩", "\u202e", " "):
            text = char * (HUGE // len(char.encode()))
            refused(board, call(board.dialect, (text, "pending")))

    def test_a_hundred_thousand_items(self, name: str) -> None:
        """100,000 items are refused, good or bad, as a list and as text."""
        board = new_board(name)
        item = good_item(board)
        kinds: list[object] = [item, {}, None, 7, [], "x"]
        for kind in kinds:
            payload = in_list(board, *[kind] * 100_000)
            refused(board, payload)
            refused(board, json.dumps(payload))

    def test_ten_thousand_bad_items(self, name: str) -> None:
        """So many faults that nobody would read them give a reply of a bearable length."""
        board = new_board(name)
        bad = {"content": 5, "status": "x" * 100, "activeForm": None, "k" * 100: 1}
        refused(board, in_list(board, *[bad] * 10_000))

    def test_a_hundred_thousand_keys(self, name: str) -> None:
        """An object with very many keys, one of them given twice, is answered as quickly as any other."""
        board = new_board(name)
        keys = {f"key {number}": number for number in range(100_000)}
        assert told(board, {**keys, **call(board.dialect, ("A", "pending"))}).ok
        refused(board, in_list(board, keys))
        twice = json.dumps({**keys, **call(board.dialect)})[:-1] + ', "key 99999": 1}'
        assert "key 99999" in refused(board, twice).text

    def test_deep_nesting(self, name: str) -> None:
        """Lists in lists, 100,000 deep, are refused as text and as Python objects, in every place."""
        board = new_board(name)
        text = "[" * DEEP + "]" * DEEP
        objects = '{"todos":' * DEEP + "1" + "}" * DEEP
        for payload in (text, objects, "[" * DEEP, "{" * DEEP):
            refused(board, payload)
            refused(board, {**call(board.dialect), board.dialect.form.list_field: payload})
        refused(board, in_list(board, nested(DEEP)))
        refused(board, in_list(board, {**good_item(board), "content": nested(DEEP)}))
        assert told(board, {**call(board.dialect, ("A", "pending")), "x": nested(DEEP)}).ok

    def test_huge_numbers(self, name: str) -> None:
        """A number of 5000 digits, which Python itself will not read, is no trouble anywhere."""
        board = new_board(name)
        digits = "9" * 5000
        item = good_item(board)
        text = json.dumps(in_list(board, {**item, "content": "@"})).replace('"@"', digits)
        assert "sys." not in refused(board, text).text
        for key in ("content", "status", "id"):
            assert told(board, in_list(board, {**item, key: 10**5000})).ok == (name == "mini" and key == "id")

    def test_a_hundred_thousand_keys_in_an_item(self, name: str) -> None:
        """An item with very many unknown keys is refused in few words; mini drops them."""
        board = new_board(name)
        item = good_item(board)
        keys = {f"key {number}": number for number in range(100_000)}
        assert told(board, in_list(board, {**item, **keys})).ok == (name == "mini")


@every_dialect
class TestTexts:
    @pytest.mark.parametrize("half", ["\ud800", "A\ud83dB"], ids=["alone", "in a text"])
    def test_lone_surrogates(self, name: str, half: str) -> None:
        """Half of a surrogate pair cannot be stored or sent: it is refused as content, and harmless in a message."""
        board = new_board(name)
        item = good_item(board)
        refused(board, call(board.dialect, (half, "pending")))
        refused(board, json.dumps(call(board.dialect, (half, "pending"))))
        refused(board, call(board.dialect, ("A", half)))
        told(board, in_list(board, {**item, half: "x"}))
        told(board, {**in_list(board, item), half: half})
        refused(board, half)

    def test_a_pair_of_surrogates_in_json_is_one_character(self, name: str) -> None:
        """What JSON escapes as a pair arrives as the character that it stands for."""
        board = new_board(name)
        assert told(board, json.dumps(call(board.dialect, ("👩", "pending")))).ok
        assert board.plan.todos[0].content == "👩"

    @pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202E])
    def test_control_characters(self, name: str, code: int) -> None:
        """A control character inside a text is stored, and in a status it is refused."""
        board = new_board(name)
        assert told(board, call(board.dialect, (f"A{chr(code)}B", "pending"))).ok
        assert board.plan.todos[0].content == f"A{chr(code)}B"
        refused(board, call(board.dialect, ("A", f"pending{chr(code)}")))


@every_dialect
class TestJsonTexts:
    def test_duplicated_keys(self, name: str) -> None:
        """A key that stands twice in an object is a fault that names it, whichever object it is."""
        board = new_board(name)
        good = json.dumps(call(board.dialect, ("A", "pending")))
        field, key = board.dialect.form.list_field, board.dialect.form.key("content")
        for text in (
            good[:-1] + f', "{field}": []}}',
            good.replace(f'"{key}": "A"', f'"{key}": "B", "{key}": "A"'),
            '{"x": 1, "x": 1, ' + good[1:],
        ):
            assert text != good
            assert "twice" in refused(board, text).faults[0].message or "Duplicate key" in refused(board, text).text

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "nonsense",
            "{",
            "{'todos': []}",
            '{"todos": [],}',
            "[1,",
            '\ufeff{"x": 1}',
            "{}{}",
            '{"todos": undefined}',
        ],
    )
    def test_invalid_json(self, name: str, text: str) -> None:
        """What is no JSON is refused, as the payload and as the list."""
        board = new_board(name)
        refused(board, text)
        refused(board, text.encode())
        refused(board, {**call(board.dialect), board.dialect.form.list_field: text})

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_constants_that_are_no_json(self, name: str, constant: str) -> None:
        """NaN and the infinities, which Python would read, are refused wherever they stand."""
        board = new_board(name)
        good = json.dumps(call(board.dialect, ("A", "pending")))
        refused(board, '{"x": ' + constant + ", " + good[1:])

    @pytest.mark.parametrize("text", ["null", "7", '"A"', "true", "1e999"])
    def test_json_that_is_no_object(self, name: str, text: str) -> None:
        """JSON of another type is refused, as the payload and as the list."""
        board = new_board(name)
        refused(board, text)
        refused(board, {**call(board.dialect), board.dialect.form.list_field: text})

    def test_a_list_as_text_twice_over(self, name: str) -> None:
        """A list as JSON text is read; that text once more as JSON text is not."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        field = board.dialect.form.list_field
        once = json.dumps(payload[field])
        assert told(board, {**payload, field: once}).ok
        refused(board, {**payload, field: json.dumps(once)})


@every_dialect
class TestTheUnforeseen:
    def test_a_mapping_that_breaks(self, name: str, caplog: pytest.LogCaptureFixture) -> None:
        """A payload that raises when it is looked into is answered in one short line, and the error is logged."""
        board = new_board(name)
        reply = refused(board, Hostile({"todos": [], "items": [], "summary": "S"}))
        assert len(reply.text) < 5000
        assert "\x1b" not in reply.text
        assert caplog.records

    def test_counting_tokens_is_no_way_out(self, name: str) -> None:
        """A board that counts tokens answers what cannot be counted like everything else."""
        board = new_board(name)
        board.counter = estimate
        for payload in (nested(DEEP), object(), b"\xff", "\ud800", {(1, 2): 3}, Hostile({}), {"todos": 10**5000}):
            refused(board, payload)
