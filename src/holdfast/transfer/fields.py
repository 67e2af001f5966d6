"""Named tuples as JSON objects with the names of their fields, and back; on the way back every value is checked.

The kind of a field is its annotation: `str` is a text, `int` a count, `float` a time, and so on. So the named tuples
are the only description of the layout, here as in the compact form of the stores (`stores.codec`).
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, get_args, get_origin

from ..errors import UsageError
from ..plan import About, Details, Edit, Plan, Status, Todo
from ..plan.work import ToolUse
from ..text import describe

ALWAYS_THERE = {Plan: 7, Todo: 8, Edit: 3, Details: 0, ToolUse: 1, About: 6}
"""How many fields every export has, by kind. Later fields may be missing, and then have their default."""

LATEST = 253_402_300_800.0
"""The end of the year 9999, in seconds since 1970: Python's calendar ends there."""

Reader = Callable[[Any, str], Any]
"""Takes a JSON value and its path, and returns the value that it describes. Raises UsageError."""


def to_json(value: Any) -> Any:
    """The value as JSON has it. A named tuple in it that is equal to its default is left out, and so is a later field.

    Later fields are those that an export need not have.
    """
    if hasattr(value, "_fields"):
        defaults, always = value._field_defaults, ALWAYS_THERE.get(type(value), len(value._fields))
        return {
            name: to_json(part)
            for place, (name, part) in enumerate(zip(value._fields, value, strict=True))
            if not ((place >= always or hasattr(part, "_fields")) and name in defaults and part == defaults[name])
        }
    return [to_json(part) for part in value] if isinstance(value, tuple) else value


@cache
def reader(kind: Any) -> Reader:
    """Reads values of a kind: a plain one, a named tuple, a choice, or a tuple or an optional value of another kind."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if hasattr(kind, "_fields"):
        return _object_reader(kind)
    if get_origin(kind) is Literal:
        return _choice_reader(get_args(kind))
    if get_origin(kind) is tuple:
        return _list_reader(reader(get_args(kind)[0]))
    inner = reader(get_args(kind)[0])  # an optional value: `kind | None`
    return lambda value, at: None if value is None else inner(value, at)


def not_an_export(why: str) -> UsageError:
    """The error to raise for a text that is not an export, or was damaged."""
    return UsageError(f"not an export of Holdfast: {why}")


def _object_reader(kind: Any) -> Reader:
    readers = {name: reader(its_kind) for name, its_kind in kind.__annotations__.items()}
    required = frozenset(kind._fields[: ALWAYS_THERE.get(kind, len(kind._fields))])

    def read(value: Any, at: str) -> Any:
        if not isinstance(value, dict):
            raise _unexpected(at, "an object", value)
        for name in value.keys() - readers.keys():
            raise _unexpected(f"{at}.{name}", "no such field", value[name])
        for name in required - value.keys():
            raise not_an_export(f"{at}.{name} is missing")
        fields = {name: readers[name](part, f"{at}.{name}") for name, part in value.items()}
        if kind is Edit and fields["before"] is fields["after"] is None:
            raise _unexpected(at, "a todo before or after", value)
        return kind(**fields)

    return read


def _list_reader(inner: Reader) -> Reader:
    def read(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _unexpected(at, "a list", value)
        return tuple([inner(part, f"{at}[{place}]") for place, part in enumerate(value)])

    return read


def _read_text(value: Any, at: str) -> str:
    if not isinstance(value, str):
        raise _unexpected(at, "a text", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _unexpected(at, "a text that UTF-8 can write", value) from None
    return value


def _choice_reader(choices: tuple[Any, ...]) -> Reader:
    def read(value: Any, at: str) -> Any:
        if value not in choices:
            raise _unexpected(at, f"one of {', '.join(choices)}", value)
        return choices[choices.index(value)]

    return read


def _read_count(value: Any, at: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise _unexpected(at, "a whole number, not below 0", value)
    return value


def _read_time(value: Any, at: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not -LATEST < value < LATEST:
        raise _unexpected(at, "a time, in seconds since 1970", value)
    return value


def _read_flag(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        raise _unexpected(at, "true or false", value)
    return value


def _unexpected(at: str, expected: str, value: object) -> UsageError:
    return not_an_export(f"{at}: expected {expected}, received {describe(value)}")


_PLAIN: dict[Any, Reader] = {
    str: _read_text,
    Status: _choice_reader(tuple(Status)),
    int: _read_count,
    float: _read_time,
    bool: _read_flag,
}
