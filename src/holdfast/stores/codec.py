"""Plans and changes as JSON text, for stores that keep text.

A plan is written as nested arrays, field by field in the order of its named tuples. New fields therefore go to the end
of `Plan`, `Todo` and `Edit`, with a default: what an older Holdfast wrote is then read as it was meant.

A change is written as its delta, which leads from the plan before to the plan after and back. It grows with what was
changed, not with the plan.
"""

import json
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _word
from math import isfinite
from typing import Any

from ..plan import NO_DETAILS, Details, Edit, Plan, Status, Todo

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_STATUSES = {str(status): status for status in Status}
_TODOS = Plan._fields.index("todos")
_EDITS = Plan._fields.index("edits")
_STATUS = Todo._fields.index("status")
_DETAILS = Todo._fields.index("details")
_BLOCKED_BY = Details._fields.index("blocked_by")
_SEEN = Plan._fields.index("seen")
_MOST_KNOWN = 1_000
_known: dict[int, tuple[Todo, str]] = {}
_PLAIN_FIELDS = [at for at in range(len(Plan._fields)) if at not in (_TODOS, _EDITS)]


def plan_to_json(plan: Plan) -> str:
    """The plan as JSON."""
    todos = ",".join(map(_todo_to_json, plan.todos))
    return f"[[{todos}],{_text(plan[1:])[1:]}"


def _todo_to_json(todo: Todo) -> str:
    """A todo as JSON. A write changes few of them: the others are known by their identity, which costs no hash."""
    known = _known.get(id(todo))
    if known is not None and known[0] is todo:
        return known[1]
    text = _text(todo[:_DETAILS] if todo.details == NO_DETAILS else todo)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[id(todo)] = (todo, text)
    return text


def plan_from_json(text: str) -> Plan:
    """The plan that `plan_to_json` wrote. Raises ValueError if the text is none."""
    try:
        row = _value(text)
        return Plan(_todos(row[_TODOS]), *map(_field, range(1, len(row)), row[1:]))
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError(f"not a plan: {error}") from error


def delta_to_json(before: Plan, after: Plan) -> str:
    """What is different between two plans, both sides of it."""
    fields = [[at, before[at], after[at]] for at in _PLAIN_FIELDS if before[at] != after[at]]
    if before.edits != after.edits:
        fields.append([_EDITS, before.edits, after.edits])
    if before.todos is after.todos:
        return _text([fields])
    if len(before.todos) == len(after.todos):
        return _text([fields, _cells(before.todos, after.todos)])
    return _text([fields, *_splice(before.todos, after.todos)])


def forward(before: Plan, delta: str) -> Plan:
    """The plan after a change, from the one before. Raises ValueError if the text is no delta of it."""
    return _applied(before, delta, old=1, new=2)


def backward(after: Plan, delta: str) -> Plan:
    """The plan before a change, from the one after. Raises ValueError if the text is no delta of it."""
    return _applied(after, delta, old=2, new=1)


def _value(text: str) -> Any:
    """What a text of ours says. All that we write is ASCII: any other character came in by damage."""
    if not text.isascii():
        raise ValueError("a character in it is not ASCII")
    return json.loads(text)


def _text(value: object) -> str:
    """A value as JSON, by the shortest way: an encoder takes longer to be set up than a plan to be written."""
    if isinstance(value, str):
        return _word(value)
    if type(value) is float:
        return _time(value)
    if value is None:
        return "null"
    if type(value) is int:
        return str(value)
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(_text, value))}]"
    return _encode(value)


@lru_cache(maxsize=1_000)  # the same times come again and again, and are slow to write out
def _time(seconds: float) -> str:
    return repr(seconds) if isfinite(seconds) else _encode(seconds)


def _cells(before: tuple[Todo, ...], after: tuple[Todo, ...]) -> list[tuple[int, int, object, object]]:
    """The single fields that differ between lists of one length: place, field, before, after."""
    return [
        (place, field, was, now)
        for place, (old, new) in enumerate(zip(before, after, strict=True))
        if old is not new
        for field, (was, now) in enumerate(zip(old, new, strict=True))
        if was != now
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


def _applied(plan: Plan, delta: str, old: int, new: int) -> Plan:
    try:
        fields, *todos = _value(delta)
        row: list[Any] = list(plan)
        for field in fields:
            row[field[0]] = _field(field[0], field[new])
        if len(todos) == 1:
            row[_TODOS] = _with_cells(plan.todos, todos[0], new + 1)
        elif todos:
            start, gone = todos[0], len(todos[old])
            row[_TODOS] = plan.todos[:start] + _todos(todos[new]) + plan.todos[start + gone :]
        return Plan(*row)
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError(f"not a change: {error}") from error


def _field(at: int, value: Any) -> Any:
    """A field of a plan, as JSON has it, in its own type."""
    if at == _EDITS:
        return _edits(value)
    return tuple(value) if at == _SEEN else value


def _with_cells(todos: tuple[Todo, ...], cells: list[list[Any]], new: int) -> tuple[Todo, ...]:
    rows: list[Any] = list(todos)
    for cell in cells:
        row = list(rows[cell[0]])
        row[cell[1]] = cell[new]
        rows[cell[0]] = row
    return tuple([row if isinstance(row, Todo) else _todo(row) for row in rows])


def _todo(row: list[Any]) -> Todo:
    row[_STATUS] = _STATUSES[row[_STATUS]]
    if len(row) > _DETAILS:
        details = list(row[_DETAILS])
        details[_BLOCKED_BY] = tuple(details[_BLOCKED_BY])
        row[_DETAILS] = Details(*details)
    return Todo(*row)


def _todos(rows: list[list[Any]]) -> tuple[Todo, ...]:
    return tuple([_todo(row) for row in rows])


def _edits(rows: list[list[Any]]) -> tuple[Edit, ...]:
    return tuple([Edit(before and _todo(before), after and _todo(after), *rest) for before, after, *rest in rows])
