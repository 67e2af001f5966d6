"""Changing a JSON text: a value is put in or removed, and no other character changes.

Comments and trailing commas are allowed, as coding agents allow them. To find places, the text is read with both
blanked out: every character keeps its position. What is cut or added is cut or added in the text itself.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import UsageError
from ...text import one_line

Path = Sequence[str | int]

_decode = json.JSONDecoder().raw_decode
_space = re.compile(r"[ \t\r\n]*").match
_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=[ \t\r\n]*[}\]])', re.DOTALL)
_NOT_BREAKS = re.compile(r"[^\r\n]")


class Part(NamedTuple):
    """One member of an object, or item of an array: where it starts, where its value starts, and where both end."""

    key: str | int
    start: int
    value: int
    end: int


def parse(text: str) -> Any:
    """The value of a text. Raises UsageError for one that cannot be read, or has a key twice."""
    try:
        return json.loads(_blanked(text), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise UsageError("it is nested too deeply") from error
    except ValueError as error:
        raise UsageError(f"it is not JSON, with or without comments ({one_line(str(error))})") from error


def put(text: str, path: Path, value: object) -> str:
    """The text with a value at a path: it replaces the old value, or is added at the end of its object or array.

    A path that ends with -1 adds an item to an array. Missing objects and arrays on the path are created.
    """
    at = _skip(_blanked(text), 0)
    for step, name in enumerate(path):
        found = next((part for part in parts(text, at) if part.key == name), None)
        if found is None:
            for other in reversed(path[step + 1 :]):
                value = [value] if other == -1 else {other: value}
            return _add(text, at, name, value)
        at = found.value
    return text[:at] + _format(text, value, _margin(text, at)) + text[_end(text, at) :]


def remove(text: str, path: Path) -> str:
    """The text without the value at a path. Comments stay. Raises KeyError if there is no such value."""
    at = _skip(_blanked(text), 0)
    for name in path[:-1]:
        at = next(part.value for part in parts(text, at) if part.key == name)
    found = parts(text, at)
    keys = [part.key for part in found]
    if path[-1] not in keys:
        raise KeyError(path[-1])
    place = keys.index(path[-1])
    part = found[place]
    comma = _comma_after(text, part.end)
    end = part.end if comma is None else comma + 1
    notes = text[part.end : end].rstrip(",").strip()  # comments between a value and its comma
    if place < len(found) - 1:
        return _joined(text[: part.start] + notes, text[_skip(text, end) :])
    start = at + 1 if place == 0 else found[place - 1].end
    kept = text[start : part.start].rstrip(" \t\r\n")
    closing = _end(text, at) - 1
    if place == 0:
        rest = text[end:closing]
        head = _joined(text[:start] + kept, notes) if notes else text[:start] + kept
        return _joined(head, (rest if kept or rest.strip() else "") + text[closing:])
    if comma is None:  # the one before it is the last one now, and had no comma after it
        before = _comma_after(text, start)
        assert before is not None, "there is a comma between two members"
        kept = text[start:before] + text[before + 1 : part.start].rstrip(" \t\r\n")
    return _joined(_joined(text[:start] + kept, notes) if notes else text[:start] + kept, text[end:])


def _joined(head: str, rest: str) -> str:
    """Two pieces of a text. A comment at the end of the first must not swallow the second."""
    last = next((found for found in _TOKENS.finditer(head) if found.end() == len(head)), None)
    is_open = last is not None and last[0].startswith("//") and not re.match(r"[ \t]*\r?\n", rest)
    return f"{head}{_newline(head)}{rest}" if is_open else head + rest


def is_empty(text: str, path: Path) -> bool:
    """Whether the object or array at a path has nothing in it, not even a comment."""
    at = _skip(_blanked(text), 0)
    for name in path:
        at = next(part.value for part in parts(text, at) if part.key == name)
    return not text[at + 1 : _end(text, at) - 1].strip()


def parts(text: str, at: int) -> list[Part]:
    """The members or items of the object or array that starts at a position."""
    text = _blanked(text)
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
    line = _newline(text)
    if not found:
        margin = _margin(text, at)
        inner = margin + _unit(text)
        end = _end(text, at) - 1
        kept = text[at + 1 : end].rstrip()
        return f"{text[: at + 1]}{kept}{line}{inner}{key}{_format(text, value, inner)}{line}{margin}{text[end:]}"
    last = found[-1]
    before = _blanked(text)[found[-2].end + 1 if len(found) > 1 else at + 1 : last.start]
    comma = _comma_after(text, last.end)
    end = last.end if comma is None else comma + 1
    after = f"{text[: last.end]},{text[last.end : _line_end(text, end)]}" if comma is None else ""
    head = after or text[: _line_end(text, end)]
    rest, tail = text[_line_end(text, end) :], "" if comma is None else ","
    if "\n" not in before:
        if "//" in text[end : _line_end(text, end)]:
            return f"{head}{line}{key}{json.dumps(value, ensure_ascii=False)}{tail}{rest}"
        return f"{head} {key}{json.dumps(value, ensure_ascii=False)}{tail}{rest}"
    margin = _margin(text, last.start)
    return f"{head}{line}{margin}{key}{_format(text, value, margin)}{tail}{rest}"


def _line_end(text: str, at: int) -> int:
    """Where the comments on the rest of a line end: they belong to what stands before them."""
    while True:
        found = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)").match(text, at)
        if found is None:
            return at
        at = found.end()


def _comma_after(text: str, at: int) -> int | None:
    """Where the comma after a value is, if it has one: also a trailing one."""
    without_comments = _without_comments(text)
    at = _skip(without_comments, at)
    return at if without_comments[at] == "," else None


def _end(text: str, at: int) -> int:
    """Where the value that starts at a position ends."""
    return int(_decode(_blanked(text), at)[1])


@lru_cache(maxsize=8)
def _blanked(text: str) -> str:
    """The text with spaces for comments and trailing commas."""
    return _TRAILING.sub(lambda found: " " if found[0] == "," else found[0], _without_comments(text))


@lru_cache(maxsize=8)
def _without_comments(text: str) -> str:
    return _TOKENS.sub(lambda found: found[0] if found[0][0] == '"' else _NOT_BREAKS.sub(" ", found[0]), text)


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
    found = re.match(r"\s*\{[ \t]*\r?\n([ \t]+)", _blanked(text))
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
