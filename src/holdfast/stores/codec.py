"""Plans and changes as JSON text, for stores that keep text.

A plan is written as nested arrays, field by field in the order of its named tuples. How to read a field back follows
from its annotation, as it does for an export by name (`transfer.fields`): the named tuples are the only description of
the layout. New fields go to the end of `Plan`, `Todo`, `Edit` and `Details`, with a default: then a text that an older
Holdfast wrote is still read correctly.

A change is written as its delta, which leads from the plan before to the plan after and back. Its size depends on what
was changed, not on the plan.
"""

import json
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import compress, count
from json.encoder import encode_basestring_ascii as _encode_text
from math import isfinite
from operator import is_not
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

from ..plan import Plan, Status, Todo

_STATUSES = {str(status): status for status in Status}
_TODOS = Plan._fields.index("todos")
_EDITS = Plan._fields.index("edits")
_SETTINGS = Plan._fields.index("settings")
_DELTA_FIELDS = [*(at for at in range(len(Plan._fields)) if at not in (_TODOS, _EDITS)), _EDITS]
_MOST_CACHED = 1_000
_cached: dict[int, tuple[Todo, str]] = {}

_ALWAYS_WRITTEN = Todo._fields.index("details")
"""How many fields of a todo are always written. Those after them are left out at the end of a row if not set."""

_UNSET = Todo("", "")

_Convert = Callable[[Any], Any]
T = TypeVar("T")


def plan_to_json(plan: Plan) -> str:
    """The plan as JSON."""
    todos = ",".join(map(_todo_to_json, plan.todos))
    return f"[[{todos}],{','.join(map(_text, plan[1:_SETTINGS]))},{_settings_to_json(*plan[_SETTINGS:])}]"


@lru_cache(maxsize=64)
def _settings_to_json(*fields: object) -> str:
    """The last fields of a plan: how its board is set up, and what is known of its session. Few writes change them."""
    return ",".join(map(_text, fields))


def _todo_to_json(todo: Todo) -> str:
    """A todo as JSON. A write changes few of them: the others are found by their identity, which costs no hash.

    What is cached stays in memory: no other todo has its identity.
    """
    cached = _cached.get(id(todo))
    if cached is not None:
        return cached[1]
    last = len(todo)
    while last > _ALWAYS_WRITTEN and todo[last - 1] == _UNSET[last - 1]:
        last -= 1
    text = f"[{','.join(map(_text, todo[:last]))}]"
    if len(_cached) >= _MOST_CACHED:
        _cached.clear()
    _cached[id(todo)] = (todo, text)
    return text


def plan_from_json(text: str) -> Plan:
    """The plan that `plan_to_json` wrote. Raises ValueError for any other text."""
    return value_from_json(Plan, text)


def value_to_json(value: object) -> str:
    """A named tuple as JSON, in the same compact form."""
    return _text(value)


def value_from_json(kind: type[T], text: str) -> T:
    """The named tuple of a kind that `value_to_json` wrote. Raises ValueError for any other text."""
    try:
        kind_read: Any = kind  # a cached function takes hashable values, which type checkers cannot know of a type
        value: T = _reader(kind_read)(_parse(text))
        return value
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError(f"not a {kind.__name__}: {error}") from error


def delta_to_json(before: Plan, after: Plan) -> str:
    """What is different between two plans, both sides of it."""
    pairs = [
        f"[{at},{_text(before[at])},{_text(after[at])}]"
        for at in _DELTA_FIELDS
        if before[at] is not after[at] and before[at] != after[at]
    ]
    fields = f"[{','.join(pairs)}]"
    if before.todos is after.todos:
        return f"[{fields}]"
    if len(before.todos) == len(after.todos):
        return f"[{fields},[{','.join(_cells(before.todos, after.todos))}]]"
    return f"[{fields},{_text(_splice(before.todos, after.todos))[1:]}"


def forward(before: Plan, delta: str) -> Plan:
    """The plan after a change, from the one before. Raises ValueError if the text is no delta of it."""
    return _apply(before, delta, old=1, new=2)


def backward(after: Plan, delta: str) -> Plan:
    """The plan before a change, from the one after. Raises ValueError if the text is no delta of it."""
    return _apply(after, delta, old=2, new=1)


