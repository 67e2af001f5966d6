"""Texts that are too long, too deep, not text or not JSON, in every dialect: refused shortly, or stored as given."""

import json

import pytest
from bad_calls import DEEP, HUGE, check_reply, every_dialect, good_item, in_list, nested, new_board, refused, with_list
from strategies import call

from holdfast.dialects import DialectName


@every_dialect
class TestSizes:
    def test_a_text_of_ten_megabytes(self, name: DialectName) -> None:
        """A text of 10 MB is refused at every place, with a short reply."""
        board = new_board(name)
        huge = "x" * HUGE
        item = good_item(board)
        refused(board, huge)
        refused(board, in_list(board, {**item, "content": huge}))
        refused(board, in_list(board, {**item, "status": huge}))
        refused(board, in_list(board, huge))
        refused(board, with_list(board, huge))
        assert check_reply(board, in_list(board, {**item, huge: "x"})).ok == (name == "mini")

    def test_other_texts_of_ten_megabytes(self, name: DialectName) -> None:
        """It does not matter what the text is made of."""
        board = new_board(name)
        for char in ("\n", "\0", "字", "👩", "\u202e", " "):
            text = char * (HUGE // len(char.encode()))
            refused(board, call(board.dialect, (text, "pending")))

    def test_a_hundred_thousand_items(self, name: DialectName) -> None:
        """100,000 items are refused, good or bad, as a list and as text."""
        board = new_board(name)
        item = good_item(board)
        kinds: list[object] = [item, {}, None, 7, [], "x"]
        for kind in kinds:
            payload = in_list(board, *[kind] * 100_000)
            refused(board, payload)
            refused(board, json.dumps(payload))

    def test_ten_thousand_bad_items(self, name: DialectName) -> None:
        """So many faults that nobody would read them give a reply of a bearable length."""
        board = new_board(name)
        bad = {"content": 5, "status": "x" * 100, "activeForm": None, "k" * 100: 1}
        refused(board, in_list(board, *[bad] * 10_000))

    def test_a_hundred_thousand_keys(self, name: DialectName) -> None:
        """An object with very many keys, one of them given twice, is answered as quickly as any other."""
        board = new_board(name)
        keys = {f"key {number}": number for number in range(100_000)}
        assert check_reply(board, {**keys, **call(board.dialect, ("A", "pending"))}).ok
        refused(board, in_list(board, keys))
        twice = json.dumps({**keys, **call(board.dialect)})[:-1] + ', "key 99999": 1}'
        assert "key 99999" in refused(board, twice).text

    def test_deep_nesting(self, name: DialectName) -> None:
        """Lists in lists, 100,000 deep, are refused as text and as Python objects, in every place."""
        board = new_board(name)
        text = "[" * DEEP + "]" * DEEP
        objects = '{"todos":' * DEEP + "1" + "}" * DEEP
        for payload in (text, objects, "[" * DEEP, "{" * DEEP):
            refused(board, payload)
            refused(board, with_list(board, payload))
        refused(board, in_list(board, nested(DEEP)))
        refused(board, in_list(board, {**good_item(board), "content": nested(DEEP)}))
        assert check_reply(board, {**call(board.dialect, ("A", "pending")), "x": nested(DEEP)}).ok

    def test_huge_numbers(self, name: DialectName) -> None:
        """A number of 5000 digits, which Python itself will not read, is no trouble anywhere."""
        board = new_board(name)
        digits = "9" * 5000
        item = good_item(board)
        text = json.dumps(in_list(board, {**item, "content": "@"})).replace('"@"', digits)
        assert "sys." not in refused(board, text).text
        for key in ("content", "status", "id"):
            assert check_reply(board, in_list(board, {**item, key: 10**5000})).ok == (name == "mini" and key == "id")

    def test_a_hundred_thousand_keys_in_an_item(self, name: DialectName) -> None:
        """An item with very many unknown keys is refused in few words; mini drops them."""
        board = new_board(name)
        item = good_item(board)
        keys = {f"key {number}": number for number in range(100_000)}
        assert check_reply(board, in_list(board, {**item, **keys})).ok == (name == "mini")


@every_dialect
class TestTexts:
    @pytest.mark.parametrize("half", ["\ud800", "A\ud83dB"], ids=["alone", "in a text"])
    def test_lone_surrogates(self, name: DialectName, half: str) -> None:
        """Half of a surrogate pair cannot be stored or sent: it is refused as content, and harmless in a message."""
        board = new_board(name)
        item = good_item(board)
        refused(board, call(board.dialect, (half, "pending")))
        refused(board, json.dumps(call(board.dialect, (half, "pending"))))
        refused(board, call(board.dialect, ("A", half)))
        check_reply(board, in_list(board, {**item, half: "x"}))
        check_reply(board, {**in_list(board, item), half: half})
        refused(board, half)

    def test_a_pair_of_surrogates_in_json_is_one_character(self, name: DialectName) -> None:
        """What JSON escapes as a pair arrives as the character that it stands for."""
        board = new_board(name)
        assert check_reply(board, json.dumps(call(board.dialect, ("👩", "pending")))).ok
        assert board.plan.todos[0].content == "👩"

    @pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202E])
    def test_control_characters(self, name: DialectName, code: int) -> None:
        """A control character inside a text is stored, and in a status it is refused."""
        board = new_board(name)
        assert check_reply(board, call(board.dialect, (f"A{chr(code)}B", "pending"))).ok
        assert board.plan.todos[0].content == f"A{chr(code)}B"
        refused(board, call(board.dialect, ("A", f"pending{chr(code)}")))


@every_dialect
class TestJsonTexts:
    def test_duplicated_keys(self, name: DialectName) -> None:
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
    def test_invalid_json(self, name: DialectName, text: str) -> None:
        """What is no JSON is refused, as the payload and as the list."""
        board = new_board(name)
        refused(board, text)
        refused(board, text.encode())
        refused(board, with_list(board, text))

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_constants_that_are_no_json(self, name: DialectName, constant: str) -> None:
        """NaN and the infinities, which Python would read, are refused wherever they stand."""
        board = new_board(name)
        good = json.dumps(call(board.dialect, ("A", "pending")))
        refused(board, '{"x": ' + constant + ", " + good[1:])

    @pytest.mark.parametrize("text", ["null", "7", '"A"', "true", "1e999"])
    def test_json_that_is_no_object(self, name: DialectName, text: str) -> None:
        """JSON of another type is refused, as the payload and as the list."""
        board = new_board(name)
        refused(board, text)
        refused(board, with_list(board, text))

    def test_a_list_as_text_twice_over(self, name: DialectName) -> None:
        """A list as JSON text is read; that text once more as JSON text is not."""
        board = new_board(name)
        payload = call(board.dialect, ("A", "pending"))
        field = board.dialect.form.list_field
        once = json.dumps(payload[field])
        assert check_reply(board, {**payload, field: once}).ok
        refused(board, {**payload, field: json.dumps(once)})
