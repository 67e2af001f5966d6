"""Changing a JSON text: a value is put in or removed, and no other character changes."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import UsageError
from ...text import one_line

Path = Sequence[str | int]

_decode = json.JSONDecoder().raw_decode
_space = re.compile(r"[ \t\r\n]*").match


class Part(NamedTuple):
    """One member of an object, or item of an array: where it starts, where its value starts, and where both end."""

    key: str | int
    start: int
    value: int
    end: int


def parse(text: str) -> Any:
    """The value of a text. Raises UsageError for one that cannot be kept as it is, for example with comments."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise UsageError("it is nested too deeply") from error
    except ValueError as error:
        why = one_line(str(error))
        raise UsageError(f"it is not plain JSON ({why}); comments and trailing commas cannot be kept") from error


def put(text: str, path: Path, value: object) -> str:
    """The text with a value at a path: it replaces the old value, or is added at the end of its object or array.

    A path that ends with -1 adds an item to an array. Missing objects and arrays on the path are created.
    """
    at = _skip(text, 0)
    for step, name in enumerate(path):
        found = next((part for part in parts(text, at) if part.key == name), None)
        if found is None:
            for other in reversed(path[step + 1 :]):
                value = [value] if other == -1 else {other: value}
            return _add(text, at, name, value)
        at = found.value
    end = _decode(text, at)[1]
    return text[:at] + _format(text, value, _margin(text, at)) + text[end:]


def remove(text: str, path: Path) -> str:
    """The text without the value at a path. Raises KeyError if there is none."""
    at = _skip(text, 0)
    for name in path[:-1]:
        at = next(part.value for part in parts(text, at) if part.key == name)
    found = parts(text, at)
    keys = [part.key for part in found]
    if path[-1] not in keys:
        raise KeyError(path[-1])
    place = keys.index(path[-1])
    part = found[place]
    if len(found) == 1:
        return text[: at + 1] + text[_decode(text, at)[1] - 1 :]
    if place == len(found) - 1:
        return text[: found[place - 1].end] + text[part.end :]
    return text[: part.start] + text[found[place + 1].start :]


def parts(text: str, at: int) -> list[Part]:
    """The members or items of the object or array that starts at a position."""
    found: list[Part] = []
    closing = "}" if text[at] == "{" else "]"
    at = _skip(text, at + 1)
    while text[at] != closing:
        start = at
        name: str | int = len(found)
        if closing == "}":
            name, at = _decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _decode(text, at)[1]
        found.append(Part(name, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _add(text: str, at: int, name: str | int, value: object) -> str:
    """The text with one more member or item, formatted like those before it."""
    found = parts(text, at)
    key = "" if text[at] == "[" else f"{json.dumps(name, ensure_ascii=False)}: "
    if not found:
        margin = _margin(text, at)
        inner = margin + _unit(text)
        line = _newline(text)
        end = _decode(text, at)[1]
        body = f"{line}{inner}{key}{_format(text, value, inner)}{line}{margin}"
        return text[: at + 1] + body + text[end - 1 :]
    last = found[-1]
    before = text[found[-2].end + 1 if len(found) > 1 else at + 1 : last.start]
    if "\n" not in before:
        return f"{text[: last.end]}, {key}{json.dumps(value, ensure_ascii=False)}{text[last.end :]}"
    margin = before[before.rindex("\n") + 1 :]
    return f"{text[: last.end]},{_newline(text)}{margin}{key}{_format(text, value, margin)}{text[last.end :]}"


def _format(text: str, value: object, margin: str) -> str:
    """A value over several lines, with the text's own indent and line ends."""
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{margin}".join(lines)


def _skip(text: str, at: int) -> int:
    found = _space(text, at)
    assert found is not None, "an empty match is a match"
    return found.end()


def _margin(text: str, at: int) -> str:
    """The white space at the start of the line of a position."""
    start = text.rfind("\n", 0, at) + 1
    return text[start : re.compile(r"[ \t]*").match(text, start).end()]  # type: ignore[union-attr] # it always matches


def _unit(text: str) -> str:
    """One step of indent, as the text has it."""
    found = re.match(r"\s*\{[ \t]*\r?\n([ \t]+)", text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in [other for other, _ in pairs[:at]])
        raise ValueError(f"the key {twice!r} is given twice")
    return members


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