def _parse(text: str) -> Any:
    """The JSON value of a stored text. We write only ASCII: any other character comes from damage."""
    if not text.isascii():
        raise ValueError("a character in it is not ASCII")
    return json.loads(text)


def _text(value: object) -> str:
    """A value as JSON, by the shortest way: an encoder takes longer to be set up than a plan to be written."""
    write = _WRITERS.get(type(value))
    if write is not None:
        return write(value)
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(_text, value))}]"
    return json.dumps(value)


@lru_cache(maxsize=1_000)  # the same times come again and again, and are slow to write out
def _time(seconds: float) -> str:
    return repr(seconds) if isfinite(seconds) else json.dumps(seconds)


_WRITERS: dict[type, Callable[[Any], str]] = {
    str: _encode_text,
    Status: _encode_text,
    float: _time,
    int: str,
    NoneType: lambda _: "null",
}
"""How single values are written, by their types; whatever else there is takes a longer way."""


def _cells(before: tuple[Todo, ...], after: tuple[Todo, ...]) -> list[str]:
    """The single fields that differ between lists of one length: place, field, before, after."""
    return [
        f"[{place},{field},{_text(before[place][field])},{_text(after[place][field])}]"
        for place in compress(count(), map(is_not, before, after))
        for field in compress(count(), map(is_not, before[place], after[place]))
        if before[place][field] != after[place][field]
    ]


def _splice(before: tuple[Todo, ...], after: tuple[Todo, ...]) -> tuple[int, tuple[Todo, ...], tuple[Todo, ...]]:
    """Where two lists begin to differ, and what stands there before and after, up to where they are alike again."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    alike = 0
    while alike < shorter - start and before[-1 - alike] == after[-1 - alike]:
        alike += 1
    return start, before[start : len(before) - alike], after[start : len(after) - alike]


def _apply(plan: Plan, delta: str, old: int, new: int) -> Plan:
    try:
        fields, *todos = _parse(delta)
        row: list[Any] = list(plan)
        for field in fields:
            row[field[0]] = _convert(_PLAN, field[0], field[new])
        if len(todos) == 1:
            row[_TODOS] = _with_cells(plan.todos, todos[0], new + 1)
        elif todos:
            start, removed = todos[0], len(todos[old])
            row[_TODOS] = plan.todos[:start] + _PLAN[_TODOS](todos[new]) + plan.todos[start + removed :]
        return Plan(*row)
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError(f"not a change: {error}") from error


def _with_cells(todos: tuple[Todo, ...], cells: list[list[Any]], new: int) -> tuple[Todo, ...]:
    changed = list(todos)
    for cell in cells:
        place, field = cell[0], cell[1]
        row: list[Any] = list(changed[place])
        row[field] = _convert(_TODO, field, cell[new])
        changed[place] = Todo(*row)
    return tuple(changed)


def _convert(conversions: dict[int, _Convert], at: int, value: Any) -> Any:
    return conversions[at](value) if at in conversions else value


@cache
def _conversions(kind: Any) -> dict[int, _Convert]:
    """How to make the fields of a named tuple from JSON, by their place; those that JSON has as they are need none."""
    needed = ((at, _conversion(hint)) for at, hint in enumerate(kind.__annotations__.values()))
    return {at: convert for at, convert in needed if convert is not None}


def _conversion(hint: Any) -> _Convert | None:
    """How to make a value of an annotated type from JSON; None if JSON has it as it is."""
    if hint is Status:
        return _STATUSES.__getitem__
    if hasattr(hint, "_fields"):
        return _reader(hint)
    if get_origin(hint) is tuple:
        each = _conversion(get_args(hint)[0])
        return tuple if each is None else lambda rows: tuple([each(row) for row in rows])
    inner = next(map(_conversion, get_args(hint)), None)  # an optional value: `kind | None`
    return None if inner is None else lambda value: None if value is None else inner(value)


@cache
def _reader(kind: Any) -> _Convert:
    """Makes a named tuple from its fields in order. The last ones may be missing if they have a default."""
    conversions = list(_conversions(kind).items())

    def read(row: list[Any]) -> Any:
        if not row or type(row) is not list:
            raise TypeError("expected an array of fields")
        for at, convert in conversions:
            if at < len(row):
                row[at] = convert(row[at])
        return kind(*row)

    return read


_TODO = _conversions(Todo)
_PLAN = _conversions(Plan)
