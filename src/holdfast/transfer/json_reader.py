"""Reading an export: every field is looked at before anything is kept, and a fault names its place."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UsageError
from ..plan import Change, Details, Edit, Plan, Status, Todo
from ..stores import Key
from ..text import describe
from .history import History

FORMAT = "holdfast"
VERSION = 1

LATEST = 253_402_300_800.0
"""The end of the year 9999, in seconds since the epoch: no calendar here goes further."""

Reader = Callable[[Any, str], Any]
"""Takes a value and its path, and gives what it stands for. Raises UsageError."""


def read(text: str) -> list[History]:
    """The boards of an export. Raises UsageError if it is none, or not as it was written."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not an export of Holdfast: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UsageError('not an export of Holdfast: it has no "format": "holdfast"')
    if value.get("version") != VERSION:
        raise UsageError(f"an export of version {value.get('version')}, and this Holdfast reads {VERSION}: update it")
    return _many(_board)(value.get("boards", []), "boards")


def _board(value: Any, at: str) -> History:
    said = _fields(_BOARD, value, at)
    before = said["start"]
    changes = []
    for change in said["changes"]:
        changes.append(Change(before, change["plan"], change["by"], change["action"], change["undoes"]))
        before = change["plan"]
    if before != said["plan"]:
        raise UsageError(f"not an export of Holdfast: {at}: the last change does not lead to the plan")
    return History(Key(said["session"], said["agent"]), said["start"], changes)


def _plan(value: Any, at: str) -> Plan:
    return Plan(**_fields(_PLAN, value, at, ("seen", "settings")))


def _edit(value: Any, at: str) -> Edit:
    edit = Edit(**_fields(_EDIT, value, at))
    if edit.before is edit.after is None:
        raise _wrong(at, "a todo before or after", value)
    return edit


def _todo(value: Any, at: str) -> Todo:
    return Todo(**_fields(_TODO, value, at, ("details",)))


def _details(value: Any, at: str) -> Details:
    return Details(**_fields(_DETAILS, value, at, tuple(_DETAILS)))


def _change(value: Any, at: str) -> dict[str, Any]:
    return _fields(_CHANGE, value, at)


def _fields(readers: Mapping[str, Reader], value: Any, at: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the fields of an object stand for, all of them known and none missing."""
    if not isinstance(value, dict):
        raise _wrong(at, "an object", value)
    for name in value.keys() - readers.keys():
        raise _wrong(f"{at}.{name}", "no such field", value[name])
    for name in readers.keys() - value.keys() - set(optional):
        raise UsageError(f"not an export of Holdfast: {at}.{name} is missing")
    return {name: readers[name](its, f"{at}.{name}") for name, its in value.items()}


def _many(reader: Reader) -> Callable[[Any, str], list[Any]]:
    def read_all(value: Any, at: str) -> list[Any]:
        if not isinstance(value, list):
            raise _wrong(at, "a list", value)
        return [reader(item, f"{at}[{place}]") for place, item in enumerate(value)]

    return read_all


def _row(reader: Reader) -> Reader:
    read_all = _many(reader)
    return lambda value, at: tuple(read_all(value, at))


def _or_null(reader: Reader) -> Reader:
    return lambda value, at: None if value is None else reader(value, at)


def _text(value: Any, at: str) -> str:
    if not isinstance(value, str):
        raise _wrong(at, "a text", value)
    return value


def _status(value: Any, at: str) -> Status:
    if value not in tuple(Status):
        raise _wrong(at, f"one of {', '.join(Status)}", value)
    return Status(value)


def _count(value: Any, at: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise _wrong(at, "a whole number, not below 0", value)
    return value


def _time(value: Any, at: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not -LATEST < value < LATEST:
        raise _wrong(at, "a time, in seconds since 1970", value)
    return value


def _wrong(at: str, expected: str, value: object) -> UsageError:
    return UsageError(f"not an export of Holdfast: {at}: expected {expected}, received {describe(value)}")


_DETAILS: Mapping[str, Reader] = {
    "description": _text,
    "priority": _text,
    "blocked_by": _row(_text),
    "owner": _text,
    "metadata": _text,
}
_TODO: Mapping[str, Reader] = {
    "id": _text,
    "content": _text,
    "status": _status,
    "active_form": _text,
    "created_at": _time,
    "started_at": _or_null(_time),
    "finished_at": _or_null(_time),
    "evidence": _text,
    "details": _details,
}
_EDIT: Mapping[str, Reader] = {"before": _or_null(_todo), "after": _or_null(_todo), "position": _or_null(_count)}
_PLAN: Mapping[str, Reader] = {
    "todos": _row(_todo),
    "summary": _text,
    "revision": _count,
    "updated_at": _time,
    "number": _count,
    "next_id": _count,
    "edits": _row(_edit),
    "seen": _row(_text),
    "settings": _text,
}
_CHANGE: Mapping[str, Reader] = {"by": _text, "action": _text, "undoes": _count, "plan": _plan}
_BOARD: Mapping[str, Reader] = {
    "session": _text,
    "agent": _text,
    "plan": _plan,
    "start": _plan,
    "changes": _many(_change),
}
