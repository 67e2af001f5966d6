"""JSON as models send it and are sent it: what a text holds, or the fault that it holds nothing; and the way back."""

import json
from collections import Counter
from typing import Any

from ...plan.fault import Fault
from ...text import describe, one_line

MAX_DIGITS = 1000


def decode(text: str | bytes | bytearray) -> Any:
    """The value in a JSON text, or the fault that it holds none."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_whole_number)
    except RecursionError:
        return Fault("", "the JSON is nested too deeply", "not_json", received="deep nesting")
    except _DuplicateKey as error:
        return Fault("", f"the key {error} is given twice", "duplicate_key", received=str(error))
    except ValueError as error:
        return Fault("", f"not valid JSON: {one_line(str(error))}", "not_json", received=describe(text[:40]))


def encode(value: object, indent: int | None = None) -> str:
    """A value as JSON. What a terminal would obey, or nobody could encode, is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text])


class _DuplicateKey(Exception):
    """A JSON object names a key twice: which value counts is anybody's guess."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _DuplicateKey(describe(next(key for key in times if times[key] > 1)))
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)
