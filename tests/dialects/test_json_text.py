"""JSON as models send and receive it."""

import json

import pytest

from holdfast.dialects.reading.json_text import decode, encode
from holdfast.plan.fault import Fault


def no_json(why: str, received: str) -> Fault:
    """The fault of a text that is not JSON."""
    return Fault("", why, "not_json", received=received)


def test_json_is_read_from_texts_and_bytes() -> None:
    """With whole numbers of up to a thousand digits."""
    assert decode('{"a": [1, 2.5, null, true]}') == {"a": [1, 2.5, None, True]}
    assert decode(b'{"a": 1}') == decode(bytearray(b'{"a": 1}')) == {"a": 1}
    assert decode("9" * 1_000) == int("9" * 1_000)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("9" * 1_001, no_json("not valid JSON: a number of 1001 digits", f"'{'9' * 39}…'")),
        ("NaN", no_json("not valid JSON: NaN is no JSON value", "'NaN'")),
        ("[-Infinity]", no_json("not valid JSON: -Infinity is no JSON value", "'[-Infinity]'")),
        ("{a\n", no_json(decode("{a\n").message, "'{a '")),
        ("[" * 200_000, no_json("the JSON is nested too deeply", "deep nesting")),
        ('{"a": 1, "b": 2, "b": 3}', Fault("", "the key 'b' is given twice", "duplicate_key", received="'b'")),
    ],
)
def test_what_is_no_json_is_a_fault(text: str, fault: Fault) -> None:
    """It says what is wrong, and what came, in short."""
    assert decode(text) == fault
    assert fault.message.isprintable()


def test_json_for_a_reader_holds_nothing_that_is_obeyed_or_unseen() -> None:
    """Line breaks of the layout stay; what a terminal obeys, or nobody sees, is escaped. It reads back the same."""
    value = {"text": "é\x1b[2J\u202e\u3164\x7f", "list": [1]}
    for indent in (None, 2):
        text = encode(value, indent)
        assert json.loads(text) == value
        assert text.replace("\n", "").isprintable() and "é" in text and "\u202e" not in text and "\u3164" not in text
        assert ("\n" in text) is (indent is not None)
    assert encode({"a": "é"}) == '{"a": "é"}'
