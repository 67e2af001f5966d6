"""JSON as models send and receive it: from a text to a value or a fault, and back."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from ...plan.fault import Fault
from ...text import describe, one_line, spell_unseen

MAX_DIGITS = 1000


def decode(text: str | bytes | bytearray) -> Any:
    """The value in a JSON text, or the fault that it is not valid JSON."""
    import json  # not before it is needed: a board can be written without it

    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_whole_number)
    except RecursionError:
        return Fault("", "the JSON is nested too deeply", "not_json", received="deep nesting")
    except _DuplicateKey as error:
        return Fault("", f"the key {error} is given twice", "duplicate_key", received=str(error))
    except ValueError as error:
        return Fault("", f"not valid JSON: {one_line(str(error))}", "not_json", received=describe(text))


def encode(value: object, indent: int | None = None) -> str:
    """A value as JSON. Control characters, what nobody sees and what cannot be encoded are escaped."""
    text = spell_unseen(_encoder(indent)(value), _escape)
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() or char == "\n" else _escape(char) for char in text])


@cache  # `json.dumps` makes a new encoder for each value
def _encoder(indent: int | None, ensure_ascii: bool = False) -> Callable[[object], str]:
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=ensure_ascii, indent=indent).encode


def _escape(char: str) -> str:
    return _encoder(None, ensure_ascii=True)(char)[1:-1]


class _DuplicateKey(Exception):
    """A JSON object has a key twice: nobody can know which value is meant."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _DuplicateKey(describe(next(key for key in times if times[key] > 1)))
    return value


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)
